"""Orders of reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.model import Document, Passage, RankedPassage
from engine.records.context import Order, both_ends, order_of, ordered


def ranking(*places: tuple[str, int]) -> tuple[RankedPassage, ...]:
    """A ranking of passages by document and position."""
    return tuple(
        RankedPassage(
            rank,
            Passage(f"{name}/{position}", name, None, position, "text"),
            Document(name, name.upper()),
            "text",
            1 / rank,
            (),
            (),
        )
        for rank, (name, position) in enumerate(places, 1)
    )


RANKING = ranking(("b", 7), ("a", 3), ("b", 2), ("c", 1), ("a", 1))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.RANK, "b/7 a/3 b/2 c/1 a/1"),
        (Order.DOCUMENT, "b/2 b/7 a/1 a/3 c/1"),
        (Order.ENDS, "b/7 b/2 a/1 c/1 a/3"),
    ],
)
def test_orders(order: Order, expected: str) -> None:
    found = ordered(RANKING, order)
    assert " ".join(ranked.passage.id for ranked in found) == expected
    assert {ranked.rank for ranked in found} == {1, 2, 3, 4, 5}, "ranks stay"
    assert order_of(order.value) is order


@pytest.mark.parametrize("order", list(Order))
def test_nothing_in_any_order_is_nothing(order: Order) -> None:
    assert ordered((), order) == ()


@given(st.integers(0, 40))
def test_the_further_from_the_ends_the_worse(count: int) -> None:
    found = both_ends(range(count))
    assert sorted(found) == list(range(count))
    from_ends = [min(place, count - 1 - place) for place in sorted(range(count), key=lambda p: found[p])]
    assert from_ends == sorted(from_ends)


def test_an_unknown_order_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="unknown order 'best'; known orders: rank, document, ends"):
        order_of("best")
