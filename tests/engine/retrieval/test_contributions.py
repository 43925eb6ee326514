"""What each retriever gave."""

from __future__ import annotations

from engine.model import RetrieverHit
from engine.retrieval.contributions import off_notes


def hits(*names: str) -> tuple[RetrieverHit, ...]:
    return tuple(RetrieverHit(name, "literal", 1, 0.5) for name in names)


def test_only_what_the_corpus_holds_is_missed() -> None:
    off = {"sparse": "no such folder", "dense": ""}
    assert off_notes(off, ("sparse",)) == ("Learned words (sparse) is off: no such folder",)
    assert off_notes(off, ("dense",)) == ()
