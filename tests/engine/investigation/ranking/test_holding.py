"""What holds the scan's passages up: how far they may fall, and that nothing else is changed by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.investigation.ranking.additive import Family
from engine.investigation.ranking.order import BY_MEANING, COVERED, FIRST, REACH, hold_near_scan, lift, reach


@st.composite
def pools(draw: st.DrawFn) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """An order of places, and some of them as the scan has them."""
    count = draw(st.integers(1, 40))
    order = draw(st.permutations(range(count)))
    scanned = draw(st.permutations(range(count)))[: draw(st.integers(0, count))]
    return np.array(order, np.intp), np.array(scanned, np.intp)


REACHES = st.floats(0, 4, allow_nan=False)


@given(pools())
def test_without_reason_to_leave_it_the_order_is_the_scans(pool: tuple[NDArray[np.intp], ...]) -> None:
    order, scanned = pool
    found = hold_near_scan(order, scanned, 0.0).tolist()
    assert found[: len(scanned)] == scanned.tolist()
    assert found[len(scanned) :] == [place for place in order.tolist() if place not in set(scanned.tolist())]


@given(pools(), REACHES)
def test_none_falls_further_than_the_reach(pool: tuple[NDArray[np.intp], ...], reached: float) -> None:
    order, scanned = pool
    found = hold_near_scan(order, scanned, reached)
    assert sorted(found.tolist()) == sorted(order.tolist())
    ranks = {place: rank for rank, place in enumerate(found.tolist(), 1)}
    for rank, place in enumerate(scanned.tolist(), 1):
        assert ranks[place] <= rank * (1.0 + reached) + 1e-6


@given(pools(), REACHES)
def test_of_those_that_are_not_held_the_better_stays_first(
    pool: tuple[NDArray[np.intp], ...], reached: float
) -> None:
    order, scanned = pool
    rest = [place for place in order.tolist() if place not in set(scanned.tolist())]
    assert [place for place in hold_near_scan(order, scanned, reached).tolist() if place in set(rest)] == rest


@given(pools())
def test_an_order_within_the_reach_stays_as_it_is(pool: tuple[NDArray[np.intp], ...]) -> None:
    order, scanned = pool
    assert hold_near_scan(order, scanned, float(len(order))).tolist() == order.tolist()


@pytest.mark.parametrize(
    ("reached", "expected"),
    [(0.0, [1, 2, 3, 0]), (0.5, [1, 0, 2, 3]), (1.0, [0, 1, 3, 2]), (3.0, [0, 3, 2, 1])],
)
def test_how_far_the_scans_first_falls(reached: float, expected: list[int]) -> None:
    found = hold_near_scan(np.array([0, 3, 2, 1], np.intp), np.array([1, 2, 3], np.intp), reached)
    assert found.tolist() == expected


@given(st.lists(st.floats(-5, 20, width=32), min_size=1, max_size=60))
def test_a_lift_makes_the_order_that_of_the_scores(values: list[float]) -> None:
    scores = np.array(values, np.float32)
    lifted = lift(scores)
    assert (lifted >= 0).all()
    assert (np.diff(scores + lifted) <= 0).all()


def test_what_stands_above_all_behind_it_is_not_lifted() -> None:
    assert not lift(np.array([3.0, 2.0, 1.0], np.float32)).any()
    assert np.flatnonzero(lift(np.array([3.0, 1.0, 2.0, 0.5], np.float32))).tolist() == [1]


@pytest.mark.parametrize("family", Family)
def test_the_reach_rises_with_what_the_first_passages_hold(family: Family) -> None:
    nothing, scanned = np.zeros(10, np.float32), np.arange(10)
    shares = np.linspace(0, 1, 21, dtype=np.float32)
    reaches = [reach(nothing, np.full(10, share, np.float32), scanned, family) for share in shares]
    assert reaches == sorted(reaches)
    assert reaches[0] == 0.0
    assert reaches[-1] == REACH
    low, _ = COVERED[family]
    assert reach(nothing, np.full(10, low, np.float32), scanned, family) == pytest.approx(0.0, abs=1e-6)


def test_where_meaning_is_compared_the_scan_is_never_held_to_the_letter() -> None:
    nothing, named, scanned = np.zeros(10, np.float32), np.full(10, 0.1, np.float32), np.arange(10)
    assert reach(nothing, nothing, scanned, Family.LONG, meaning=True) == BY_MEANING
    assert reach(named, nothing, scanned, Family.LONG, meaning=True) == REACH


def test_what_is_further_down_the_scan_covers_nothing() -> None:
    terms = np.zeros(10, np.float32)
    terms[FIRST] = 1.0
    assert reach(np.zeros(10, np.float32), terms, np.arange(10), Family.LONG) == 0.0


def test_a_name_is_reason_enough_and_adds_to_the_other() -> None:
    named = np.zeros(10, np.float32)
    named[7] = 0.1
    assert reach(named, np.zeros(10, np.float32), np.arange(10), Family.LONG) == REACH
    assert reach(named, np.ones(10, np.float32), np.arange(10), Family.LONG) == 2 * REACH
