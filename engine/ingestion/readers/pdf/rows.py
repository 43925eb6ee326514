"""Characters become runs, rows and tables; what is no text of the document is left out."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from engine.ingestion.readers.pdf.glyphs import (
    RIGHT_TO_LEFT,
    Floats,
    Glyphs,
    Sign,
    glyphs_of,
    in_reading_order,
    is_reversed,
    runs_right_to_left,
)
from engine.language.characters import raised

# From characters to runs, and from runs to rows.
#
# A run is a stretch of characters that touch: a word, or a piece of one. A row is what stands side by side at
# one height. Both know nothing of columns: what makes rows is first divided (see ``columns``).

# White space that parts words, as a share of the height of the type: between letters that are set
# apart, and where the document says itself that a space is there. Arabic letters of a word touch.
GAP, STATED_GAP, RTL_GAP = 0.16, 0.05, 0.075
# Rows are one where their middles are nearer than this share of their two heights.
_ONE_ROW = 0.28
# A row is bold when so much of it is: a word in bold at its beginning is no heading.
_BOLD = 0.9
# The call of a note is so much smaller than its word, its foot so much higher, and at most so far behind it.
_SMALLER, _RAISED, _NEAR = 0.92, 0.12, 0.5
# A vowel sign is so much lower than the letters of its page.
_MARK = 0.4
_NUMBER = re.compile(r"\(?\d{1,3}(?:,\d{1,3})*\)?")
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Run:
    """Characters that touch. ``signs`` where letters run from right to left."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    bold: bool = False
    signs: tuple[Sign, ...] = ()

    @property
    def height(self) -> float:
        """The height of the type."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Row:
    """What stands at one height, from left to right, and its text in reading order."""

    runs: tuple[Run, ...]
    text: str
    left: float
    bottom: float
    right: float
    top: float
    height: float
    bold: bool

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.top + self.bottom) / 2

    @property
    def rtl(self) -> bool:
        """Whether its letters run from right to left."""
        return runs_right_to_left(self.text)


def runs_of(glyphs: Glyphs, is_bold: Callable[[int], bool]) -> list[Run]:
    """The runs of a page in its own order. ``is_bold`` answers for a character's place."""
    if not len(glyphs):
        return []
    starts = _starts(glyphs)
    has_rtl = RIGHT_TO_LEFT.search(glyphs.text) is not None
    runs = []
    edges = np.stack(
        [
            np.minimum.reduceat(glyphs.box[:, 0], starts),
            np.minimum.reduceat(glyphs.box[:, 1], starts),
            np.maximum.reduceat(glyphs.box[:, 2], starts),
            np.maximum.reduceat(glyphs.box[:, 3], starts),
        ],
        axis=1,
    ).tolist()
    for number, (start, stop) in enumerate(pairwise([*starts.tolist(), len(glyphs)])):
        text = glyphs.text[start:stop]
        signs = _signs(glyphs, start, stop) if has_rtl else ()
        left, bottom, right, top = edges[number]
        runs.append(Run(text, left, bottom, right, top, is_bold(int(glyphs.place[start])), signs))
    return runs


def _starts(glyphs: Glyphs) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where runs begin: at white space, at a step up or down, at a step back."""
    box: Floats = glyphs.box
    height = np.maximum(box[:-1, 3] - box[:-1, 1], box[1:, 3] - box[1:, 1])
    shift = np.abs(box[1:, 3] + box[1:, 1] - box[:-1, 3] - box[:-1, 1]) / 2
    ahead, behind = box[1:, 0] - box[:-1, 2], box[:-1, 0] - box[1:, 2]
    gap = np.where(glyphs.spaced[1:], STATED_GAP, GAP) * height
    same = (box[1:] == box[:-1]).all(axis=1)
    # Small digits that are raised behind a word call a note.
    size, digit = box[:, 3] - box[:, 1], np.array([letter.isdecimal() for letter in glyphs.text])
    smaller = np.where(size[1:] < size[:-1], digit[1:], digit[:-1]) & (
        np.minimum(size[1:], size[:-1]) < _SMALLER * height
    )
    apart = (np.maximum(ahead, behind) > gap) | (shift > 0.4 * height) | smaller & (shift > 0.08 * height)
    back = (box[1:, 0] < box[:-1, 0] - 0.05 * height) & (behind < -0.5 * height)
    return np.concatenate([[0], np.flatnonzero((apart | back) & ~same) + 1])


def _signs(glyphs: Glyphs, start: int, stop: int) -> tuple[Sign, ...]:
    """The glyphs of a run: characters in exactly one box are one."""
    signs: list[Sign] = []
    last: tuple[float, ...] | None = None
    for letter, box in zip(glyphs.text[start:stop], glyphs.box[start:stop].tolist(), strict=True):
        here = tuple(box)
        if here == last:
            signs[-1] = replace(signs[-1], text=signs[-1].text + letter)
        else:
            signs.append(Sign(letter, box[0], box[2], box[3] - box[1]))
        last = here
    return tuple(signs)


def rows_of(runs: Sequence[Run], *, backwards: bool = True) -> list[Row]:
    """The rows that runs stand in, from the top down."""
    groups: list[list[Run]] = []
    middle = height = 0.0
    rtl = [run.height for run in runs if run.signs and RIGHT_TO_LEFT.search(run.text)]
    least = _MARK * float(np.median(rtl)) if rtl else 0.0
    marks = [run for run in runs if run.height < least and RIGHT_TO_LEFT.search(run.text)]
    for run in sorted(set(runs).difference(marks) if marks else runs, key=lambda one: -one.middle):
        if groups and abs(middle - run.middle) < _ONE_ROW * (height + run.height):
            groups[-1].append(run)
            if run.right - run.left > height and run.height > height:
                middle, height = run.middle, run.height
        else:
            groups.append([run])
            middle, height = run.middle, run.height
    for mark in marks:
        # A font may give a vowel sign, and the letter below it, the box of the sign alone.
        near = min(groups, key=lambda group: min(_distance(mark, run) for run in group))
        near.append(mark)
    return [row_of(group, backwards=backwards) for group in groups]


def _distance(mark: Run, run: Run) -> float:
    """How far a sign is from a run, in height at first."""
    above = max(mark.middle - run.top, run.bottom - mark.middle, 0.0)
    return 100 * above + max(_between(mark, run), 0.0)


def row_of(runs: Sequence[Run], *, backwards: bool = True) -> Row:
    """The row of some runs."""
    ordered = _with_note_calls(sorted(runs, key=lambda one: (one.left, one.right)))
    width = [max(run.right - run.left, 0.01) for run in ordered]
    bold = sum(part for run, part in zip(ordered, width, strict=True) if run.bold) > _BOLD * sum(width)
    height = sum(run.height * part for run, part in zip(ordered, width, strict=True)) / sum(width)
    return Row(
        runs=ordered,
        text=text_of(ordered, backwards=backwards),
        left=ordered[0].left,
        bottom=min(run.bottom for run in ordered),
        right=max(run.right for run in ordered),
        top=max(run.top for run in ordered),
        height=height,
        bold=bold,
    )


def _with_note_calls(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs of a row, the numbers that are small and raised behind a word as superscripts."""
    found = list(runs)
    numbers = [place for place, run in enumerate(runs) if _NUMBER.fullmatch(run.text)]
    step = 1 if numbers and runs_right_to_left("".join(run.text for run in runs)) else -1
    for place in numbers:
        run, word = runs[place], runs[place + step] if 0 <= place + step < len(runs) else runs[place]
        is_raised = run.height < _SMALLER * word.height and run.bottom > word.bottom + _RAISED * word.height
        if is_raised and _between(run, word) < _NEAR * word.height:
            text = raised(run.text)
            signs = (Sign(text, run.left, run.right, run.height),) if run.signs else ()
            after = runs[place - step] if 0 <= place - step < len(runs) else None
            is_before = after is not None and _between(run, after) < STATED_GAP * run.height
            left = run.left if is_before or step > 0 else word.right
            found[place] = replace(run, text=text, left=left, signs=signs)
    return tuple(found)


def _between(one: Run, other: Run) -> float:
    return max(one.left - other.right, other.left - one.right)


def text_of(runs: Sequence[Run], *, backwards: bool = True) -> str:
    """The text of runs that stand side by side, in reading order, with single spaces."""
    plain = "".join(run.text for run in runs)
    if runs_right_to_left(plain):
        signs = [sign for run in runs for sign in run.signs]
        height = max(run.height for run in runs)
        return " ".join(in_reading_order(signs, RTL_GAP * height, backwards=backwards).split())
    pieces: list[str] = []
    last: Run | None = None
    for run in runs:
        if last is not None and _is_space(last, run):
            pieces.append(" ")
        pieces.append(run.text)
        last = run
    return " ".join("".join(pieces).split())


def _is_space(left: Run, right: Run) -> bool:
    gap = right.left - left.right
    height = min(left.height, right.height)
    if _CJK.match(left.text[-1:]) and _CJK.match(right.text[:1]):
        return gap > 0.6 * height
    return gap > STATED_GAP * height


# The text of pages as runs, without what is not text of the document.

_BOLD_NAME = re.compile(
    r"bold|black|heavy|(?:CM|SF|EC|LM)\w*BX|[-,]B(?:d|old)?(?:It|I)?\Z|\ABold", re.IGNORECASE
)
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHT = 600
_LONGEST_NAME = 128
# PDFium writes into these; it may be called by one thread at a time only.
_NAME, _FLAGS = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The runs of a page that stand upright together; ``page`` counts from 1.

    ``aside`` for text that is turned against most of its page. ``backwards``: see ``direction``.
    """

    page: int
    runs: tuple[Run, ...]
    width: float
    height: float
    aside: bool = False
    backwards: bool = True


def sheets_of(document: pdfium.PdfDocument, number: int) -> Iterator[Sheet]:
    """The sheets of a page, the upright one first; none where a page has no text.

    ``number`` counts from 0. Raises pdfium.PdfiumError where the page is broken.
    """
    page = document[number]
    try:
        textpage = page.get_textpage()
        try:
            width, height = page.get_size()
            fonts: dict[tuple[bytes, int], bool] = {}
            for place, glyphs in enumerate(glyphs_of(page, textpage)):
                backwards = _is_backwards(glyphs)
                runs = runs_of(glyphs, lambda index: _is_bold(textpage, index, fonts))
                yield Sheet(number + 1, tuple(runs), width, height, place > 0, backwards)
        finally:
            textpage.close()
    finally:
        page.close()


def _is_bold(textpage: pdfium.PdfTextPage, index: int, fonts: dict[tuple[bytes, int], bool]) -> bool:
    name, flags = _NAME, _FLAGS
    raw.FPDFText_GetFontInfo(textpage, index, name, _LONGEST_NAME, flags)
    key = (name.value, flags.value)
    if key not in fonts:
        said = _BOLD_NAME.search(name.value.decode("utf-8", "replace").split("+")[-1]) is not None
        heavy = raw.FPDFText_GetFontWeight(textpage, index) >= _BOLD_WEIGHT
        fonts[key] = said or heavy or bool(flags.value & _FORCE_BOLD)
    return fonts[key]


def _is_backwards(glyphs: Glyphs) -> bool:
    """Whether glyphs of several Arabic letters came in the wrong order on this page."""
    if not RIGHT_TO_LEFT.search(glyphs.text):
        return True
    same = (glyphs.box[1:] == glyphs.box[:-1]).all(axis=1).nonzero()[0].tolist()
    return is_reversed([glyphs.text[index : index + 2] for index in same])


# Rows of a table: cells that stand under each other with white space between them.

SEPARATOR = " | "
# White space between cells as a share of the height of the type: in a row that may belong to a table,
# and between columns. A few rows (titles over several columns) may reach into it.
_GAP, _GUTTER, _CROSSING = 1.2, 0.7, 0.15
# Rows without a gap inside a table: cells of several lines.
_PATIENCE = 2
# So many rows make a table of three cells and of two; so many of its rows have two cells and more.
_FEWEST_OF_MANY, _FEWEST_OF_TWO, _FULL = 3, 4, 0.5
# Between two columns only, white space must be as wide as this: justified prose has gaps too.
_ONLY_GUTTER = 1.3
# "a.", "(1)", ":": they go with the words behind them.
_MARKER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]{1,2}|[ivxIVX]{1,5}|[\u0621-\u064a])[.)]|\(\w{1,4}\)|[-–—•*:]")
_TWO = 2

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Table:
    """Consecutive rows ``first`` (included) to ``stop`` (excluded), and the white space between cells."""

    first: int
    stop: int
    gutters: tuple[Interval, ...]


def tables_of(rows: Sequence[Row]) -> Iterator[Table]:
    """The tables among the rows of a part of a page, from the top down."""
    for first, stop in _gappy(rows):
        gutters = _gutters(rows[first:stop])
        # Prose above or below that only looked like it has one cell a row.
        while gutters and stop > first and len(_filled(rows[stop - 1], gutters)) < _TWO:
            stop -= 1
        while gutters and stop > first and len(_filled(rows[first], gutters)) < _TWO:
            first += 1
        table = Table(first, stop, tuple(gutters))
        if gutters and stop > first and _is_table(rows, table):
            yield table


def cells_of(row: Row, gutters: Sequence[Interval], *, backwards: bool = True) -> list[str]:
    """The texts of a row's cells in reading order; empty where a cell is."""
    groups: list[list[Run]] = [[] for _ in range(len(gutters) + 1)]
    middles = [(left + right) / 2 for left, right in gutters]
    for run in row.runs:
        middle = (run.left + run.right) / 2
        groups[sum(middle > edge for edge in middles)].append(run)
    texts = [text_of(group, backwards=backwards) if group else "" for group in groups]
    if row.rtl:
        texts.reverse()
    merged: list[str] = []
    for text in texts:
        if merged and merged[-1] and text and (_is_marker(merged[-1]) or text.startswith(":")):
            merged[-1] = f"{merged[-1]} {text}"
        else:
            merged.append(text)
    while merged and not merged[-1]:
        merged.pop()
    return merged


def _is_marker(text: str) -> bool:
    last = text.rsplit(" ", 1)[-1]
    return _MARKER.fullmatch(last) is not None and last in (text, ":")


def _filled(row: Row, gutters: Sequence[Interval]) -> list[str]:
    return [cell for cell in cells_of(row, gutters) if cell]


def _gappy(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Stretches of rows that have wide gaps, some without in between."""
    first = last = -1
    for place, row in enumerate(rows):
        near = place == 0 or rows[place - 1].middle - row.middle < 3.2 * max(
            row.height, rows[place - 1].height
        )
        if first >= 0 and (not near or place - last > _PATIENCE + 1):
            yield first, last + 1
            first = -1
        if _has_gap(row):
            first, last = (place if first < 0 else first), place
    if first >= 0:
        yield first, last + 1


def _has_gap(row: Row) -> bool:
    edge = row.runs[0].right
    for run in row.runs[1:]:
        if run.left - edge >= _GAP * row.height:
            return True
        edge = max(edge, run.right)
    return False


def _gutters(rows: Sequence[Row]) -> list[Interval]:
    """White space that all but a few rows leave free, with cells on both sides."""
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    covered = np.zeros((len(rows), min(int(right - left) + 2, 5000)), dtype=bool)
    for place, row in enumerate(rows):
        for run in row.runs:
            covered[place, int(run.left - left) : int(run.right - left) + 1] = True
    free = covered.sum(axis=0) <= _CROSSING * len(rows)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]]).astype(np.int8))).tolist()
    least = _GUTTER * float(np.median([row.height for row in rows]))
    return [
        (left + start, left + stop)
        for start, stop in zip(edges[::2], edges[1::2], strict=True)
        if stop - start >= least and start > 0 and stop < covered.shape[1] - 1
    ]


def _is_table(rows: Sequence[Row], table: Table) -> bool:
    cells = [_filled(row, table.gutters) for row in rows[table.first : table.stop]]
    full = [row for row in cells if len(row) >= _TWO]
    many = sum(len(row) for row in full) > (_TWO + 0.5) * len(full)
    height = max(row.height for row in rows[table.first : table.stop])
    if not many and max(right - left for left, right in table.gutters) < _ONLY_GUTTER * height:
        return False
    return len(full) >= (_FEWEST_OF_MANY if many else _FEWEST_OF_TWO) and len(full) >= _FULL * len(cells)
