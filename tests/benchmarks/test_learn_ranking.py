"""Learning of the ranking's weights: planted truths are found, signs are kept, bad input is named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.learn_ranking import Example, learn, model_to_json
from engine.investigation.ranking.additive import model_from
from engine.review.learning import make_knots, ramps

NAMES = ("good", "noise", "bad", "heading")


def examples(count: int = 60, size: int = 25, *, mistakes: int = 0) -> list[Example]:
    """Questions whose gold is high in "good", low in "bad" and no heading; "noise" says nothing.

    With ``mistakes`` every so many-th question has another passage for its gold.
    """
    made = np.random.default_rng(7)
    found = []
    for number in range(count):
        values = made.random((4, size)).astype(np.float32)
        values[3] = (values[3] > 0.5).astype(np.float32)
        gold = np.zeros(size, np.bool_)
        values[2] = 1 - values[0]
        wrong = mistakes and number % mistakes == 0
        gold[int(made.integers(size)) if wrong else np.argmax(values[0] - values[3])] = True
        found.append(Example("ab"[number % 2], values, gold))
    return found


def test_a_planted_order_is_found_on_other_questions() -> None:
    told, asked = examples()[:40], examples()[40:]
    model = learn(NAMES, told, {"a": 1.0, "b": 1.0})
    right = [bool(one.gold[model.addends(NAMES, one.values).sum(axis=0).argmax()]) for one in asked]
    assert np.mean(right) >= 0.8


def test_only_free_features_count_against() -> None:
    model = learn(NAMES, examples(), {"a": 1.0, "b": 1.0})
    assert model.shapes["heading"].weights.sum() < 0
    assert "bad" not in model.shapes or (model.shapes["bad"].weights >= 0).all()
    assert model.shapes["good"].weights.sum() > 10 * sum(
        shape.weights.sum() for name, shape in model.shapes.items() if name == "noise"
    )


def test_the_slope_is_that_of_the_loss() -> None:
    # A wrong gradient would end L-BFGS far from the minimum: a perturbed model must not be better.
    judged = examples(mistakes=3)
    model = learn(NAMES, judged, {"a": 1.0, "b": 1.0})

    def likelihood(scale: float) -> float:
        total = 0.0
        for one in judged:
            scores = scale * model.scale * model.addends(NAMES, one.values).sum(axis=0)
            total += float(scores[one.gold].sum() - np.log(np.exp(scores).sum()))
        return total

    assert likelihood(1.0) >= likelihood(0.7)
    assert likelihood(1.0) >= likelihood(1.5)


def test_a_record_gives_the_same_model() -> None:
    model = learn(NAMES, examples(), {"a": 1.0, "b": 1.0})
    again = model_from(model_to_json(model))
    values = examples()[0].values
    assert again.addends(NAMES, values) == pytest.approx(model.addends(NAMES, values), abs=1e-2)


def test_questions_without_gold_teach_nothing() -> None:
    empty = Example("a", np.ones((4, 3), np.float32), np.zeros(3, np.bool_))
    with pytest.raises(ValueError, match="no question has gold"):
        learn(NAMES, [empty], {"a": 1.0})


@given(st.lists(st.floats(0, 1, width=16), min_size=1, max_size=30))
def test_ramps_rise_from_the_lowest_value_to_the_highest(values: list[float]) -> None:
    row: NDArray[np.float32] = np.array(values, np.float32)
    knots = make_knots(row)
    assert (np.diff(knots) > 0).all()
    if len(knots) > 1:
        table = ramps(row[None, :], [knots])
        assert table.min() >= 0
        assert table.max() <= 1
        order = np.argsort(row)
        assert (np.diff(table.sum(axis=1)[order]) >= -1e-5).all()
