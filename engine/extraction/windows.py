"""How a document is cut into what a model reads at once: consecutive passages, in windows that overlap."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.corpus.protocol import Corpus
from engine.llm.estimating import most_tokens
from engine.llm.suspicion import addresses_machine
from engine.model import Document, Passage

# What the marks around a passage and the line of its headings take, in tokens.
AROUND_PASSAGE = 60
# So much of a window is what the one before has read, so that what goes over its border is seen whole.
OVERLAP = 0.2
# A passage that is longer than a window is read in pieces, cut at the end of a sentence or word.
_ENDS = ("\n", ". ", "; ", " ")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage, or the characters ``[start, stop)`` of one that is longer than a window."""

    passage: Passage
    start: int
    stop: int

    @property
    def text(self) -> str:
        """What is read of it."""
        return self.passage.text[self.start : self.stop]


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive pieces of one document. ``key`` is the same as long as the same words are read by the
    same model with the same prompt."""

    document: Document
    pieces: tuple[Piece, ...]
    key: str

    def named(self) -> dict[str, Piece]:
        """The pieces by the keys under which the model knows them: P1, P2, ..."""
        return {f"P{number}": piece for number, piece in enumerate(self.pieces, start=1)}


def windows_of(corpus: Corpus, document: Document, tokens: int, reader: str) -> list[Window]:
    """The windows of a document, in reading order, each of at most ``tokens`` (estimated) in its pieces.

    ``reader`` is the model and the version of the prompt, which are part of each window's key. Passages that
    address a machine are in none.
    """
    rows = corpus.by_document([document.id])[0]
    read = [passage for passage in corpus.passages(rows) if not addresses_machine(passage.text)]
    pieces = [piece for passage in read for piece in _pieces(passage, tokens)]
    sizes = [most_tokens(piece.text) + AROUND_PASSAGE for piece in pieces]
    return [
        Window(document, tuple(pieces[first:stop]), _key(document, pieces[first:stop], reader))
        for first, stop in _cut(sizes, tokens)
    ]


def withheld(corpus: Corpus, document: Document) -> int:
    """How many passages of a document no window has, because they address a machine."""
    rows = corpus.by_document([document.id])[0]
    return sum(addresses_machine(passage.text) for passage in corpus.passages(rows))


def _cut(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges that cover all sizes in order; each begins with the end of the one before."""
    first, stop = 0, 0
    while stop < len(sizes):
        total = sum(sizes[first:stop])
        fresh = stop
        while stop < len(sizes) and (total + sizes[stop] <= most or stop == fresh):
            # What overlaps gives way where the next passage would not fit beside it.
            while total + sizes[stop] > most and first < fresh:
                total -= sizes[first]
                first += 1
            total += sizes[stop]
            stop += 1
        yield first, stop
        first, total = stop, 0
        while first > 0 and total + sizes[first - 1] <= OVERLAP * most:
            first -= 1
            total += sizes[first]


def _pieces(passage: Passage, tokens: int) -> Iterator[Piece]:
    """The passage, or its pieces; none of what is blank."""
    text, start = passage.text, 0
    while start < len(text):
        stop = _end(text, start, tokens - AROUND_PASSAGE)
        if text[start:stop].strip():
            yield Piece(passage, start, stop)
        start = stop


def _end(text: str, start: int, tokens: int) -> int:
    """Where a piece that begins at ``start`` ends."""
    if most_tokens(text[start:]) <= tokens:
        return len(text)
    low, high = start + 1, min(len(text), start + 8 * tokens)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if most_tokens(text[start:middle]) <= tokens else (low, middle - 1)
    for end in _ENDS:
        place = text.rfind(end, start + (low - start) // 2, low)
        if place >= 0:
            return place + len(end)
    return low


def _key(document: Document, pieces: Sequence[Piece], reader: str) -> str:
    parts = [
        reader,
        document.id,
        document.title,
        [(piece.passage.id, piece.passage.headings, piece.passage.label, piece.text) for piece in pieces],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
