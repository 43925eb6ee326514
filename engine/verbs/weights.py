"""The verb ``weights``: learn from verdicts how cases are ranked, compare, adopt, go back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from engine.verbs.cases import find_matter
from engine.verbs.requests import Request, argument, corpus_option, option
from engine.verbs.verb import Caller, Response, verb

if TYPE_CHECKING:
    from engine.corpus.judgements import WeightsLine
    from engine.corpus.protocol import Corpus
    from engine.evaluation.compare import Difference
    from engine.records.store.database import Matter
    from engine.review.training import Choice, WeightStore

# Questions that a ranking would get worse for are shown, at most.
MOST_SHOWN = 5


class WeightsOptions(Request):
    """Options of ``weights``."""

    act: Literal["learn", "list", "adopt", "ship", "delete"] = argument(
        ..., "learn, list, adopt, ship or delete", "ACT"
    )
    id: str = argument("", "adopt, delete: id of the weights", "ID")
    corpus: str = corpus_option()
    matter: str | None = option(
        None,
        "those of this matter, for its cases alone (default: those of the corpus, for all its cases)",
        "NAME",
    )
    preset: str = option("balanced", "learn: as questions are asked", "P")
    by: str = option("", "the person who does it", "NAME")


@verb("weights", WeightsOptions, changes=True)
def change_weights(caller: Caller, request: WeightsOptions) -> Response:
    """Learn from experts' verdicts how cases are ranked; adopt it, or go back."""
    from engine.operator_settings import operator_settings
    from engine.records.store.matter_weights import MatterWeights
    from engine.review.training import CorpusWeightStore, MatterWeightStore

    corpus = caller.corpus(request.corpus)
    if request.matter is None:
        return _act(caller, request, corpus, CorpusWeightStore(corpus), None)
    matter = find_matter(caller, request.matter)
    with closing(MatterWeights(operator_settings().cases_address)) as kept:
        return _act(caller, request, corpus, MatterWeightStore(kept, matter, corpus.name), matter)


def _act(
    caller: Caller, request: WeightsOptions, corpus: Corpus, place: WeightStore, matter: Matter | None
) -> Response:
    if request.act == "learn":
        return _learn(caller, request, corpus, place, matter)
    if request.act == "adopt":
        place.adopt(request.id, request.by)
    elif request.act == "ship":
        place.ship(request.by)
    elif request.act == "delete":
        place.delete(request.id)
    lines = place.lines()
    otherwise = "shipped weights" if matter is None else "corpus's own"
    return Response(_values(lines), list(_lines(lines, otherwise)))


def _learn(
    caller: Caller, request: WeightsOptions, corpus: Corpus, place: WeightStore, matter: Matter | None
) -> Response:
    from engine.review.training import choice_to_json, labels_from, train
    from engine.settings import preset

    place.check_room()
    owner = "" if matter is None else caller.owner
    verdicts = labels_from(caller.reviews().assessments(matter, owner, corpus=corpus.name, is_current=True))
    learned, choice = train(corpus, verdicts, preset(request.preset))
    if choice.strength:
        place.keep(learned, choice, verdicts.cases, request.by)
    scope = "" if request.matter is None else f" --matter {shlex.quote(request.matter)}"
    values = {"id": learned.id if choice.strength else None, **choice_to_json(choice)}
    worse = {"worse": [asdict(one) for one in choice.worse]}
    return Response(values | worse, _choice_lines(f"weights adopt {learned.id}{scope}", choice))


def _choice_lines(how: str, choice: Choice) -> Iterator[str]:
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


def _values(lines: list[WeightsLine]) -> dict[str, Any]:
    from engine.corpus.judgements import Act, latest_act

    last = latest_act(lines)
    kept = [
        {"id": one.id, "when": one.when, "by": one.reviewer, "figures": one.figures}
        for one in lines
        if one.act is Act.KEPT
    ]
    since = {} if last is None else {"by": last.reviewer, "when": last.when}
    return {"adopted": "" if last is None else last.id, **since, "weights": kept}


def _lines(lines: list[WeightsLine], otherwise: str) -> Iterator[str]:
    found = _values(lines)
    yield f"ranked by: {found['adopted'] or f'the {otherwise}'}"
    for one in found["weights"]:
        figures, by = one["figures"], f" by {one['by']}" if one["by"] else ""
        gain = figures.get("ndcg", {}).get("difference")
        gained = f", ndcg {gain:+.3f}" if gain is not None else ""
        yield f"{one['id']}  {one['when'][:10]}{by}  {figures.get('verdicts', 0):,} verdicts{gained}"
