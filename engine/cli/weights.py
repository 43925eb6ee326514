"""The command ``weights``: what verdicts teach the ranking of a corpus, shown before it is adopted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.cli.case_store import matter_named, printed
from engine.cli.settings import add_corpus
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.evaluation.significance import Difference
    from engine.review.learning.choosing import Choice

ACTS = ("learn", "list", "adopt", "ship")
# Questions that a ranking would get worse for are shown, at most.
MOST_SHOWN = 5


def add_weights_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "weights", help="learn from experts' verdicts how a corpus is ranked; adopt it, or go back"
    )
    command.add_argument("act", choices=ACTS, metavar="ACT", help="learn, list, adopt or ship")
    command.add_argument("id", nargs="?", default="", metavar="ID", help="adopt: which weights")
    add_corpus(command)
    command.add_argument("--matter", metavar="NAME", help="learn: from the cases of this matter alone")
    command.add_argument("--preset", default="balanced", metavar="P", help="learn: as questions are asked")
    command.add_argument("--by", default="", metavar="NAME", help="who does it")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=weights)


def weights(options: argparse.Namespace) -> None:
    """Learn, list, adopt or go back."""
    from engine.corpus import open_corpus
    from engine.investigation.weights import adopt_weights, ship_weights

    corpus = open_corpus(options.corpus)
    if options.act == "learn":
        _learn(options, corpus)
        return
    if options.act == "adopt":
        adopt_weights(corpus, options.id, reviewer=options.by)
    elif options.act == "ship":
        ship_weights(corpus, reviewer=options.by)
    printed(options, _listed(corpus), _lines(corpus))


def _learn(options: argparse.Namespace, corpus: Corpus) -> None:
    from engine.cli.case_store import open_store
    from engine.investigation.weights import keep_weights
    from engine.operator_settings import operator_settings
    from engine.records.store import EVERYBODY
    from engine.records.store.sealing import new_id
    from engine.review.learning.choosing import learned_from
    from engine.review.learning.observing import labels_of, observed
    from engine.review.store import ReviewStore
    from engine.settings import preset

    matter = None
    if options.matter:
        with closing(open_store()) as store:
            matter = matter_named(store, options.matter)
    with closing(ReviewStore(operator_settings().cases_address)) as reviews:
        said = reviews.assessments(matter, EVERYBODY if matter is not None else "", stands=True)
    labels = labels_of(said)
    if not labels:
        raise InputError("nobody has judged a passage yet: `review queue` makes something to judge")
    seen = list(observed(corpus, labels, preset(options.preset)))
    learned, choice = learned_from(seen, corpus, new_id())
    figures = figures_of(choice)
    keep_weights(corpus, learned, figures, reviewer=options.by)
    printed(options, {"id": learned.id, **figures}, _told(learned.id, choice))


def figures_of(choice: Choice) -> dict[str, Any]:
    """What learned weights are shown with, as plain values."""
    return {
        "kind": choice.kind,
        "strength": choice.strength,
        "questions": choice.questions,
        "verdicts": choice.verdicts,
        "recall": asdict(choice.recall),
        "ndcg": asdict(choice.ndcg),
        "worse": [asdict(one) for one in choice.worse],
    }


def _told(weights_id: str, choice: Choice) -> Iterator[str]:
    yield f"learned from {choice.verdicts:,} judged passages of {choice.questions:,} questions"
    if not choice.strength:
        yield "it makes no question better that it was not learned from: there is nothing to adopt"
        return
    yield f"what counts: {choice.kind}, at a strength of {choice.strength:g}"
    yield "on questions that it was not learned from, by the verdicts that were given:"
    yield f"  relevant among the first ten judged {_difference(choice.recall)}"
    yield f"  order of those judged (ndcg)        {_difference(choice.ndcg)}"
    yield "what counts was chosen on the same questions, which flatters these figures a little"
    if not choice.ndcg.significant:
        yield "this may be chance: more verdicts tell"
    worse = choice.worse
    yield f"worse for {len(worse):,} of {choice.questions:,} questions{':' if worse else ''}"
    for one in worse[:MOST_SHOWN]:
        yield f"  {one.ndcg:.2f} -> {one.ndcg_then:.2f}  {one.question}"
    yield f"nothing is ranked by it yet: `weights adopt {weights_id}` does that"


def _difference(one: Difference) -> str:
    return f"{one.theirs:.3f} -> {one.ours:.3f}, {one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})"


def _listed(corpus: Corpus) -> dict[str, Any]:
    from engine.corpus.learned_weights import Act, load_weights
    from engine.investigation.weights import adopted_weights

    lines = [] if corpus.journals is None else load_weights(corpus.journals)
    kept = [
        {"id": one.id, "when": one.when, "by": one.reviewer, "figures": one.figures}
        for one in lines
        if one.act is Act.KEPT
    ]
    return {"adopted": adopted_weights(corpus), "weights": kept}


def _lines(corpus: Corpus) -> Iterator[str]:
    found = _listed(corpus)
    yield f"ranked by: {found['adopted'] or 'the shipped weights'}"
    for one in found["weights"]:
        figures, by = one["figures"], f" by {one['by']}" if one["by"] else ""
        gain = figures.get("ndcg", {}).get("difference")
        gained = f", ndcg {gain:+.3f}" if gain is not None else ""
        yield f"{one['id']}  {one['when'][:10]}{by}  {figures.get('verdicts', 0):,} verdicts{gained}"
