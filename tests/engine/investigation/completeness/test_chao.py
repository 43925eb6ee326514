"""Chao's estimator on counts whose answer is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.completeness import chao1


def test_nothing_found_gives_no_estimate() -> None:
    assert chao1([]) is None
    assert chao1([0, 0]) is None


def test_all_found_twice_leaves_nothing_unseen() -> None:
    found = chao1([2] * 10)
    assert found is not None
    assert (found.estimate, found.high) == (1.0, 1.0)


def test_few_finds_cannot_promise_much() -> None:
    few, many = chao1([2] * 10), chao1([2] * 100)
    assert few is not None
    assert many is not None
    # The rule of three: at most 3 in 20 finds, and 3 in 200, would have been new.
    assert few.low == pytest.approx(1 - 3 / 20)
    assert many.low == pytest.approx(1 - 3 / 200)


def test_the_bias_corrected_formula_by_hand() -> None:
    # 6 found once, 4 twice: unseen = 6 * 5 / (2 * 5) = 3; completeness = 10 / 13.
    found = chao1([1] * 6 + [2] * 4)
    assert found is not None
    assert found.estimate == pytest.approx(10 / 13)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=60))
def test_the_interval_holds_the_estimate(finders: list[int]) -> None:
    found = chao1(finders)
    assert found is not None
    assert 0 <= found.low <= found.estimate <= found.high <= 1


@given(st.integers(1, 30), st.integers(1, 30))
def test_more_single_finds_mean_less_completeness(once: int, twice: int) -> None:
    fewer, more = chao1([1] * once + [2] * twice), chao1([1] * (once + 5) + [2] * twice)
    assert fewer is not None
    assert more is not None
    assert more.estimate <= fewer.estimate
