"""Sets and orders by sorting are those of numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.arrays import begins, distinct, falling, found_in, numbered


@given(st.lists(st.integers(-5, 5), max_size=30))
def test_values_are_numbered_as_by_numpy(values: list[int]) -> None:
    assert distinct(np.array(values, np.int32)).tolist() == sorted(set(values))
    values_there, place = numbered(np.array(values, np.int32))
    wanted, position = np.unique(np.array(values, np.int32), return_inverse=True)
    assert (values_there.tolist(), place.tolist()) == (wanted.tolist(), position.tolist())
    assert begins(wanted).all()


@given(
    st.lists(st.tuples(st.integers(0, 2**31 - 1) | st.integers(0, 3), st.floats(0, 1, width=32)), max_size=30)
)
def test_scores_fall_within_their_group_as_by_numpy(drawn: list[tuple[int, float]]) -> None:
    groups = np.array([group for group, _ in drawn], np.int32)
    scores = np.array([score for _, score in drawn], np.float32)
    assert falling(groups, scores).tolist() == np.lexsort((-scores, groups)).tolist()


@given(st.sets(st.integers(-5, 5)), st.lists(st.integers(-6, 6), max_size=20))
def test_what_is_among_some_is_told_as_by_numpy(known: set[int], rows: list[int]) -> None:
    some, asked = np.array(sorted(known), np.int32), np.array(rows, np.int32)
    assert found_in(some, asked).tolist() == np.isin(asked, some).tolist()
