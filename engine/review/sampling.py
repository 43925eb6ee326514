"""Which items of cases are judged: the best, the border, what only one thread found, what retrievers disagree
on, and some at random, from which estimates are made; besides what would teach the ranking most (``drawing``
chooses it, over all cases together).

Each item is drawn from the first stratum that has it, and knows the chance that it had. Drawn again with the
same seed, the same items come out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.review.kept import QueuedItem, reviewer_named
from engine.review.model import Item


class Stratum(StrEnum):
    """Where an item is drawn from."""

    BEST = "best of the ranking"
    BORDER = "border of the ranking"
    ALONE = "found by one thread alone"
    DISAGREED = "retrievers disagree"
    RANDOM = "random"
    # The chance of these is not known: they never enter estimates.
    TELLING = "would teach most"


# What is counted of each case.
COUNTS = ("best", "border", "alone", "disagreed", "random", "hops", "sentences", "telling")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many passages of each case are drawn from each stratum, how many hops from its trails, and how many
    sentences of its answer. Of what would teach most so many a case are drawn, from whichever have the most.

    ``reviewers`` judge each, any of them where ``assigned`` names nobody; else so many of those, in turn.
    """

    best: int = 10
    border: int = 5
    alone: int = 3
    disagreed: int = 3
    random: int = 5
    hops: int = 0
    sentences: int = 0
    telling: int = 0
    reviewers: int = 1
    assigned: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        counts = [getattr(self, name) for name in COUNTS]
        if min(counts) < 0 or max(counts) > 2000:
            raise InputError("sampling: numbers of items are 0 to 2,000 a case")
        if not 1 <= self.reviewers <= 20:
            raise InputError("sampling: 1 to 20 reviewers judge an item")
        if self.seed < 0:
            raise InputError("sampling: a seed is at least 0")
        # Nobody is two of those who judge an item.
        once = dict.fromkeys(map(reviewer_named, self.assigned))
        object.__setattr__(self, "assigned", tuple(once))
        if self.assigned and len(self.assigned) < self.reviewers:
            raise InputError(f"sampling: {self.reviewers} reviewers judge each item; name as many at least")


def drawn(
    passages: Sequence[Item],
    hops: Sequence[Item],
    record: Mapping[str, Any],
    sampling: Sampling,
    sentences: Sequence[Item] = (),
) -> list[QueuedItem]:
    """Items of one case to be judged: ``passages``, ``hops`` and ``sentences`` as ``items.py`` makes them of
    its record.

    Passages come by strata in their order, the hops behind them, then the sentences in the order of the
    answer.
    """
    case_id = next((item.case_id for item in (*passages, *hops, *sentences)), "")
    rng = np.random.default_rng([sampling.seed, *case_id.encode()])
    left = {item.key: item for item in passages}
    found: list[QueuedItem] = []
    for stratum, ordered, count in _strata(record, sampling):
        own = ordered(list(left.values()))[:count]
        found += [QueuedItem(left.pop(item.key), stratum.value) for item in own]
    found += _at_random(list(left.values()), sampling.random, rng)
    found += _at_random(hops, sampling.hops, rng)
    order = {item.key: place for place, item in enumerate(sentences)}
    said = _at_random(sentences, sampling.sentences, rng)
    found += sorted(said, key=lambda one: order[one.item.key])
    return [assigned(one, place, sampling) for place, one in enumerate(found)]


def _strata(
    record: Mapping[str, Any], sampling: Sampling
) -> list[tuple[Stratum, Callable[[list[Item]], list[Item]], int]]:
    """The strata that are no matter of chance: which items of those left, in which order, and how many."""
    gate = {node["id"]: node["score"] for node in record["pool"]["nodes"]}
    threads = _threads(record)
    hits = {passage["id"]: passage["hits"] for passage in record["passages"]}
    end = len(record["passages"])

    def best(items: list[Item]) -> list[Item]:
        return [item for item in items if item.rank is not None]

    def border(items: list[Item]) -> list[Item]:
        # What is ranked last, and what stands before all that is not ranked.
        below = sorted((item for item in items if item.rank is None), key=lambda one: -gate[one.passage_id])
        place = {item.key: end + number for number, item in enumerate(below, 1)}
        middle = end + 0.5
        return sorted(items, key=lambda one: abs((one.rank or place[one.key]) - middle))

    def alone(items: list[Item]) -> list[Item]:
        own = [item for item in items if len(threads.get(item.passage_id, ())) == 1]
        return sorted(own, key=lambda one: (one.rank or math.inf, -gate.get(one.passage_id, 0.0)))

    def disagreed(items: list[Item]) -> list[Item]:
        spread = {item.key: _spread(hits.get(item.passage_id, ())) for item in items}
        return sorted((item for item in items if spread[item.key] > 0), key=lambda one: -spread[one.key])

    return [
        (Stratum.BEST, best, sampling.best),
        (Stratum.BORDER, border, sampling.border),
        (Stratum.ALONE, alone, sampling.alone),
        (Stratum.DISAGREED, disagreed, sampling.disagreed),
    ]


def _threads(record: Mapping[str, Any]) -> dict[str, set[str]]:
    """The strategies that led to each passage of a pool."""
    found: dict[str, set[str]] = {}
    for edge in record["pool"]["edges"]:
        found.setdefault(edge["target"], set()).add(edge["strategy"])
    return found


def _spread(hits: Sequence[Mapping[str, Any]]) -> float:
    """How far the ranks are apart that retrievers give a passage, as a logarithm; 0 for one retriever."""
    best: dict[str, int] = {}
    for hit in hits:
        best[hit["retriever"]] = min(hit["rank"], best.get(hit["retriever"], hit["rank"]))
    return math.log(max(best.values()) / min(best.values())) if len(best) > 1 else 0.0


def _at_random(items: Sequence[Item], count: int, rng: np.random.Generator) -> list[QueuedItem]:
    if not items or not count:
        return []
    count = min(count, len(items))
    places = rng.choice(len(items), count, replace=False).tolist()
    return [QueuedItem(items[place], Stratum.RANDOM.value, count / len(items)) for place in places]


def assigned(one: QueuedItem, place: int, sampling: Sampling) -> QueuedItem:
    """The item with its reviewers: those who are named take turns."""
    names = sampling.assigned
    chosen = tuple(names[(place + turn) % len(names)] for turn in range(sampling.reviewers)) if names else ()
    return QueuedItem(one.item, one.stratum, one.chance, chosen, sampling.reviewers)
