"""Measures of retrieval: recall, precision of pools, calibration, curves.

Recall and nDCG agree with ranx (tests/comparison). complete@k, the share of questions with all their gold in
the top k, is what multi-passage questions need and libraries lack.
"""

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

# Metrics of one ranking against one question's gold, as fractions of 1.


def recall_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of the gold in the top k."""
    return len(set(ranking[:k]) & set(gold)) / len(gold)


def complete_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if all the gold is in the top k, else 0."""
    return 1.0 if set(gold) <= set(ranking[:k]) else 0.0


def ndcg_at(ranking: Sequence[str], gold: Mapping[str, float], k: int) -> float:
    """Return normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen 2002)."""
    gained = sum(gold.get(item, 0.0) / math.log2(rank + 2) for rank, item in enumerate(ranking[:k]))
    ideal = sorted(gold.values(), reverse=True)[:k]
    possible = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(ideal))
    return gained / possible if possible > 0 else 0.0


# An entity with more passages than this does not count as a link.
RARE_ENTITY = 20


@dataclass(frozen=True, slots=True)
class PoolPrecision:
    """Shares of the pool, 0..1: gold; gold or linked to it by the text (a reference in either direction, the
    next or previous passage); or also by an entity that at most 20 passages mention."""

    gold: float
    stated: float
    with_entities: float


def pool_precision(corpus: Corpus, rows: Rows, is_gold: Mask, gold_ids: Collection[str]) -> PoolPrecision:
    """Return the precision of a pool's ``rows``, shape (n,); ``is_gold`` marks the gold ones.

    Relations to gold outside the pool count too. An empty pool has precision 0.
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
    """Return the passages that a reference links to gold, in either direction, and its neighbours."""
    if not len(gold):
        return gold
    linked = [corpus.neighbours(gold, None, direction).rows for direction in Direction]
    next_to = np.concatenate([gold - 1, gold + 1])
    owners = np.concatenate([gold, gold])
    inside = (next_to >= 0) & (next_to < len(corpus))
    next_to, owners = next_to[inside].astype(np.int32), owners[inside]
    same = corpus.document_numbers(next_to) == corpus.document_numbers(owners)
    return np.concatenate([*linked, next_to[same]]).astype(np.int32)


# Calibration of the estimate of completeness against the pool's recall of the gold. A reliability table
# (DeGroot and Fienberg, The Statistician 32, 1983) compares the mean estimate and the mean recall in each
# bin.
HIGH, LOW = 0.9, 0.6
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 1.0)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Questions with an estimate in [low, high): their number, mean estimate and mean pool recall."""

    low: float
    high: float
    questions: int
    estimate: float
    recall: float


def reliability(
    results: Sequence[QuestionResult], edges: Sequence[float] = EDGES
) -> tuple[ReliabilityBin, ...]:
    """Return the bins by estimate (the last one closed), without empty ones."""
    estimates, recalls = _pairs(results)
    bins = []
    for low, high in itertools.pairwise(edges):
        inside = (estimates >= low) & ((estimates < high) if high < edges[-1] else (estimates <= high))
        if inside.any():
            mean_estimate, mean_recall = float(estimates[inside].mean()), float(recalls[inside].mean())
            bins.append(ReliabilityBin(low, high, int(inside.sum()), mean_estimate, mean_recall))
    return tuple(bins)


def calibration(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Return figures of the estimate over the questions that have one; empty if none has.

    ``estimate`` is its mean. ``error`` is the expected calibration error: the mean distance of the bins
    weighted by their questions. ``held_when_90`` is the mean pool recall of questions with an estimate of at
    least 90%, ``held_under_60`` of those under 60% (each omitted without such questions). ``in_interval`` is
    the share of questions whose pool recall is inside the interval.
    """
    estimates, recalls = _pairs(results)
    if not len(estimates):
        return {}
    stated = [(r.completeness, r.pool.recall) for r in results if r.completeness is not None]
    inside = [complete.low <= recall <= complete.high for complete, recall in stated]
    error = sum(entry.questions * abs(entry.estimate - entry.recall) for entry in reliability(results)) / len(
        estimates
    )
    figures = {
        "estimate": float(estimates.mean()),
        "error": error,
        "in_interval": float(np.mean(inside)),
        "said_90": float((estimates >= HIGH).sum()),
        "said_under_60": float((estimates < LOW).sum()),
    }
    if figures["said_90"]:
        figures["held_when_90"] = float(recalls[estimates >= HIGH].mean())
    if figures["said_under_60"]:
        figures["held_under_60"] = float(recalls[estimates < LOW].mean())
    if len(estimates) > 1 and estimates.std() > 0 and recalls.std() > 0:
        figures["correlation"] = float(np.corrcoef(estimates, recalls)[0, 1])
    return {name: round(value, 4) for name, value in figures.items()}


def _pairs(results: Sequence[QuestionResult]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(r.completeness.estimate, r.pool.recall) for r in results if r.completeness is not None]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


# Curves over the questions of a run, from the ranks of their gold.

Ranking = Literal["scan", "final"]
LEVELS = tuple(level / 10 for level in range(11))
# Ranks at which recall is reported, in growing steps.
_STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000)


@dataclass(frozen=True, slots=True)
class Round:
    """State after a round (0: the scan): mean recall of the pool, share of complete pools, mean size."""

    number: int
    recall: float
    complete: float
    size: float


def recall_by_size(results: Sequence[QuestionResult], ranking: Ranking) -> list[tuple[int, float]]:
    """Return the mean recall of the best n passages for growing n; the final ranking is the whole pool."""
    largest = max((result.ranked for result in results), default=0)
    sizes = [*(step for step in _STEPS if step < largest), largest] if largest else []
    ranks = [_places(result, ranking) for result in results]
    return [(size, float(np.mean([_share_within(one, size) for one in ranks]))) for size in sizes]


def _share_within(ranks: Sequence[int | None], size: int) -> float:
    return sum(rank is not None and rank <= size for rank in ranks) / len(ranks)


def recall_by_round(results: Sequence[QuestionResult]) -> list[Round]:
    """Return the recall of the pool after each round. A question that stopped early keeps its last state."""
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
    """Return interpolated precision at eleven levels of recall, averaged over the questions.

    The precision at a level is the best at any recall from there on; 0 if the level is not reached (Manning,
    Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4).
    """
    tables = [_interpolated(_places(result, ranking)) for result in results]
    means = np.mean(tables, axis=0) if tables else np.zeros(len(LEVELS))
    return list(zip(LEVELS, means.tolist(), strict=True))


def _interpolated(ranks: Sequence[int | None]) -> list[float]:
    found = sorted(rank for rank in ranks if rank is not None)
    points = [(count / len(ranks), count / rank) for count, rank in enumerate(found, 1)]
    # Recall is a quotient: 3/10 must reach level 0.3.
    return [
        max((precision for recall, precision in points if recall >= level - 1e-9), default=0.0)
        for level in LEVELS
    ]


def _places(result: QuestionResult, ranking: Ranking) -> list[int | None]:
    return [gold.scan if ranking == "scan" else gold.final for gold in result.gold.values()]
