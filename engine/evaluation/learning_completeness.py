"""Learn the estimate of completeness from gold questions: a fractional logistic regression with signed
weights.

The target is the share of a question's gold in the pool; the sign of each weight is given by the meaning of
its evidence. The interval comes from held-out folds, so that it is not too narrow. Minimised by L-BFGS-B.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from engine.investigation.completeness.calibrated import INTERVAL_SHARE, CalibratedModel, Interval

RIDGE = 0.002
ITERATIONS = 300
FOLDS = 5
# The interval is estimated at about this many levels of the estimate, each with at least FEWEST questions.
LEVELS, FEWEST = 8, 40

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observation:
    """One state of one case: its evidence by name, and the share of the gold in its pool (``held``).

    ``group`` names the set; all states of a ``question`` are in one fold.
    """

    group: str
    question: str
    values: Mapping[str, float]
    held: float


def learn_completeness(observations: Sequence[Observation], signs: Mapping[str, int]) -> CalibratedModel:
    """Fit a model to observations. Sets weigh by the square root of their size.

    ``signs`` gives the sign of each weight by evidence name: +1, -1, or 0 for either. Missing evidence is
    replaced by its mean over the other observations. Raises ValueError without observations.
    """
    if not observations:
        raise ValueError("no observations to learn from")
    names = tuple(signs)
    table = np.array([[one.values.get(name, np.nan) for name in names] for one in observations], np.float64)
    weight = shares_by_group([one.group for one in observations])
    neutral = _neutral(table, weight)
    table = np.where(np.isnan(table), neutral, table)
    held = np.array([one.held for one in observations], np.float64)
    bounds = [(None, None), *(_BOUNDS[sign] for sign in signs.values())]
    folds = np.array([get_fold(one.question) for one in observations])
    predicted = np.zeros(len(held))
    for fold in range(FOLDS):
        away, here = folds != fold, folds == fold
        if here.any() and away.any():
            predicted[here] = _predicted(table[here], _fit(table[away], held[away], weight[away], bounds))
    interval = fit_interval(predicted, held, weight)
    found = _fit(table, held, weight, bounds)
    weights = {name: float(value) for name, value in zip(names, found[1:], strict=True) if abs(value) > 1e-4}
    means = {name: float(value) for name, value in zip(names, neutral, strict=True) if name in weights}
    return CalibratedModel(float(found[0]), weights, means, interval)


_BOUNDS: Mapping[int, tuple[float | None, float | None]] = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}


def shares_by_group(groups: Sequence[str]) -> Floats:
    """Return the weight of each observation, shape (n,): a set's total is the square root of its size; sum
    1."""
    counts = Counter(groups)
    weight = np.array([counts[group] ** -0.5 for group in groups], np.float64)
    return np.asarray(weight / weight.sum(), np.float64)


def get_fold(question: str, folds: int = FOLDS) -> int:
    """Return the fold of a question, by a hash of its words."""
    return int.from_bytes(blake2b(question.encode(), digest_size=4).digest(), "big") % folds


def fit_interval(estimates: Floats, held: Floats, weight: Floats, share: float = INTERVAL_SHARE) -> Interval:
    """Return bounds that contain ``share`` of the outcomes at each level of the estimate; shapes (n,)."""
    order = np.argsort(estimates, kind="stable")
    count = max(1, min(LEVELS, len(estimates) // FEWEST))
    levels, low, high = [], [], []
    for part in np.array_split(order, count):
        levels.append(float(np.average(estimates[part], weights=weight[part])))
        below, above = _quantiles(held[part], weight[part], ((1 - share) / 2, (1 + share) / 2))
        low.append(below)
        high.append(above)
    # A higher estimate never has lower bounds.
    return Interval(np.array(levels), np.maximum.accumulate(low), np.maximum.accumulate(high))


def _quantiles(values: Floats, weight: Floats, at: Sequence[float]) -> list[float]:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) / weight[order].sum()
    places = np.minimum(np.searchsorted(reached, at, side="left"), len(values) - 1)
    return [float(value) for value in values[order][places]]


def _neutral(table: Floats, weight: Floats) -> Floats:
    """Return the weighted mean of the present values of each column; 0 for an empty column."""
    present = ~np.isnan(table)
    total = (weight[:, None] * present).sum(axis=0)
    summed = (weight[:, None] * np.where(present, table, 0.0)).sum(axis=0)
    return np.asarray(np.divide(summed, total, out=np.zeros_like(summed), where=total > 0), np.float64)


def _predicted(table: Floats, parameters: Floats) -> Floats:
    total = np.clip(parameters[0] + table @ parameters[1:], -30.0, 30.0)
    return np.asarray(1.0 / (1.0 + np.exp(-total)), np.float64)


def _fit(
    table: Floats, held: Floats, weight: Floats, bounds: Sequence[tuple[float | None, float | None]]
) -> Floats:
    """Return intercept and weights, shape (1 + columns,)."""
    weight = weight / weight.sum()
    spread = table.std(axis=0) + 1e-3
    scaled = table / spread

    def loss(parameters: Floats) -> tuple[float, Floats]:
        predicted = _predicted(scaled, parameters)
        cross = held * np.log(predicted + 1e-12) + (1 - held) * np.log(1 - predicted + 1e-12)
        slope = weight * (predicted - held)
        penalty = 2 * RIDGE * np.concatenate([[0.0], parameters[1:]])
        gradient = np.concatenate([[slope.sum()], scaled.T @ slope]) + penalty
        return -float(weight @ cross) + RIDGE * float(parameters[1:] @ parameters[1:]), gradient

    found = minimize(
        loss, np.zeros(table.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": ITERATIONS},
    )  # fmt: skip
    return np.asarray(np.concatenate([found.x[:1], found.x[1:] / spread]), np.float64)
