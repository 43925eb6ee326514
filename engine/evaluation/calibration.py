"""Is the estimate of completeness worth its name: what it said against what the pool held.

The pool's recall of the gold stands for the truth. A reliability table (DeGroot and Fienberg, The
Statistician 32, 1983) sets the mean of what was said beside the mean of what was so, bin by bin.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.evaluation.results import QuestionResult

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
