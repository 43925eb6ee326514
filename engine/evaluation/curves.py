"""Curves over the questions of a run, from where each one's gold stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.evaluation.results import QuestionResult

Ranking = Literal["scan", "final"]
LEVELS = tuple(level / 10 for level in range(11))
# Places at which recall is told: every one at first, then in steps that grow.
_STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000)


@dataclass(frozen=True, slots=True)
class Round:
    """State after a round (0: the scan): mean recall of the pool, mean share of complete pools, mean size."""

    number: int
    recall: float
    complete: float
    size: float


def recall_by_size(results: Sequence[QuestionResult], ranking: Ranking) -> list[tuple[int, float]]:
    """Mean recall of the best n passages for growing n; the final ranking holds the whole pool."""
    largest = max((result.ranked for result in results), default=0)
    sizes = [*(step for step in _STEPS if step < largest), largest] if largest else []
    places = [_places(result, ranking) for result in results]
    return [(size, float(np.mean([_share_within(one, size) for one in places]))) for size in sizes]


def _share_within(places: Sequence[int | None], size: int) -> float:
    return sum(place is not None and place <= size for place in places) / len(places)


def recall_by_round(results: Sequence[QuestionResult]) -> list[Round]:
    """Recall of the pool after each round. A question that stopped early keeps its last state."""
    last = max((len(result.sizes) for result in results), default=0)
    rounds = []
    for number in range(last):
        found = [
            [gold.round is not None and gold.round <= number for gold in result.gold.values()]
            for result in results
        ]
        sizes = [result.sizes[min(number, len(result.sizes) - 1)] for result in results if result.sizes]
        recall, complete = np.mean([np.mean(one) for one in found]), np.mean([all(one) for one in found])
        rounds.append(Round(number, float(recall), float(complete), float(np.mean(sizes))))
    return rounds


def precision_recall(results: Sequence[QuestionResult], ranking: Ranking) -> list[tuple[float, float]]:
    """Interpolated precision at eleven levels of recall, averaged over the questions.

    At a level the precision is the best at any recall from there on; 0 where a level is not reached
    (Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4).
    """
    tables = [_interpolated(_places(result, ranking)) for result in results]
    means = np.mean(tables, axis=0) if tables else np.zeros(len(LEVELS))
    return list(zip(LEVELS, means.tolist(), strict=True))


def _interpolated(places: Sequence[int | None]) -> list[float]:
    found = sorted(place for place in places if place is not None)
    points = [(count / len(places), count / place) for count, place in enumerate(found, 1)]
    # Recall is a quotient: 3/10 must reach the level 0.3.
    return [
        max((precision for recall, precision in points if recall >= level - 1e-9), default=0.0)
        for level in LEVELS
    ]


def _places(result: QuestionResult, ranking: Ranking) -> list[int | None]:
    return [gold.scan if ranking == "scan" else gold.final for gold in result.gold.values()]
