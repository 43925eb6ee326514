"""How broad a case goes: with the limit of its pool, and with how its question is seen."""

from __future__ import annotations

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from engine.search_budget import DEEPEST_LIST, DEEPEST_SCAN, POINTS, SHARES, SearchBudget, budget_for
from engine.settings import InvestigationSettings

SIZES = st.integers(10, 2000)
GROWING = ("scan", "depth", "seeds", "hops", "per_strategy", "per_document", "per_relation")


def search_budget(size: int, strategy: str | None = None) -> SearchBudget:
    return budget_for(InvestigationSettings(pool_size=size), strategy)


@given(SIZES, SIZES, st.sampled_from(list(SHARES)))
def test_a_larger_pool_is_never_searched_less(one: int, other: int, strategy: str) -> None:
    small, large = (search_budget(size, strategy) for size in sorted((one, other)))
    assert all(getattr(small, name) <= getattr(large, name) for name in GROWING)
    assert small.gate >= large.gate
    assert small.gain >= large.gain


@given(SIZES, st.sampled_from(list(SHARES)))
def test_it_stays_within_its_bounds(size: int, strategy: str) -> None:
    found = search_budget(size, strategy)
    assert 1 <= found.scan <= DEEPEST_SCAN
    assert 1 <= found.depth <= DEEPEST_LIST
    assert min(found.seeds, found.hops, found.per_strategy, found.per_document, found.per_relation) >= 1
    assert 0 <= found.gate < 1
    assert 0 <= found.gain < 1


@given(SIZES)
def test_what_lies_between_two_points_has_values_between_theirs(size: int) -> None:
    below = POINTS[max(point for point in POINTS if point <= size)]
    above = POINTS[min(point for point in POINTS if point >= size)]
    found = search_budget(size)
    for name, value in asdict(found).items():
        low, high = sorted((getattr(below, name), getattr(above, name)))
        assert low - 1e-9 <= value <= high + 1e-9
