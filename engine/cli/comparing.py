"""The command ``compare``: one question twice, with other settings, of another day, on another corpus, or
before its threads are followed and after; and what two comparisons print."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_settings, given_by
from engine.corpus.address import place_of
from engine.errors import InputError, SettingsError

if TYPE_CHECKING:
    from engine.settings import InvestigationSettings


def add_compare_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "compare",
        help="ask one question twice and say what differs, and why",
        description="Ask a question twice: with other settings (--a rounds=1 --b rounds=4), of two days "
        "(--a as_of=2024-01-01 --b as_of=2025-01-01), on two corpora (--with-corpus), or before the threads "
        "are followed and after (--scan). All other flags hold for both.",
    )
    command.add_argument("question", metavar="QUESTION")
    add_settings(command)
    command.add_argument(
        "--with-corpus",
        type=place_of,
        metavar="DIR",
        help="the corpus of the second case (default: the same)",
    )
    for side, words in (("a", "first"), ("b", "second")):
        command.add_argument(
            f"--{side}",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help=f"a setting of the {words} case alone, or preset=NAME; may be given several times",
        )
    command.add_argument("--scan", action="store_true", help="the first case is the scan alone")
    add_model_flags(command)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=compare_question)


def compare_question(options: argparse.Namespace) -> None:
    """Ask twice and print what differs. Raises InputError where nothing is to differ."""
    from engine.corpus import open_corpus
    from engine.investigation import run_case
    from engine.records.compared_case import side_by_side
    from engine.records.comparing import compare, comparison_lines, comparison_to_json
    from engine.records.export import investigation_to_json

    if not (options.a or options.b or options.scan or options.with_corpus):
        raise InputError("say what differs: --a and --b (settings), --with-corpus or --scan")
    both = settings_of_side(options, options.a), settings_of_side(options, options.b)
    if options.scan:
        both = both[0].changed(follow=False), both[1]
    first = open_corpus(options.corpus)
    second = open_corpus(options.with_corpus) if options.with_corpus else first
    model = model_from(options)
    records = []
    for corpus, settings in zip((first, second), both, strict=True):
        case = run_case(corpus, options.question, settings, model=model)
        records.append(investigation_to_json(case.investigation()))
    found = compare(records[0], records[1], corpora=(first, second))
    if options.json:
        print_json({**comparison_to_json(found), "before": ranking(records[0]), "after": ranking(records[1])})
    else:
        print_lines([*side_by_side(records[0], records[1]), "", *comparison_lines(found)])


def settings_of_side(options: argparse.Namespace, changes: Sequence[str]) -> InvestigationSettings:
    """The settings of one case: its preset or that of both, what holds for both, what holds for it alone.
    Raises SettingsError."""
    from engine.settings import InvestigationSettings, preset

    own: dict[str, str] = {}
    for written in changes:
        name, equals, value = written.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or (name != "preset" and name not in InvestigationSettings.model_fields):
            known = ", ".join(("preset", *InvestigationSettings.model_fields))
            raise SettingsError(f"{written[:80]!r} is no NAME=VALUE of a setting; known: {known}")
        own[name] = value.strip()
    named = own.pop("preset", options.preset)
    return preset(named).changed(**given_by(options)).changed(**own)


def ranking(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ranking of a record, as far as it is shown beside another."""
    shown = ("rank", "id", "title", "label", "score")
    return [{name: passage[name] for name in shown} for passage in record["passages"]]
