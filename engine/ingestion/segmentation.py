"""Where a text may be cut: at numbered paragraphs first, at a word's end last.

All functions work on spans of the one text, so that what is cut can be put together again and no
character is lost but white space at the ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

# Longer than this, a passage is more than one thought, and most embedding models stop reading.
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a text; ``number`` where it is a numbered paragraph, ``continued`` where it is its rest."""

    start: int
    end: int
    number: str | None = None
    continued: bool = False


# "(1) ", "1. " or "1- " at the beginning of a line. A line ends a paragraph's number only if text
# follows: "(1)" alone is a table cell or a page number.
_MARKERS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^[ \t]*\((?P<number>\d{1,3}[a-z]{0,2})\)(?=[ \t\u00a0]*\S)",
        r"^[ \t]*(?P<number>\d{1,3}[a-z]?)[.)](?=[ \t\u00a0]+\S)",
        r"^[ \t]*(?P<number>\d{1,3})[ \t]?[-–/](?=[ \t\u00a0]*[^\s\d])",
    )
)
# Borders from strong to weak. Each match ends where the next piece begins.
_BORDERS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"\n[ \t]*\n\s*(?=\S)",
        r"\n(?=[ \t]*(?:\(?[a-zA-Z0-9\u0621-\u064a]{1,4}[.)]|[-–•*])\s)",
        r"\n(?=[ \t]*\S)",
        r"(?<=[.;!?؛؟])[\"”»)]*\s+(?=\S)|(?<=[。；！？])(?=\S)",
        r"(?<=[,:،，、])\s*(?=\S)",
        r"\s+(?=\S)",
    )
)
_NUMBER = re.compile(r"(\d+)([a-z]*)")


def numbered_paragraphs(text: str, *, items: bool = True) -> list[Piece]:
    """The numbered paragraphs of a provision, and what stands before the first, in order.

    Numbers count only as a rising series of at least two from 1; else the text is one piece. Without
    ``items``, a series "1. 2. 3." below a stem ("The authority shall:") is no series of paragraphs.
    """
    for place, marker in enumerate(_MARKERS):
        series = _rising(marker, text)
        if len(series) > 1 and (items or place == 0 or not text[: series[0][0]].strip()):
            borders = [start for start, _ in series] + [len(text)]
            pieces = [Piece(*_trimmed(text, 0, borders[0]))] if text[: borders[0]].strip() else []
            for (start, number), end in zip(series, borders[1:], strict=True):
                pieces.append(Piece(*_trimmed(text, start, end), number=number))
            return pieces
    return [Piece(*_trimmed(text, 0, len(text)))]


def cut(text: str, longest: int = LONGEST) -> list[Piece]:
    """The pieces of a text that is too long: its numbered paragraphs, those too long cut further.

    A text within the limit stays whole.
    """
    whole = Piece(*_trimmed(text, 0, len(text)))
    if whole.end - whole.start <= longest:
        return [whole]
    return [piece for paragraph in numbered_paragraphs(text) for piece in shortened(text, paragraph, longest)]


def shortened(text: str, piece: Piece, longest: int = LONGEST) -> Iterator[Piece]:
    """A piece, cut at its strongest borders into parts of at most ``longest`` characters."""
    spans = _cut_span(text, piece.start, piece.end, longest)
    for place, (start, end) in enumerate(spans):
        yield Piece(start, end, piece.number, continued=place > 0)


def _rising(marker: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    series: list[tuple[int, str]] = []
    last = (0, "")
    for match in marker.finditer(text):
        value, letters = _NUMBER.fullmatch(match["number"]).groups()  # type: ignore[union-attr]
        key = (int(value), letters)
        # One step up, or a letter inserted after the same number; a gap of a few is a repealed paragraph.
        if last < key and key[0] <= last[0] + (4 if series else 1):
            series.append((match.start(), match["number"]))
            last = key
    return series


def _cut_span(text: str, start: int, end: int, longest: int) -> list[tuple[int, int]]:
    """Spans of at most ``longest`` characters, cut at the strongest border that helps."""
    done: list[tuple[int, int]] = []
    waiting = [(start, end, 0)]
    while waiting:
        start, end, level = waiting.pop()
        start, end = _trimmed(text, start, end)
        if end - start <= longest:
            if end > start:
                done.append((start, end))
            continue
        if level == len(_BORDERS):
            borders = list(range(start + longest, end, longest))
        else:
            borders = [match.end() for match in _BORDERS[level].finditer(text, start, end)]
        packed = _packed(text, [start, *(border for border in borders if start < border < end), end], longest)
        waiting.extend((left, right, level + 1) for left, right in reversed(packed))
    return done


def _packed(text: str, borders: list[int], longest: int) -> list[tuple[int, int]]:
    """Neighbouring spans joined while they stay within ``longest``."""
    packed: list[tuple[int, int]] = []
    start = borders[0]
    for left, right in pairwise(borders[1:]):
        if _trimmed(text, start, right)[1] - start > longest:
            packed.append((start, left))
            start = left
    packed.append((start, borders[-1]))
    return packed


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
