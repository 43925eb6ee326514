"""Learn the ranking's weights from gold questions: a listwise loss over monotone shapes.

A softmax weighs each gold passage of a question against all other passages (the list likelihood of Xia et
al., ICML 2008, for one rank at a time). A feature's contribution may not fall with its value, except for a
few free features, so that every addend of a score can be explained. Minimised by L-BFGS-B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from engine.investigation.ranking.additive import AdditiveModel, Shape

# Features of the kind of passage, not of its fit to the question: they may count for or against.
FREE = frozenset(("heading", "document", "latest", "authority"))
KNOTS = 4
RIDGE = 1e-4
ITERATIONS = 400

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """One question: features of its pool, shape (features, n), and which passages are gold, shape (n,).

    ``group`` names its set; ``group_weights`` distributes weight over the sets.
    """

    group: str
    values: Floats
    gold: NDArray[np.bool_]


def make_knots(values: Floats, count: int = KNOTS) -> Floats:
    """Return knots of a feature: minimum, quantiles of non-zero values, maximum; at least two if it
    varies."""
    nonzero = values[values != 0]
    inner = np.quantile(nonzero, np.linspace(0, 1, count)) if len(nonzero) else np.empty(0)
    every = np.concatenate([[values.min()], inner, [values.max()]]).round(4)
    return np.unique(every).astype(np.float32)


def ramps(values: Floats, knots: Sequence[Floats]) -> Floats:
    """Return each feature as ramps from 0 to 1 between its knots: shape (n, ramps) from (features, n)."""
    columns = [
        np.clip((row - low) / (high - low), 0.0, 1.0)
        for row, own in zip(values, knots, strict=True)
        for low, high in pairwise(own.tolist())
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def learn(
    names: Sequence[str], examples: Sequence[Example], group_weights: Mapping[str, float]
) -> AdditiveModel:
    """Fit a model that ranks gold first. Examples without gold in their pool are ignored.

    Raises ValueError if no example has gold.
    """
    usable = [one for one in examples if one.gold.any() and not one.gold.all()]
    if not usable:
        raise ValueError("no question has gold in its pool")
    sizes = np.array([len(one.gold) for one in usable])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    values = np.concatenate([one.values for one in usable], axis=1)
    knots = [make_knots(row) for row in values]
    table = ramps(values, knots)
    spread = table.std(axis=0) + 1e-3
    table /= spread
    gold = np.concatenate([one.gold for one in usable]).astype(np.float32)
    counts: dict[str, int] = {}
    for one in usable:
        counts[one.group] = counts.get(one.group, 0) + 1
    weight = np.array([group_weights[one.group] / counts[one.group] for one in usable], np.float32)
    weight /= weight.sum()
    number = np.repeat(np.arange(len(usable)), sizes)
    each = (weight / np.add.reduceat(gold, starts))[number] * gold

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = table @ parameters.astype(np.float32)
        scores -= np.maximum.reduceat(scores, starts)[number]
        power = np.exp(scores)
        others = np.add.reduceat(power * (1 - gold), starts)[number]
        below = power + others + 1e-12
        total = -float((each * (scores - np.log(below))).sum()) + RIDGE * float(parameters @ parameters)
        slope = -each * (1 - power / below)
        slope += (1 - gold) * power * np.add.reduceat(each / below, starts)[number]
        return total, (table.T @ slope).astype(np.float64) + 2 * RIDGE * parameters

    owners = [name for name, own in zip(names, knots, strict=True) for _ in range(len(own) - 1)]
    bounds = [(None, None) if owner in FREE else (0.0, None) for owner in owners]
    found = minimize(
        loss, np.zeros(len(owners)), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": ITERATIONS},
    )  # fmt: skip
    learned = (found.x / spread).astype(np.float32)
    shapes, begin = {}, 0
    for name, own in zip(names, knots, strict=True):
        ramped = learned[begin : begin + len(own) - 1]
        begin += len(own) - 1
        if np.abs(ramped).max(initial=0.0) > 1e-6:
            shapes[name] = Shape(own, ramped)
    scores = table @ found.x.astype(np.float32)
    best = np.maximum.reduceat(scores, starts)
    return AdditiveModel(shapes, max(float(np.median(best)), 1e-6))


def model_to_json(model: AdditiveModel) -> dict[str, object]:
    """Return a model as plain values, which ``model_from`` reads."""
    return {
        "scale": round(model.scale, 4),
        "shapes": {
            name: [[round(float(x), 4) for x in shape.knots], [round(float(x), 4) for x in shape.weights]]
            for name, shape in model.shapes.items()
        },
    }
