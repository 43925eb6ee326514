"""The calibrated model: its file, its signs, its interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.completeness import (
    METHOD,
    SIGNS,
    Evidence,
    Interval,
    estimate_completeness,
    model_from,
    record_of,
    shipped_model,
)

SHARE = st.floats(0, 1)
VALUES = st.dictionaries(st.sampled_from(sorted(SIGNS)), SHARE)


def test_the_model_of_the_engine_keeps_its_signs() -> None:
    model = shipped_model()
    assert model.weights
    assert model.weights.keys() <= SIGNS.keys()
    assert all(weight * SIGNS[name] > 0 for name, weight in model.weights.items() if SIGNS[name])
    assert (np.diff(model.interval.levels) >= 0).all()


def test_plain_values_and_back() -> None:
    record = record_of(shipped_model())
    assert record_of(model_from(record)) == record


def test_a_weight_needs_a_neutral_value() -> None:
    with pytest.raises(ValueError, match="no neutral value for ways"):
        model_from({"intercept": 0.0, "weights": {"ways": 1.0}, "neutral": {}, "interval": [[0], [0], [1]]})


@given(VALUES)
def test_the_estimate_is_within_its_interval(values: dict[str, float]) -> None:
    found = estimate_completeness(Evidence(values, (1, 2, 2)), shipped_model())
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert (found.method, found.best, found.alone) == (METHOD, 3, 1)
    assert found.evidence == values


@given(VALUES, st.sampled_from(sorted(SIGNS)), SHARE, SHARE)
def test_more_of_a_piece_of_evidence_goes_its_way(
    values: dict[str, float], name: str, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    less, more = (shipped_model().estimate({**values, name: value}) for value in (low, high))
    assert SIGNS[name] * (more - less) >= -1e-12


@given(VALUES, st.sampled_from(sorted(SIGNS)))
def test_what_is_missing_counts_as_neither(values: dict[str, float], name: str) -> None:
    model = shipped_model()
    values.pop(name, None)
    neutral = {**values, name: model.neutral.get(name, 0.5)}
    assert model.estimate(values) == pytest.approx(model.estimate(neutral))


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8), SHARE)
def test_any_interval_encloses_any_estimate(ends: list[tuple[float, float]], estimate: float) -> None:
    low, high = (np.array([sort(pair) for pair in ends]) for sort in (min, max))
    interval = Interval(np.linspace(0, 1, len(ends)), low, high)
    below, above = interval.around(estimate)
    assert 0 <= below <= estimate <= above <= 1
