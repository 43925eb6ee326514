from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded.arrays import ranges

BOUNDS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8)


@given(BOUNDS)
def test_ranges_equal_to_a_loop(bounds: list[tuple[int, int]]) -> None:
    starts = np.asarray([start for start, _ in bounds], np.int64)
    stops = np.asarray([stop for _, stop in bounds], np.int64)
    expected = [(n, member) for n, (start, stop) in enumerate(bounds) for member in range(start, stop)]
    origins, members = ranges(starts, stops)
    assert list(zip(origins.tolist(), members.tolist(), strict=True)) == expected
