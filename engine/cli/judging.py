"""The command ``judge``: what a person says of a link of a corpus, wherever it was met."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus
from engine.errors import CorpusError, InputError

if TYPE_CHECKING:
    from engine.corpus.extracted.readings import Validation
    from engine.extraction.judging import Ends

ACTS = {"accept": "accepted", "reject": "rejected", "correct": "corrected"}


def add_judge_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "judge", help="accept, reject or correct a link; undo it; list verdicts; how often links are right"
    )
    command.add_argument("act", choices=(*ACTS, "undo", "list", "rates"), metavar="ACT",
                         help="accept, reject, correct, undo, list or rates")  # fmt: skip
    command.add_argument(
        "source", nargs="?", default="", metavar="SOURCE", help="id of the passage that says it"
    )
    command.add_argument(
        "target", nargs="?", default="", metavar="TARGET", help="id of what the link leads to"
    )
    add_corpus(command)
    command.add_argument("--relation", metavar="R", default="", help="which link, where there are several")
    command.add_argument("--to", default="", metavar="ID", help="correct: the passage that is meant")
    command.add_argument("--as", dest="meant", default="", metavar="R", help="correct: the relation meant")
    command.add_argument("--note", default="", help="why")
    command.add_argument("--by", default="", metavar="NAME", help="who says so")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=judge)


def judge(options: argparse.Namespace) -> None:
    """Keep, take back or print verdicts."""
    from engine.corpus import open_corpus
    from engine.corpus.extracted.readings import Judgement, current_verdicts, load_validations
    from engine.extraction.judging import figures_to_json, judge_link, rates, unjudge_link

    corpus = open_corpus(options.corpus)
    if options.act in ("list", "rates"):
        if corpus.journals is None:
            raise CorpusError(f"{corpus.name!r} has no journals: there is no place for verdicts")
        standing = list(current_verdicts(load_validations(corpus.journals)).values())
        if options.act == "list":
            told = [_told(one) for one in standing]
            print_json(told) if options.json else print_lines(map(_line, standing))
            return
        figures = rates(corpus, standing)
        if options.json:
            print_json(figures_to_json(figures))
            return
        print_lines(_lines(figures))
        return
    ends = _ends(options)
    if options.act == "undo":
        done = unjudge_link(corpus, ends)
    else:
        done = judge_link(
            corpus,
            ends,
            Judgement(ACTS[options.act]),
            to=options.to,
            relation=_relation(options.meant),
            note=options.note,
            reviewer=options.by,
        )
    if options.json:
        print_json([_told(one) for one in done])
        return
    print_lines(map(_line, done))


def _ends(options: argparse.Namespace) -> Ends:
    from engine.extraction.judging import Ends

    if not options.source or not options.target:
        raise InputError(f"{options.act}: give the ids of both ends, SOURCE and TARGET")
    return Ends(options.source, options.target, _relation(options.relation))


def _relation(name: str) -> Any:
    from engine.model import Relation

    if not name:
        return None
    try:
        return Relation(name)
    except ValueError:
        known = ", ".join(relation.value for relation in Relation)
        raise InputError(f"{name!r} is no relation; there are {known}") from None


def _told(one: Validation) -> dict[str, Any]:
    return one.model_dump(mode="json") | {"key": one.proposal.key}


def _line(one: Validation) -> str:
    said = "taken back" if one.withdrawn else one.judgement.value
    target = one.proposal.target_id or f"“{one.proposal.concept}”"
    instead = ""
    if one.correction is not None:
        instead = f" -> {one.correction.relation.value} {one.correction.target_id or one.correction.concept}"
    who = f" ({one.reviewer})" if one.reviewer else ""
    return f"{said}: {one.proposal.source_id} {one.proposal.relation.value} {target}{instead}{who}"


def _lines(figures: Any) -> Iterator[str]:
    if not any(figures.values()):
        yield "nobody has judged a link of this corpus yet"
        return
    for by, named in figures.items():
        yield f"by {by}"
        for name, one in named.items():
            low, high = (round(100 * end) for end in one.interval or (0.0, 1.0))
            right = f"{one.accepted} of {one.judged} right"
            yield f"  {name:24}{right}, {100 * (one.share or 0):.0f} % ({low} to {high})"
