"""How a text that is too long for one passage is cut.

All functions work on spans of the one text, so that what is cut can be put together again and no
character is lost but white space at the ends. A text is cut at its strongest borders: numbered
paragraphs, empty lines, items of lists and rows of tables, sentences. A sentence stays whole unless it
alone is longer than two passages, as a table without full stops is; only then it is cut at lines,
clauses and words. Parts of a paragraph overlap by whole sentences or items, more so the denser the
text is (``density.py``).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from engine.ingestion.density import overlap_for
from engine.ingestion.segmentation import Piece, numbered_paragraphs, trimmed
from engine.ingestion.sentences import sentence_starts

# Longer than this many characters, a passage is more than one thought, and most models stop reading.
LONGEST = 2000
# A sentence is kept whole up to this many times the length of a passage.
LONGEST_SENTENCE = 2
# An item of a list that is shorter than this share of a passage stays with the words before the list.
SHORT_ITEM = 0.15

_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*(?=\S)")
_ITEMS = re.compile(r"\n(?=[ \t]*(?:(?:\(?[a-zA-Z0-9\u0621-\u064a]{1,4}[.)]|[-–•*])\s|\|))")
# Borders inside a sentence, from strong to weak. Each match ends where the next part begins.
_INSIDE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n(?=[ \t]*\S)",
        r"(?<=[;؛])\s+(?=\S)|(?<=；)(?=\S)",
        r"(?<=[,:،，、])\s*(?=\S)",
        r"\s+(?=\S)",
    )
)
_STEM = re.compile(r"[:：—]\s*\Z")
_STEM_TAIL = 8


def cut(text: str, longest: int = LONGEST, language: str = "und") -> list[Piece]:
    """The pieces of a text that is too long: its numbered paragraphs, those too long cut further.

    A text within the limit stays whole.
    """
    whole = Piece(*trimmed(text, 0, len(text)))
    if whole.end - whole.start <= longest:
        return [whole]
    return [part for piece in numbered_paragraphs(text) for part in shortened(text, piece, longest, language)]


def shortened(text: str, piece: Piece, longest: int = LONGEST, language: str = "und") -> Iterator[Piece]:
    """A piece in parts of at most ``longest`` characters, or one sentence, and what they repeat.

    No part is longer than ``LONGEST_SENTENCE`` times ``longest`` and its overlap.
    """
    start, end = trimmed(text, piece.start, piece.end)
    if end - start <= longest:
        yield replace(piece, start=start, end=end)
        return
    cutter = _Cutter(text, piece, longest, language)
    budget = min(overlap_for(text[piece.start : piece.end]), longest // 4)
    before: tuple[int, int] | None = None
    for start, end in cutter.spans():
        first = start if before is None else cutter.overlapping(before, start, budget)
        yield Piece(first, end, piece.number, continued=before is not None, overlap=start - first)
        before = (start, end)


class _Cutter:
    """Cuts one piece of a text."""

    def __init__(self, text: str, piece: Piece, longest: int, language: str) -> None:
        self._text, self._longest, self._language = text, longest, language
        self._start, self._end = piece.start, piece.end

    def spans(self) -> list[tuple[int, int]]:
        """The spans of the parts in order, which do not overlap."""
        done: list[tuple[int, int]] = []
        waiting = [(self._start, self._end, 0)]
        while waiting:
            start, end, level = waiting.pop()
            start, end = trimmed(self._text, start, end)
            if end <= start:
                continue
            if end - start <= self._longest or (
                level == 3 and end - start <= LONGEST_SENTENCE * self._longest
            ):
                done.append((start, end))
                continue
            borders = [border for border in self._borders(level, start, end) if start < border < end]
            packed = self._packed([start, *borders, end])
            waiting.extend((left, right, level + 1) for left, right in reversed(packed))
        return done

    def overlapping(self, before: tuple[int, int], start: int, budget: int) -> int:
        """Where a part begins that repeats the end of the one before: at a sentence or an item."""
        borders = self._whole_sentences
        place = bisect_left(borders, max(start - budget, before[0] + 1))
        return borders[place] if place < len(borders) and borders[place] < start else start

    @cached_property
    def _sentences(self) -> list[int]:
        found = sentence_starts(self._text[self._start : self._end], self._language)
        return [self._start + start for start in found]

    @cached_property
    def _whole_sentences(self) -> list[int]:
        """Where a sentence, an item or a paragraph begins."""
        borders = {*self._sentences}
        for pattern in (_EMPTY_LINES, _ITEMS):
            borders.update(match.end() for match in pattern.finditer(self._text, self._start, self._end))
        return sorted(self._start_of_word(border) for border in borders)

    def _start_of_word(self, place: int) -> int:
        return trimmed(self._text, place, self._end)[0]

    def _borders(self, level: int, start: int, end: int) -> list[int]:
        """Borders of a span from strong (level 0) to weak."""
        if level == 2:
            first, last = (bisect_left(self._sentences, place) for place in (start, end))
            return self._sentences[first:last]
        if level == 3 + len(_INSIDE):
            return list(range(start + self._longest, end, self._longest))
        pattern = _EMPTY_LINES if level == 0 else _ITEMS if level == 1 else _INSIDE[level - 3]
        borders = [match.end() for match in pattern.finditer(self._text, start, end)]
        return self._with_stems(borders, start, end) if level < 2 else borders

    def _with_stems(self, borders: Sequence[int], start: int, end: int) -> list[int]:
        """Borders without those between a stem ("The authority shall:") and a short first item."""
        kept: list[int] = []
        for border, after in pairwise((*borders, end)):
            stem = _STEM.search(self._text, max(start, border - _STEM_TAIL), border)
            if stem is None or after - border > SHORT_ITEM * self._longest:
                kept.append(border)
        return kept

    def _packed(self, borders: list[int]) -> list[tuple[int, int]]:
        """Neighbouring spans joined while they stay within the limit."""
        packed: list[tuple[int, int]] = []
        start = borders[0]
        for left, right in pairwise(borders[1:]):
            if trimmed(self._text, start, right)[1] - start > self._longest:
                packed.append((start, left))
                start = left
        packed.append((start, borders[-1]))
        return packed
