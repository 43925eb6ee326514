"""Strata from which items of cases are drawn: the best, the border of the ranking, passages of one strategy
only, passages on which retrievers disagree, and random ones, which estimates need; and the most informative
ones (``drawing`` chooses these over all cases).

Each item is drawn from the first stratum that has it, with a known chance. The same seed draws the same
items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.review.model import Item
from engine.review.queues import QueuedItem, check_reviewer


class Stratum(StrEnum):
    """Origin of a drawn item."""

    BEST = "best of the ranking"
    BORDER = "border of the ranking"
    ALONE = "found by one thread alone"
    DISAGREED = "retrievers disagree"
    RANDOM = "random"
    # Their chance is unknown: they never enter estimates.
    TELLING = "would teach most"


# Fields of ``Sampling`` that count items of a case.
COUNTS = ("best", "border", "alone", "disagreed", "random", "hops", "sentences", "telling")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many passages of each case are drawn from each stratum, how many hops and sentences. ``telling`` is
    the number of most informative passages a case, chosen over all cases.

    ``reviewers`` judge each item: anyone if ``assigned`` is empty, otherwise this many of them, in turn.
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
        # No person counts twice for an item.
        once = dict.fromkeys(map(check_reviewer, self.assigned))
        object.__setattr__(self, "assigned", tuple(once))
        if self.assigned and len(self.assigned) < self.reviewers:
            raise InputError(f"sampling: {self.reviewers} reviewers judge each item; name at least as many")


def draw(
    passages: Sequence[Item],
    hops: Sequence[Item],
    record: Mapping[str, Any],
    sampling: Sampling,
    sentences: Sequence[Item] = (),
) -> list[QueuedItem]:
    """Draw items of one case: from its ``passages``, ``hops`` and ``sentences``, as ``items.py`` makes them.

    Passages come by strata in their order, then the hops, then the sentences in the order of the answer.
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
    chosen = _at_random(sentences, sampling.sentences, rng)
    found += sorted(chosen, key=lambda one: order[one.item.key])
    return [assigned(one, place, sampling) for place, one in enumerate(found)]


def _strata(
    record: Mapping[str, Any], sampling: Sampling
) -> list[tuple[Stratum, Callable[[list[Item]], list[Item]], int]]:
    """Return the deterministic strata: each with a function that orders items, and a count."""
    gate = {node["id"]: node["score"] for node in record["pool"]["nodes"]}
    strategies = _threads(record)
    hits = {passage["id"]: passage["hits"] for passage in record["passages"]}
    end = len(record["passages"])

    def best(items: list[Item]) -> list[Item]:
        return [item for item in items if item.rank is not None]

    def border(items: list[Item]) -> list[Item]:
        # The last ranked ones, and the best of those not ranked.
        below = sorted((item for item in items if item.rank is None), key=lambda one: -gate[one.passage_id])
        rank_below = {item.key: end + number for number, item in enumerate(below, 1)}
        middle = end + 0.5
        return sorted(items, key=lambda one: abs((one.rank or rank_below[one.key]) - middle))

    def alone(items: list[Item]) -> list[Item]:
        own = [item for item in items if len(strategies.get(item.passage_id, ())) == 1]
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
    """Return the strategies that led to each passage of a pool."""
    found: dict[str, set[str]] = {}
    for edge in record["pool"]["edges"]:
        found.setdefault(edge["target"], set()).add(edge["strategy"])
    return found


def _spread(hits: Sequence[Mapping[str, Any]]) -> float:
    """Return how far apart retrievers rank a passage, as a logarithm; 0 for one retriever."""
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
    """Assign reviewers to an item; named reviewers take turns."""
    names = sampling.assigned
    chosen = tuple(names[(place + turn) % len(names)] for turn in range(sampling.reviewers)) if names else ()
    return QueuedItem(one.item, one.stratum, one.chance, chosen, sampling.reviewers)
