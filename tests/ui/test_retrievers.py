"""What each retriever gave, on the page."""

from __future__ import annotations

from engine.model import RetrieverCount
from ui.retrievers import retriever_lines


def test_a_line_each() -> None:
    counts = (
        RetrieverCount("bm25", found=1200, alone=31, first=1),
        RetrieverCount("dense"),
        RetrieverCount("sparse", off="the corpus holds no learned sparse vectors"),
    )
    assert retriever_lines(counts) == [
        "Words (BM25): 1,200 found, 31 of them alone, the first at 1",
        "Meaning (vectors): 0 found",
        "Learned words (sparse): off, the corpus holds no learned sparse vectors",
    ]
