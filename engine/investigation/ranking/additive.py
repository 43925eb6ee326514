"""A generalised additive model over features: each feature adds a piecewise linear function of its value.

Hastie and Tibshirani 1986; with learned shapes for ranking: Zhuang et al., "Interpretable ranking with
generalized additive models", WSDM 2021. A shape is a sum of ramps between knots, so that what a feature
adds can be read off and shown; ``learning.py`` beside the evaluation fits the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus

FILE = Path(__file__).with_name("weights.json")

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """What one feature adds: ``weights[i]`` in full above ``knots[i + 1]``, in part from ``knots[i]`` on."""

    knots: NDArray[np.float32]
    weights: NDArray[np.float32]

    def of(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The addend of each value, 0 at the lowest knot and below; shape as ``values``."""
        heights = np.concatenate([[0.0], np.cumsum(self.weights)])
        addends: NDArray[np.float32] = np.interp(values, self.knots, heights).astype(np.float32)
        return addends


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """Shapes by the names of features, and the ``scale`` by which a sum is divided to be about 0..1."""

    shapes: Mapping[str, Shape]
    scale: float

    def addends(self, names: Sequence[str], values: Matrix) -> Matrix:
        """What each feature adds: shape (features, n) for ``values`` of that shape; 0 for unknown names."""
        parts = np.zeros(values.shape, np.float32)
        for number, name in enumerate(names):
            shape = self.shapes.get(name)
            if shape is not None:
                parts[number] = shape.of(values[number])
        return parts / np.float32(self.scale)


class Family(StrEnum):
    """Kinds of collections that rank differently: long documents of many passages (laws, rulebooks), where
    what stands around a passage and explicit references tell; and many short ones, where names do."""

    LONG = "long"
    SHORT = "short"


def family_of(corpus: Corpus) -> Family:
    """The kind of a collection: short where most documents are one passage."""
    return Family.SHORT if 2 * len(corpus.documents()) > len(corpus) else Family.LONG


@cache
def learned(family: Family) -> tuple[AdditiveModel, AdditiveModel]:
    """The two models that come with the engine: for the first pass over the pool and for the second."""
    record = orjson.loads(FILE.read_bytes())[family]
    first, second = (model_from(record[name]) for name in ("first", "second"))
    return first, second


def model_from(record: Mapping[str, object]) -> AdditiveModel:
    """A model from its plain values: {"scale": s, "shapes": {name: [knots, weights]}}."""
    shapes, scale = record["shapes"], record["scale"]
    assert isinstance(shapes, Mapping)
    assert isinstance(scale, int | float)
    return AdditiveModel(
        {
            name: Shape(np.array(knots, np.float32), np.array(weights, np.float32))
            for name, (knots, weights) in shapes.items()
        },
        float(scale),
    )
