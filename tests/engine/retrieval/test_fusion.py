"""Joining ranked lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Hits
from engine.retrieval.fusion import fuse


def hits(*pairs: tuple[int, float]) -> Hits:
    return Hits(np.array([row for row, _ in pairs], np.int32), np.array([s for _, s in pairs], np.float32))


@st.composite
def ranked_lists(draw: st.DrawFn) -> Hits:
    rows = draw(st.lists(st.integers(0, 50), unique=True, max_size=20))
    scores = sorted((draw(st.floats(0.125, 100, width=32)) for _ in rows), reverse=True)
    return hits(*zip(rows, scores, strict=True))


@pytest.mark.parametrize(("weights"), [[1.0], [1.0, -1.0]])
def test_unusable_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError):
        fuse([hits((1, 1.0)), hits((2, 1.0))], weights)


@given(ranked_lists(), ranked_lists())
def test_fusion_does_not_depend_on_the_order_of_lists(one: Hits, other: Hits) -> None:
    forth, back = fuse([one, other], [0.4, 0.6]), fuse([other, one], [0.6, 0.4])
    assert forth.rows.tolist() == back.rows.tolist()
