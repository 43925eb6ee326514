"""Joining ranked lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Hits
from engine.retrieval.fusion import Method, fuse, minmax, reciprocal_rank


def hits(*pairs: tuple[int, float]) -> Hits:
    return Hits(np.array([row for row, _ in pairs], np.int32), np.array([s for _, s in pairs], np.float32))


@st.composite
def ranked_lists(draw: st.DrawFn) -> Hits:
    rows = draw(st.lists(st.integers(0, 50), unique=True, max_size=20))
    scores = sorted((draw(st.floats(0.125, 100, width=32)) for _ in rows), reverse=True)
    return hits(*zip(rows, scores, strict=True))


def test_minmax_maps_best_to_one_and_lowest_to_zero() -> None:
    assert minmax(hits((1, 9.0), (2, 6.0), (3, 3.0))).tolist() == pytest.approx([1.0, 0.5, 0.0])


def test_minmax_of_a_level_list_is_all_best() -> None:
    assert minmax(hits((1, 2.0), (2, 2.0))).tolist() == [1.0, 1.0]


def test_reciprocal_rank_is_the_published_formula() -> None:
    assert reciprocal_rank(hits((7, 3.0), (8, 2.0))).tolist() == pytest.approx([1 / 61, 1 / 62])


def test_a_passage_in_both_lists_beats_one_that_leads_a_single_list() -> None:
    fused = fuse([hits((1, 5.0), (2, 4.9)), hits((3, 5.0), (2, 4.9))], [1, 1], "rrf")
    assert fused.rows[0] == 2


def test_weights_decide_between_two_leaders() -> None:
    lists = [hits((1, 5.0), (9, 1.0)), hits((2, 5.0), (9, 1.0))]
    assert fuse(lists, [0.3, 0.7]).rows[0] == 2
    assert fuse(lists, [0.7, 0.3]).rows[0] == 1


@pytest.mark.parametrize(("weights"), [[1.0], [1.0, -1.0]])
def test_unusable_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):
        fuse([hits((1, 1.0)), hits((2, 1.0))], weights)


@given(st.lists(ranked_lists(), max_size=4), st.sampled_from(["minmax", "rrf"]))
def test_fusion_keeps_every_row_once_in_order_within_bounds(lists: list[Hits], method: Method) -> None:
    fused = fuse(lists, [1.0] * len(lists), method)
    assert set(fused.rows.tolist()) == {row for one in lists for row in one.rows.tolist()}
    assert len(set(fused.rows.tolist())) == len(fused.rows)
    assert (np.diff(fused.scores) <= 0).all()
    assert ((fused.scores >= 0) & (fused.scores <= 1 + 1e-6)).all()


@given(ranked_lists(), ranked_lists(), st.sampled_from(["minmax", "rrf"]))
def test_fusion_does_not_depend_on_the_order_of_lists(one: Hits, other: Hits, method: Method) -> None:
    forth, back = fuse([one, other], [0.4, 0.6], method), fuse([other, one], [0.6, 0.4], method)
    assert forth.rows.tolist() == back.rows.tolist()
