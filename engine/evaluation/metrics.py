"""Measures of retrieval: recall, precision of pools, calibration, curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.evaluation.results import QuestionResult
from engine.model import Direction

# Retrieval metrics of one ranking against one question's gold, as fractions of 1.
#
# Recall and nDCG agree with ranx (see tests/comparison); complete@K, the share of questions with
# all their gold in the top K, is what multi-passage questions need and libraries do not have.


def recall_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold that stands in the top k."""
    return len(set(ranking[:k]) & set(gold)) / len(gold)


def complete_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if all the gold stands in the top k, else 0."""
    return 1.0 if set(gold) <= set(ranking[:k]) else 0.0


def ndcg_at(ranking: Sequence[str], gold: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen 2002)."""
    gained = sum(gold.get(item, 0.0) / math.log2(place + 2) for place, item in enumerate(ranking[:k]))
    ideal = sorted(gold.values(), reverse=True)[:k]
    possible = sum(gain / math.log2(place + 2) for place, gain in enumerate(ideal))
    return gained / possible if possible > 0 else 0.0


# How much of a pool bears on the question: what is gold, and what stands one relation away from
# gold.

# An entity that more passages mention than this links nothing in particular.
RARE_ENTITY = 20


@dataclass(frozen=True, slots=True)
class PoolPrecision:
    """Shares of the pool, 0..1: gold itself; gold or linked to it by what the text states (a reference
    in either direction, the next passage); or also by an entity that at most 20 passages mention."""

    gold: float
    stated: float
    with_entities: float


def pool_precision(corpus: Corpus, rows: Rows, is_gold: Mask, gold_ids: Collection[str]) -> PoolPrecision:
    """Precision of a pool's ``rows``, shape (n,); ``is_gold`` says which of them are gold.

    Gold outside the pool counts for relations, too. An empty pool has a precision of 0.
    """
    if not len(rows):
        return PoolPrecision(0.0, 0.0, 0.0)
    outside = corpus.rows(sorted(gold_ids))
    gold = np.union1d(rows[is_gold], outside[outside >= 0]).astype(np.int32)
    stated = is_gold | np.isin(rows, _stated(corpus, gold))
    shared = corpus.by_entity(gold, RARE_ENTITY).rows if len(gold) else gold
    return PoolPrecision(
        float(is_gold.mean()), float(stated.mean()), float((stated | np.isin(rows, shared)).mean())
    )


def _stated(corpus: Corpus, gold: Rows) -> Rows:
    """Passages that a reference links to gold, either way, and those before and after it."""
    if not len(gold):
        return gold
    linked = [corpus.neighbours(gold, None, direction).rows for direction in Direction]
    beside = np.concatenate([gold - 1, gold + 1])
    owners = np.concatenate([gold, gold])
    inside = (beside >= 0) & (beside < len(corpus))
    beside, owners = beside[inside].astype(np.int32), owners[inside]
    same = corpus.document_numbers(beside) == corpus.document_numbers(owners)
    return np.concatenate([*linked, beside[same]]).astype(np.int32)


# Is the estimate of completeness worth its name: what it said against what the pool held.
#
# The pool's recall of the gold stands for the truth. A reliability table (DeGroot and Fienberg,
# The Statistician 32, 1983) sets the mean of what was said beside the mean of what was so, bin by
# bin.

HIGH, LOW = 0.9, 0.6
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 1.0)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Questions whose estimate is in [low, high): how many, the mean estimate, the mean pool recall."""

    low: float
    high: float
    questions: int
    said: float
    held: float


def reliability(
    results: Sequence[QuestionResult], edges: Sequence[float] = EDGES
) -> tuple[ReliabilityBin, ...]:
    """Bins by estimate, the last one closed at its end; those without a question are left out."""
    said, held = _pairs(results)
    bins = []
    for low, high in itertools.pairwise(edges):
        inside = (said >= low) & ((said < high) if high < edges[-1] else (said <= high))
        if inside.any():
            mean_said, mean_held = float(said[inside].mean()), float(held[inside].mean())
            bins.append(ReliabilityBin(low, high, int(inside.sum()), mean_said, mean_held))
    return tuple(bins)


def calibration(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Figures of the estimate over the questions that have one; empty where none has.

    ``estimate``: its mean. ``error``: expected calibration error, the mean distance of the bins weighted
    by their questions. ``held_when_90``: mean pool recall of the questions it put at 90 % or more,
    ``held_under_60``: of those it put under 60 % (each left out where there is no such question).
    ``in_interval``: share of the questions whose pool recall is inside the stated interval.
    """
    said, held = _pairs(results)
    if not len(said):
        return {}
    stated = [(r.completeness, r.pool.recall) for r in results if r.completeness is not None]
    inside = [complete.low <= recall <= complete.high for complete, recall in stated]
    error = sum(entry.questions * abs(entry.said - entry.held) for entry in reliability(results)) / len(said)
    figures = {
        "estimate": float(said.mean()),
        "error": error,
        "in_interval": float(np.mean(inside)),
        "said_90": float((said >= HIGH).sum()),
        "said_under_60": float((said < LOW).sum()),
    }
    if figures["said_90"]:
        figures["held_when_90"] = float(held[said >= HIGH].mean())
    if figures["said_under_60"]:
        figures["held_under_60"] = float(held[said < LOW].mean())
    if len(said) > 1 and said.std() > 0 and held.std() > 0:
        figures["correlation"] = float(np.corrcoef(said, held)[0, 1])
    return {name: round(value, 4) for name, value in figures.items()}


def _pairs(results: Sequence[QuestionResult]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(r.completeness.estimate, r.pool.recall) for r in results if r.completeness is not None]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


# Curves over the questions of a run, from where each one's gold stood.

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
