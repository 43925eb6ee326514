"""How broad a case goes: with the limit of its pool, and with how its question is seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.breadth import SHARES, Breadth, breadth_of
from engine.settings import InvestigationSettings

SIZES = st.integers(10, 2000)
GROWING = ("scan", "depth", "seeds", "hops", "per_strategy", "per_document", "per_relation")


def breadth(size: int, strategy: str | None = None) -> Breadth:
    return breadth_of(InvestigationSettings(pool_size=size), strategy)


@given(SIZES, SIZES, st.sampled_from(list(SHARES)))
def test_a_larger_pool_is_never_searched_less(one: int, other: int, strategy: str) -> None:
    small, large = (breadth(size, strategy) for size in sorted((one, other)))
    assert all(getattr(small, name) <= getattr(large, name) for name in GROWING)
    assert small.gate >= large.gate
    assert small.gain >= large.gain


@given(SIZES, st.sampled_from(list(SHARES)), st.sampled_from(list(SHARES)))
def test_what_a_plan_says_comes_before_the_settings(size: int, own: str, planned: str) -> None:
    settings = InvestigationSettings(pool_size=size).changed(query_strategy=own)
    assert breadth_of(settings) == breadth(size, own)
    assert breadth_of(settings, planned) == breadth(size, planned)
