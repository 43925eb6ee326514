"""Paired differences: intervals that hold the mean, p-values that can be counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.compare import paired

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=12)


def test_no_difference() -> None:
    found = paired([0.5, 1.0], [0.5, 1.0])
    assert (found.difference, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert not found.significant


def test_p_of_all_signs() -> None:
    # Ten equal differences: of the 1,024 ways to set the signs two are as extreme.
    found = paired([1.0] * 10, [0.5] * 10)
    assert found.p == pytest.approx(2 / 1024)
    assert (found.low, found.high) == (0.5, 0.5)
    assert found.significant


def test_noise_is_not_significant_and_a_shift_is() -> None:
    random = np.random.default_rng(3)
    base = random.uniform(0, 1, 300)
    noise = random.normal(0, 0.1, 300)
    noise -= noise.mean() - 0.001
    assert not paired((base + noise).tolist(), base.tolist()).significant
    shifted = paired((base + noise + 0.05).tolist(), base.tolist())
    assert shifted.significant
    assert shifted.low < shifted.difference < shifted.high
    # The interval of a mean of normal differences is about 1.96 standard errors to each side.
    assert (shifted.high - shifted.low) / 2 == pytest.approx(1.96 * noise.std() / 300**0.5, rel=0.06)


@given(VALUES)
def test_the_interval_holds_the_mean_and_turns_with_the_sign(values: list[tuple[float, float]]) -> None:
    ours, theirs = [a for a, _ in values], [b for _, b in values]
    there, back = paired(ours, theirs, resamples=200), paired(theirs, ours, resamples=200)
    assert there.low - 1e-9 <= there.difference <= there.high + 1e-9
    assert there.difference == pytest.approx(-back.difference)
    assert there.p == pytest.approx(back.p)
    assert 0 <= there.p <= 1
    assert there == paired(ours, theirs, resamples=200)


@pytest.mark.parametrize(("ours", "theirs"), [([], []), ([1.0], [1.0, 2.0])])
def test_what_is_not_paired_is_refused(ours: list[float], theirs: list[float]) -> None:
    with pytest.raises(ValueError, match="values against"):
        paired(ours, theirs)
