from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ui.investigate.board_layout import Position, tidy


def crossings(positions: Mapping[str, Position], edges: Sequence[tuple[str, str]]) -> int:
    """Pairs of edges between the same two columns that cross."""
    spans = [
        (round(positions[a][0]), round(positions[b][0]), positions[a][1], positions[b][1]) for a, b in edges
    ]
    return sum(
        1
        for index, (x0, x1, y0, y1) in enumerate(spans)
        for u0, u1, v0, v1 in spans[index + 1 :]
        if (x0, x1) == (u0, u1) and (y0 - v0) * (y1 - v1) < 0
    )


def _edges(parents: dict[str, str]) -> list[tuple[str, str]]:
    return [(source, target) for target, source in parents.items()]


def test_a_parent_is_at_the_middle_of_its_children() -> None:
    placed = tidy([["a"], ["b", "c", "d"]], {"b": "a", "c": "a", "d": "a"}).positions
    assert placed["a"][1] == placed["c"][1] == 0.5
    assert (placed["b"][1], placed["d"][1]) == (0.0, 1.0)


def test_roots_without_children_fill_the_gaps_beside_a_wide_subtree() -> None:
    parents = dict.fromkeys(("k1", "k2", "k3", "k4", "k5"), "a") | {"m1": "b", "m2": "b", "m3": "b"}
    placed = tidy([["a", "b", "x", "y"], list(parents)], parents)
    assert placed.rows == 8, "the lone roots must not make the board taller"
    assert placed.positions["a"][1] < placed.positions["x"][1] < placed.positions["b"][1]


def test_a_passage_reached_inside_its_own_round_is_to_the_right_of_its_seed() -> None:
    placed = tidy([["a"], ["b", "c"]], {"b": "a", "c": "b"}).positions
    assert 1.2 < placed["c"][0] < 1.6


def test_many_lone_roots_are_set_several_to_a_row() -> None:
    column = [f"n{index}" for index in range(220)]
    placed = tidy([column], {})
    assert placed.rows < 40
    assert len(set(placed.positions.values())) == 220
    assert max(abs(x) for x, _ in placed.positions.values()) < 0.5


def test_unknown_parents_are_no_parents() -> None:
    assert set(tidy([["a"]], {"a": "elsewhere"}).positions) == {"a"}


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[list[str]], dict[str, str]]:
    sizes = draw(st.lists(st.integers(1, 30), min_size=1, max_size=4))
    columns = [[f"{number}-{index}" for index in range(size)] for number, size in enumerate(sizes)]
    parents = {
        node: draw(st.sampled_from(columns[number - 1]))
        for number, column in enumerate(columns)
        if number > 0
        for node in column
        if draw(st.booleans())
    }
    return columns, parents


@given(forests())
def test_no_two_strings_cross_and_no_two_dots_share_a_place(
    forest: tuple[list[list[str]], dict[str, str]],
) -> None:
    columns, parents = forest
    layout = tidy(columns, parents)
    assert set(layout.positions) == {node for column in columns for node in column}
    assert all(0.0 <= y <= 1.0 for _, y in layout.positions.values())
    assert crossings(layout.positions, _edges(parents)) == 0
    for column in columns:
        places = sorted(
            (layout.positions[node][1] * max(layout.rows - 1, 1), layout.positions[node][0])
            for node in column
        )
        assert all(low - high > 0.98 or abs(x - u) > 0.1 for (high, x), (low, u) in pairwise(places))
