"""The command line: ``python -m engine COMMAND``, or ``redstring COMMAND``. An equal of the page.

With ``--json`` standard output holds one JSON object and nothing else; progress and errors go to
standard error. Exit codes: 0 done, 1 failed, 2 the input is not usable, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from engine import __version__
from engine.cli.access import add_access_commands
from engine.cli.answers import add_answer_command
from engine.cli.audit import add_audit_command
from engine.cli.batch import add_batch_command
from engine.cli.cases import add_cases_command
from engine.cli.comparing import add_compare_command
from engine.cli.corpora import add_corpus_commands
from engine.cli.evaluation import add_evaluation_command
from engine.cli.exports import add_export_command
from engine.cli.extraction import add_extraction_commands
from engine.cli.grades import add_grades_command
from engine.cli.info import add_info_commands
from engine.cli.investigate import add_investigate_command
from engine.cli.judging import add_judge_command
from engine.cli.models import add_model_command
from engine.cli.ontology import add_ontology_command
from engine.cli.operator import add_settings_command
from engine.cli.planning import add_plan_command
from engine.cli.regress import add_regress_command
from engine.cli.report import add_report_command
from engine.cli.review import add_review_command
from engine.cli.tree import add_tree_command
from engine.cli.weights import add_weights_command
from engine.errors import CancelledError, InputError, RedstringError

# The last is what shells give to a command that SIGINT, their Ctrl-C, has ended.
FAILED, UNUSABLE, INTERRUPTED = 1, 2, 130


def main(
    arguments: Sequence[str] | None = None,
    *,
    prog: str = "python -m engine",
    add_more: Callable[[Any], None] | None = None,
) -> int:
    """Run one command; returns the exit code. ``prog`` is its name in what it tells of itself, ``add_more``
    describes further commands."""
    try:
        options = parser(prog, add_more).parse_args(arguments)
        command: Callable[[argparse.Namespace], None] = options.command
        command(options)
        print(end="", flush=True)
    except InputError as error:
        return _fail(error, UNUSABLE)
    except CancelledError as error:
        return _fail(error, INTERRUPTED)
    except KeyboardInterrupt:
        return _fail(CancelledError("stopped; what was not finished is not kept"), INTERRUPTED)
    except RedstringError as error:
        return _fail(error, FAILED)
    except BrokenPipeError:
        # The reader of the output has gone (head, less): nothing is left to say, not at the end either, when
        # what is still on its way is flushed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser(
    prog: str = "python -m engine", add_more: Callable[[Any], None] | None = None
) -> argparse.ArgumentParser:
    """The whole command line."""
    root = argparse.ArgumentParser(prog=prog, description="Redstring, on the command line.")
    root.add_argument("--version", action="version", version=f"redstring {__version__}")
    commands = root.add_subparsers(required=True, metavar="COMMAND")
    add_corpus_commands(commands)
    add_investigate_command(commands)
    add_answer_command(commands)
    add_plan_command(commands)
    add_model_command(commands)
    add_evaluation_command(commands)
    add_extraction_commands(commands)
    add_judge_command(commands)
    add_weights_command(commands)
    add_grades_command(commands)
    add_audit_command(commands)
    add_report_command(commands)
    add_cases_command(commands)
    add_review_command(commands)
    add_batch_command(commands)
    add_compare_command(commands)
    add_regress_command(commands)
    add_export_command(commands)
    add_tree_command(commands)
    add_ontology_command(commands)
    add_settings_command(commands)
    add_access_commands(commands)
    add_info_commands(commands)
    if add_more is not None:
        add_more(commands)
    return root


def _fail(error: RedstringError, code: int) -> int:
    print(f"redstring: {' '.join(str(error).split())}", file=sys.stderr)
    return code
