"""What each retriever gave."""

from __future__ import annotations

from engine.model import RetrieverCount, RetrieverHit
from engine.retrieval.contributions import contributions, off_notes


def hits(*names: str) -> tuple[RetrieverHit, ...]:
    return tuple(RetrieverHit(name, "literal", 1, 0.5) for name in names)


def test_found_alone_and_first() -> None:
    ranked = [hits("dense"), hits("bm25", "dense", "bm25"), hits(), hits("bm25")]
    assert contributions(ranked, ("bm25", "dense", "somebody"), {"sparse": "no model"}) == (
        RetrieverCount("bm25", found=2, alone=1, first=2),
        RetrieverCount("dense", found=2, alone=1, first=1),
        RetrieverCount("somebody"),
        RetrieverCount("sparse", off="no model"),
    )


def test_only_what_the_corpus_holds_is_missed() -> None:
    off = {"sparse": "no such folder", "dense": ""}
    assert off_notes(off, ("sparse",)) == ("Learned words (sparse) is off: no such folder",)
    assert off_notes(off, ("dense",)) == ()
