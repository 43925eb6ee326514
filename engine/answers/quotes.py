"""Quotes that an answer cites, held against the passage that they are cited from.

The rules of what is verbatim are those of ``engine.language.quotes``. A text that a model was given may be
several passages in a row; a quote that runs over their border has one span in each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.investigation.context_expansion import JOINT, text_of
from engine.language.quotes import FEWEST_WORDS, Refusal, locate, sought
from engine.model import Passage, Span

__all__ = ["FEWEST_WORDS", "Located", "Refusal", "locate", "sought", "verify"]


@dataclass(frozen=True, slots=True)
class Located:
    """A quote as its source prints it. ``places`` are its exact characters, by the id of the passage, in
    reading order; more than one where the quote runs over a border of passages."""

    words: str
    places: tuple[tuple[str, Span], ...]


def verify(quote: str, passages: Sequence[Passage]) -> Located | Refusal:
    """A quote in consecutive passages of one document, located, or why it is refused."""
    refusal: Refusal = Refusal.ABSENT
    for passage in passages:
        found = sought(quote, passage.text)
        if isinstance(found, Span):
            return Located(passage.text[found.start : found.end], ((passage.id, found),))
        # What nearly was a quote says more than that the words are absent from another passage.
        refusal = refusal if found is Refusal.ABSENT else found
    if len(passages) < 2:
        return refusal
    joined = text_of(passages)
    found = sought(quote, joined)
    if not isinstance(found, Span):
        return refusal if found is Refusal.ABSENT else found
    return Located(joined[found.start : found.end], _split(found, passages))


def _split(span: Span, passages: Sequence[Passage]) -> tuple[tuple[str, Span], ...]:
    """A span of joined passages as spans of each (see ``text_of`` for how they are joined)."""
    places, begin = [], 0
    for number, passage in enumerate(passages):
        skipped = passage.overlap if number else 0
        end = begin + len(passage.text) - skipped
        first, last = max(span.start, begin), min(span.end, end)
        if first < last:
            places.append((passage.id, Span(first - begin + skipped, last - begin + skipped)))
        begin = end + len(JOINT)
    return tuple(places)
