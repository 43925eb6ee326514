"""The calibrated model: from evidence to the share of the gold passages that a pool has, with an interval.

It is a fractional logistic model (Papke and Wooldridge, Journal of Applied Econometrics 11, 1996), with a
fixed sign for each weight. The interval comes from the questions that it was calibrated on: of those with a
similar estimate, the share was in it for eight in ten (quantiles of the outcome by level, as in split
conformal prediction). ``engine/evaluation`` fits both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

FILE = Path(__file__).with_name("weights.json")
# Share of the questions whose outcome is in the interval.
INTERVAL_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Interval:
    """The interval of the share found: ``low`` and ``high`` at the estimates ``levels``, shapes (k,).

    Levels are ascending; values between them are interpolated.
    """

    levels: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def around(self, estimate: float) -> tuple[float, float]:
        """Return the ends of the interval for an estimate, which they enclose, in 0..1."""
        low = float(np.interp(estimate, self.levels, self.low))
        high = float(np.interp(estimate, self.levels, self.high))
        return max(0.0, min(low, estimate)), min(1.0, max(high, estimate))


@dataclass(frozen=True, slots=True)
class CalibratedModel:
    """Weights by the names of evidence; ``neutral`` values replace missing evidence."""

    intercept: float
    weights: Mapping[str, float]
    neutral: Mapping[str, float]
    interval: Interval

    def estimate(self, values: Mapping[str, float]) -> float:
        """Return the expected share found, 0..1."""
        total = self.intercept + sum(
            weight * values.get(name, self.neutral[name]) for name, weight in self.weights.items()
        )
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def shipped_model() -> CalibratedModel:
    """Return the model that comes with the engine."""
    return model_from(orjson.loads(FILE.read_bytes()))


def model_from(record: Mapping[str, object]) -> CalibratedModel:
    """Make a model from plain values: {"intercept", "weights", "neutral", "interval": [levels, low, high]}.

    Raises ValueError for a weight without its neutral value.
    """
    intercept, weights, neutral = record["intercept"], record["weights"], record["neutral"]
    interval = np.array(record["interval"], np.float64)
    assert isinstance(intercept, int | float)
    assert isinstance(weights, Mapping)
    assert isinstance(neutral, Mapping)
    if weights.keys() - neutral.keys():
        raise ValueError(f"no neutral value for {', '.join(sorted(weights.keys() - neutral.keys()))}")
    return CalibratedModel(
        float(intercept),
        {str(name): float(value) for name, value in weights.items()},
        {str(name): float(value) for name, value in neutral.items()},
        Interval(interval[0], interval[1], interval[2]),
    )


def record_of(model: CalibratedModel) -> dict[str, object]:
    """Return a model as plain values, which ``model_from`` reads."""
    ends = (model.interval.levels, model.interval.low, model.interval.high)
    return {
        "intercept": round(model.intercept, 4),
        "weights": {name: round(value, 4) for name, value in model.weights.items()},
        "neutral": {name: round(value, 4) for name, value in model.neutral.items()},
        "interval": [[round(float(x), 4) for x in row] for row in ends],
    }
