"""Joining ranked lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Hits
from engine.retrieval.scan import fuse, retriever_weights


def hits(*pairs: tuple[int, float]) -> Hits:
    return Hits(np.array([row for row, _ in pairs], np.int32), np.array([s for _, s in pairs], np.float32))


@st.composite
def ranked_lists(draw: st.DrawFn) -> Hits:
    rows = draw(st.lists(st.integers(0, 50), unique=True, max_size=20))
    scores = sorted((draw(st.floats(0.125, 100, width=32)) for _ in rows), reverse=True)
    return hits(*zip(rows, scores, strict=True))


def test_weights_decide_between_two_leaders() -> None:
    lists = [hits((1, 5.0), (9, 1.0)), hits((2, 5.0), (9, 1.0))]
    assert fuse(lists, [0.3, 0.7]).rows[0] == 2
    assert fuse(lists, [0.7, 0.3]).rows[0] == 1


@pytest.mark.parametrize(("weights"), [[1.0], [1.0, -1.0]])
def test_unusable_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):
        fuse([hits((1, 1.0)), hits((2, 1.0))], weights)


@given(st.lists(ranked_lists(), max_size=4))
def test_fusion_keeps_every_row_once_in_order_within_bounds(lists: list[Hits]) -> None:
    fused = fuse(lists, [1.0] * len(lists))
    assert set(fused.rows.tolist()) == {row for one in lists for row in one.rows.tolist()}
    assert len(set(fused.rows.tolist())) == len(fused.rows)
    assert (np.diff(fused.scores) <= 0).all()
    assert ((fused.scores >= 0) & (fused.scores <= 1 + 1e-6)).all()


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("bm25", "dense"), {"bm25": 0.5, "dense": 0.5}),
        (("bm25",), {"bm25": 1.0}),
        (("dense", "bm25", "sparse"), {"dense": 0.4, "bm25": 0.4, "sparse": 0.2}),
        (("bm25", "sparse", "somebody"), {"bm25": 0.6, "sparse": 0.2, "somebody": 0.2}),
        (("sparse",), {"sparse": 1.0}),
        (("bm25", "somebody"), {"bm25": 0.8, "somebody": 0.2}),
        ((), {}),
    ],
)
def test_retrievers_share_what_is_left_by_those_that_are_off(
    names: tuple[str, ...], expected: dict[str, float]
) -> None:
    assert retriever_weights(names) == pytest.approx(expected)
