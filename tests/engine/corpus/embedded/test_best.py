from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded import arrays
from engine.corpus.embedded.arrays import best_hits


@given(
    st.lists(st.integers(0, 6), max_size=120),
    st.integers(0, 130),
    st.sampled_from([-1.0, 0.0, 2.0]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_the_best_are_those_of_a_full_sort(
    values: list[int], limit: int, minimum: float, exclusive: bool, drawn: int
) -> None:
    scores = np.array(values, np.float32)
    mask = None if drawn % 2 else np.random.default_rng(drawn).random(len(scores)) < 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "LARGE", 10)
        patch.setattr(arrays, "PART", 3)
        hits = best_hits(scores, limit, minimum, mask, exclusive=exclusive)
    kept = [
        row
        for row in np.lexsort((np.arange(len(scores)), -scores)).tolist()
        if (scores[row] > minimum if exclusive else scores[row] >= minimum) and (mask is None or mask[row])
    ]
    assert hits.rows.tolist() == kept[:limit]
    assert hits.scores.tolist() == scores[kept[:limit]].tolist()
