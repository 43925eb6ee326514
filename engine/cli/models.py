"""The flags that name a language model, and the command ``model`` that tries one."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines

if TYPE_CHECKING:
    from engine.llm.client import ChatModel

FROM_INPUT = "-"


def add_model_flags(command: argparse.ArgumentParser) -> None:
    """Describe the flags to the parser of a command that may use a language model."""
    command.add_argument(
        "--llm",
        metavar="SPEC",
        help="language model: openai:MODEL@URL?context=8192&input=0.15&output=0.60, or none; "
        "default: REDSTRING_LLM, else none",
    )
    command.add_argument(
        "--llm-key",
        metavar="KEY",
        help="its key; - reads it from standard input. Others on this machine can see what a command line "
        "holds: REDSTRING_LLM_KEY is better",
    )


def model_from(options: argparse.Namespace, *, kept: bool = True) -> ChatModel | None:
    """The model that the command line names, else the environment; None where neither does.

    ``kept``: answers are kept on disk and used again. Raises SettingsError for a spec that cannot be read.
    """
    from engine.errors import SettingsError
    from engine.llm.cache import default_cache
    from engine.llm.client import connect, connect_from_environment
    from engine.operator_settings import operator_settings

    key = options.llm_key
    if options.llm is None and key is None:
        return connect_from_environment(kept=kept)
    spec = options.llm if options.llm is not None else operator_settings().llm
    if key == FROM_INPUT:
        key = sys.stdin.readline().strip()
        if not key:
            raise SettingsError("--llm-key -: standard input holds no key")
    return connect(spec, key, environment_key=True, cache=default_cache() if kept else None)


def add_model_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "model", help="try a language model: whether it answers, keeps to schemas and reads long prompts"
    )
    add_model_flags(command)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=model)


def model(options: argparse.Namespace) -> None:
    """Try the model, and print what was found. Raises ModelError where it cannot be used as its spec says."""
    from engine.errors import ModelError, SettingsError
    from engine.llm.probing import probe, probe_lines, probe_to_json

    named = model_from(options, kept=False)
    if named is None:
        raise SettingsError("no language model is named; use --llm SPEC or set REDSTRING_LLM")
    found = probe(named)
    if options.json:
        print_json(probe_to_json(found))
    else:
        print_lines(probe_lines(replace(found, problem="")))
    if not found.fine:
        raise ModelError(found.problem)
