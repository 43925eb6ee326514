"""The numbered paragraphs of a provision, as spans of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.language.characters import western_digits


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a text; ``number`` where it is a numbered paragraph, ``continued`` where it is its rest.

    Its first ``overlap`` characters stand in the piece before as well.
    """

    start: int
    end: int
    number: str | None = None
    continued: bool = False
    overlap: int = 0


# What stands behind the number of an inserted paragraph, and its place: "2a", "2bis", "2ter".
_LATIN = {"bis": "b", "ter": "c", "quater": "d", "quinquies": "e", "sexies": "f"}
_INSERTED = rf"(?:{'|'.join(_LATIN)}|[a-z]{{0,2}})"
# "(1) ", "1. ", "1- " or "1 " at the beginning of a line. A line ends a paragraph's number only if text
# follows: "(1)" alone is a table cell or a page number.
_MARKERS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^[ \t]*\((?P<number>\d{{1,3}}{_INSERTED})\)(?=[ \t\u00a0]*\S)",
        rf"^[ \t]*(?P<number>\d{{1,3}}{_INSERTED})[.)](?=[ \t\u00a0]+\S)",
        r"^[ \t]*(?P<number>\d{1,3})[ \t]?[-–/](?=[ \t\u00a0]*[^\s\d])",
        # "1 Das Wappen ...", "2 Ausnahmen ...": set as small raised figures in print.
        rf"(?:\A|(?<=\n\n))(?P<number>\d{{1,3}}{_INSERTED})(?=[ \u00a0][^\W\d_a-z][\w’']*[ \u00a0])",
    )
)
_NUMBER = re.compile(r"(\d+)([a-z]*)")


def numbered_paragraphs(text: str, *, items: bool = True, after: int | None = None) -> list[Piece]:
    """The numbered paragraphs of a provision, and what stands before the first, in order.

    Numbers count only as a rising series of at least two from 1; else the text is one piece. Without
    ``items``, a series "1. 2. 3." below a stem ("The authority shall:") is no series of paragraphs. In a
    schedule one is enough, and the series goes on ``after`` the last number of its Part before.
    """
    for place, marker in enumerate(_MARKERS):
        series = (after and _rising(marker, text, after)) or _rising(marker, text)
        if len(series) > (after is None) and (items or place == 0 or not text[: series[0][0]].strip()):
            borders = [start for start, _ in series] + [len(text)]
            pieces = [Piece(*trimmed(text, 0, borders[0]))] if text[: borders[0]].strip() else []
            for (start, number), end in zip(series, borders[1:], strict=True):
                pieces.append(Piece(*trimmed(text, start, end), number=number))
            return pieces
    return [Piece(*trimmed(text, 0, len(text)))]


def _rising(marker: re.Pattern[str], text: str, after: int = 0) -> list[tuple[int, str]]:
    series: list[tuple[int, str]] = []
    last = (after, "")
    for match in marker.finditer(text):
        number = western_digits(match["number"])
        value, letters = _NUMBER.fullmatch(number).groups()  # type: ignore[union-attr]
        key = (int(value), _LATIN.get(letters, letters))
        # One step up, or a letter inserted after the same number; a gap of a few is a repealed paragraph.
        if last < key and key[0] <= last[0] + (4 if series else 1):
            series.append((match.start(), number))
            last = key
    return series


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
