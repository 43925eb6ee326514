"""Results of questions, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from engine.evaluation.evaluate import score_ranking
from engine.evaluation.metrics import GoldPlace, PoolResult, QuestionResult
from engine.model import Completeness


def result(
    name: str = "q",
    places: Sequence[int | None] = (1,),
    *,
    rounds: Sequence[int | None] | None = None,
    scan: Sequence[int | None] | None = None,
    said: float | None = 0.9,
    sizes: Sequence[int] = (10, 20),
    milliseconds: float = 10.0,
) -> QuestionResult:
    """A question whose gold stands at some places of the final ranking (and, if told, of the scan's)."""
    rounds = [None if place is None else 0 for place in places] if rounds is None else rounds
    scan = places if scan is None else scan
    gold = {
        f"g{number}": GoldPlace(1.0, before, place, when)
        for number, (before, place, when) in enumerate(zip(scan, places, rounds, strict=True))
    }
    held = sum(place is not None for place in places) / len(places)
    judged = dict.fromkeys(gold, 1.0)
    return QuestionResult(
        id=name,
        scan=score_ranking(ranking(scan, sizes[-1]), judged),
        investigation=score_ranking(ranking(places, sizes[-1]), judged),
        pool=PoolResult(held, float(held == 1), sizes[-1], 0.1, 0.2, 0.3),
        milliseconds=milliseconds,
        completeness=None
        if said is None
        else Completeness(said, max(0.0, said - 0.1), min(1.0, said + 0.05)),
        stop="rounds",
        gold=gold,
        sizes=tuple(sizes),
        ranked=sizes[-1],
    )


def ranking(places: Sequence[int | None], length: int) -> list[str]:
    """A ranking of ``length`` with the gold at its places."""
    names = [f"x{place}" for place in range(1, length + 1)]
    for number, place in enumerate(places):
        if place is not None:
            names[place - 1] = f"g{number}"
    return names
