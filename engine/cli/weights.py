"""The command ``weights``: what verdicts teach a ranking, shown before it is adopted."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.cli.case_store import matter_named, open_store, printed
from engine.cli.settings import add_corpus

if TYPE_CHECKING:
    from engine.corpus.judgements import WeightsLine
    from engine.corpus.protocol import Corpus
    from engine.evaluation.compare import Difference
    from engine.records.store.database import Matter
    from engine.review.learning.validation import Choice
    from engine.review.training import WeightStore

ACTS = ("learn", "list", "adopt", "ship", "delete")
# Questions that a ranking would get worse for are shown, at most.
MOST_SHOWN = 5


def add_weights_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "weights", help="learn from experts' verdicts how cases are ranked; adopt it, or go back"
    )
    command.add_argument("act", choices=ACTS, metavar="ACT", help="learn, list, adopt, ship or delete")
    command.add_argument("id", nargs="?", default="", metavar="ID", help="adopt, delete: which weights")
    add_corpus(command)
    command.add_argument(
        "--matter",
        metavar="NAME",
        help="those of this matter, for its cases alone (default: those of the corpus, for all who ask it)",
    )
    command.add_argument("--preset", default="balanced", metavar="P", help="learn: as questions are asked")
    command.add_argument("--by", default="", metavar="NAME", help="who does it")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=weights)


def weights(options: argparse.Namespace) -> None:
    """Learn, list, adopt, go back or delete."""
    from engine.corpus import open_corpus
    from engine.operator_settings import operator_settings
    from engine.records.store.matter_weights import MatterWeights
    from engine.review.training import CorpusWeightStore, MatterWeightStore

    corpus = open_corpus(options.corpus)
    if options.matter is None:
        _act(options, corpus, CorpusWeightStore(corpus), None)
        return
    with closing(open_store()) as store:
        matter = matter_named(store, options.matter)
    with closing(MatterWeights(operator_settings().cases_address)) as kept:
        _act(options, corpus, MatterWeightStore(kept, matter, corpus.name), matter)


def _act(options: argparse.Namespace, corpus: Corpus, place: WeightStore, matter: Matter | None) -> None:
    if options.act == "learn":
        _learn(options, corpus, place, matter)
        return
    if options.act == "adopt":
        place.adopt(options.id, options.by)
    elif options.act == "ship":
        place.ship(options.by)
    elif options.act == "delete":
        place.delete(options.id)
    lines = place.lines()
    printed(options, _listed(lines), _lines(lines, "shipped weights" if matter is None else "corpus's own"))


def _learn(options: argparse.Namespace, corpus: Corpus, place: WeightStore, matter: Matter | None) -> None:
    from engine.operator_settings import operator_settings
    from engine.records.store import EVERYBODY
    from engine.review.store import ReviewStore
    from engine.review.training import choice_to_json, labels_from, train
    from engine.settings import preset

    place.check_room()
    owner = "" if matter is None else EVERYBODY
    with closing(ReviewStore(operator_settings().cases_address)) as reviews:
        said = labels_from(reviews.assessments(matter, owner, corpus=corpus.name, is_current=True))
    learned, choice = train(corpus, said, preset(options.preset))
    if choice.strength:
        place.keep(learned, choice, said.cases, options.by)
    of = "" if matter is None else f" --matter {shlex.quote(options.matter)}"
    values = {"id": learned.id if choice.strength else None, **choice_to_json(choice)}
    moved = {"worse": [asdict(one) for one in choice.worse]}
    printed(options, values | moved, _told(f"weights adopt {learned.id}{of}", choice))


def _told(how: str, choice: Choice) -> Iterator[str]:
    yield f"learned from {choice.verdicts:,} judged passages of {choice.questions:,} questions"
    if not choice.strength:
        yield "it makes no question better that it was not learned from: there is nothing to adopt"
        return
    yield f"what counts: {choice.kind}, at a strength of {choice.strength:g}"
    yield "on questions that had no part in it nor in that choice, by the verdicts that were given:"
    yield f"  relevant among the first ten judged {_difference(choice.recall)}"
    yield f"  order of those judged (ndcg)        {_difference(choice.ndcg)}"
    if not choice.ndcg.significant:
        yield "this may be chance: more verdicts tell"
    worse = choice.worse
    yield f"worse for {len(worse):,} of {choice.questions:,} questions{':' if worse else ''}"
    for one in worse[:MOST_SHOWN]:
        yield f"  {one.ndcg:.2f} -> {one.ndcg_then:.2f}  {one.question}"
    yield f"nothing is ranked by it yet: `{how}` does that"


def _difference(one: Difference) -> str:
    return f"{one.theirs:.3f} -> {one.ours:.3f}, {one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})"


def _listed(lines: list[WeightsLine]) -> dict[str, Any]:
    from engine.corpus.judgements import Act, acted

    last = acted(lines)
    kept = [
        {"id": one.id, "when": one.when, "by": one.reviewer, "figures": one.figures}
        for one in lines
        if one.act is Act.KEPT
    ]
    since = {} if last is None else {"by": last.reviewer, "when": last.when}
    return {"adopted": "" if last is None else last.id, **since, "weights": kept}


def _lines(lines: list[WeightsLine], otherwise: str) -> Iterator[str]:
    found = _listed(lines)
    yield f"ranked by: {found['adopted'] or f'the {otherwise}'}"
    for one in found["weights"]:
        figures, by = one["figures"], f" by {one['by']}" if one["by"] else ""
        gain = figures.get("ndcg", {}).get("difference")
        gained = f", ndcg {gain:+.3f}" if gain is not None else ""
        yield f"{one['id']}  {one['when'][:10]}{by}  {figures.get('verdicts', 0):,} verdicts{gained}"
