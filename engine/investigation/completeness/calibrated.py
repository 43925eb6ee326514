"""From evidence to the share of the gold that a pool like this one holds, with an interval.

A logistic model (fractional: the target is a share, Papke and Wooldridge, Journal of Applied Econometrics
11, 1996) whose weights may only go the way in which the evidence is meant. Its interval is read off the
questions it was calibrated on: of those with an estimate like this one, eight in ten held a share within it
(quantiles of the outcome by level, as in split conformal prediction). ``engine/evaluation`` fits both.
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
# Share of the questions whose outcome the interval is to hold.
INTERVAL_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Interval:
    """Between which ends the share found lies: ``low`` and ``high`` at each of the estimates ``levels``,
    straight lines between them; shapes (k,), levels rising."""

    levels: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def around(self, estimate: float) -> tuple[float, float]:
        """The ends for an estimate; they always enclose it, in 0..1."""
        low = float(np.interp(estimate, self.levels, self.low))
        high = float(np.interp(estimate, self.levels, self.high))
        return max(0.0, min(low, estimate)), min(1.0, max(high, estimate))


@dataclass(frozen=True, slots=True)
class CalibratedModel:
    """Weights by the names of evidence; ``neutral`` stands in for evidence that could not be had."""

    intercept: float
    weights: Mapping[str, float]
    neutral: Mapping[str, float]
    interval: Interval

    def estimate(self, values: Mapping[str, float]) -> float:
        """The expected share found, 0..1."""
        total = self.intercept + sum(
            weight * values.get(name, self.neutral[name]) for name, weight in self.weights.items()
        )
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def shipped_model() -> CalibratedModel:
    """The model that comes with the engine."""
    return model_from(orjson.loads(FILE.read_bytes()))


def model_from(record: Mapping[str, object]) -> CalibratedModel:
    """A model from its plain values: {"intercept", "weights", "neutral", "interval": [levels, low, high]}.

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
    """A model as plain values, as ``model_from`` reads them."""
    ends = (model.interval.levels, model.interval.low, model.interval.high)
    return {
        "intercept": round(model.intercept, 4),
        "weights": {name: round(value, 4) for name, value in model.weights.items()},
        "neutral": {name: round(value, 4) for name, value in model.neutral.items()},
        "interval": [[round(float(x), 4) for x in row] for row in ends],
    }
