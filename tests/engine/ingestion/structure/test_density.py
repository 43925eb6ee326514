from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.structure.segmentation import LEAST_OVERLAP, MOST_OVERLAP, overlap_for


@given(st.text(max_size=300))
def test_the_overlap_keeps_its_bounds(text: str) -> None:
    assert LEAST_OVERLAP <= overlap_for(text) <= MOST_OVERLAP
