"""Shapes: piecewise linear, level outside their knots; the weights that come with the engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.ranking.additive import AdditiveModel, Family, Shape, model_from, shipped_models

RISING = Shape(np.array([0.0, 0.5, 1.0], np.float32), np.array([1.0, 2.0], np.float32))


@pytest.mark.parametrize(
    ("value", "addend"),
    [(-1.0, 0.0), (0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 2.0), (1.0, 3.0), (9.0, 3.0)],
)
def test_a_shape_is_linear_between_its_knots_and_level_outside(value: float, addend: float) -> None:
    assert RISING.of(np.array([value], np.float32)) == pytest.approx([addend])


def test_an_unknown_feature_adds_nothing_and_sums_are_scaled() -> None:
    model = AdditiveModel({"known": RISING}, scale=3.0)
    parts = model.addends(("known", "unknown"), np.ones((2, 2), np.float32))
    assert parts.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_a_model_is_read_from_plain_values() -> None:
    model = model_from({"scale": 2, "shapes": {"a": [[0, 1], [4]]}})
    assert model.addends(("a",), np.array([[0.5]], np.float32)).tolist() == [[1.0]]


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=20))
def test_what_may_only_rise_rises(values: list[float]) -> None:
    ordered = np.sort(np.array(values, np.float32))
    for model in (*shipped_models(Family.LONG), *shipped_models(Family.SHORT)):
        for name, shape in model.shapes.items():
            if name not in ("heading", "document"):
                assert (np.diff(shape.of(ordered)) >= -1e-5).all(), name


@pytest.mark.parametrize("family", list(Family))
def test_the_learned_models_know_the_question(family: Family) -> None:
    for model in shipped_models(family):
        assert model.scale > 0
        assert model.shapes.keys() & {"relevance", "rank", "lexical", "dense"}
        for shape in model.shapes.values():
            assert len(shape.knots) == len(shape.weights) + 1
            assert (np.diff(shape.knots) > 0).all()
