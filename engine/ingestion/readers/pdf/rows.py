"""Join characters to runs, rows and tables, and leave out text that is not part of the document."""

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
    is_reversed,
    order_text,
    read_glyphs,
    runs_right_to_left,
)
from engine.language.characters import raised

# Runs and rows
#
# A run is a sequence of touching characters: a word or a part of one. A row consists of runs side by side at
# one height. Neither depends on columns: regions are divided first (see ``lines.py``).

# Minimum width of white space between words, as a share of the type's height: for spaced letters, and where
# the document contains a space. Arabic letters of a word touch.
GAP, STATED_GAP, RTL_GAP = 0.16, 0.05, 0.075
# Maximum distance of the middles of two runs in one row, as a share of their heights.
_ONE_ROW = 0.28
# Minimum share of bold text in a bold row: a bold word at the start does not make a heading.
_BOLD = 0.9
# A reference to a note: its size and height relative to its word, and its maximum distance.
_SMALLER, _RAISED, _NEAR = 0.92, 0.12, 0.5
# Maximum height of a vowel sign relative to the letters of its page.
_MARK = 0.4
_NUMBER = re.compile(r"\(?\d{1,3}(?:,\d{1,3})*\)?")
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Run:
    """Characters that touch. ``signs``: only for right-to-left letters."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    bold: bool = False
    signs: tuple[Sign, ...] = ()

    @property
    def height(self) -> float:
        """Height of the type."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """Vertical centre."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Row:
    """Runs at one height from left to right, and their text in reading order."""

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
        """Vertical centre."""
        return (self.top + self.bottom) / 2

    @property
    def rtl(self) -> bool:
        """True if its letters run from right to left."""
        return runs_right_to_left(self.text)


def make_runs(glyphs: Glyphs, is_bold: Callable[[int], bool]) -> list[Run]:
    """Return the runs of a page in its own order. ``is_bold`` is called with a character's index."""
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
    """Return the starts of runs: at white space, at a step up or down, at a step back."""
    box: Floats = glyphs.box
    height = np.maximum(box[:-1, 3] - box[:-1, 1], box[1:, 3] - box[1:, 1])
    shift = np.abs(box[1:, 3] + box[1:, 1] - box[:-1, 3] - box[:-1, 1]) / 2
    ahead, behind = box[1:, 0] - box[:-1, 2], box[:-1, 0] - box[1:, 2]
    gap = np.where(glyphs.spaced[1:], STATED_GAP, GAP) * height
    same = (box[1:] == box[:-1]).all(axis=1)
    # Small raised digits after a word refer to a note.
    size, digit = box[:, 3] - box[:, 1], np.array([letter.isdecimal() for letter in glyphs.text])
    smaller = np.where(size[1:] < size[:-1], digit[1:], digit[:-1]) & (
        np.minimum(size[1:], size[:-1]) < _SMALLER * height
    )
    apart = (np.maximum(ahead, behind) > gap) | (shift > 0.4 * height) | smaller & (shift > 0.08 * height)
    back = (box[1:, 0] < box[:-1, 0] - 0.05 * height) & (behind < -0.5 * height)
    return np.concatenate([[0], np.flatnonzero((apart | back) & ~same) + 1])


def _signs(glyphs: Glyphs, start: int, stop: int) -> tuple[Sign, ...]:
    """Return the glyphs of a run: characters with identical boxes are one."""
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


def make_rows(runs: Sequence[Run], *, backwards: bool = True) -> list[Row]:
    """Group runs into rows, from top to bottom."""
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
        # Fonts may give a vowel sign and the letter below it the box of the sign.
        near = min(groups, key=lambda group: min(_distance(mark, run) for run in group))
        near.append(mark)
    return [make_row(group, backwards=backwards) for group in groups]


def _distance(mark: Run, run: Run) -> float:
    """Return the distance of a sign from a run, vertical distance first."""
    above = max(mark.middle - run.top, run.bottom - mark.middle, 0.0)
    return 100 * above + max(_between(mark, run), 0.0)


def make_row(runs: Sequence[Run], *, backwards: bool = True) -> Row:
    """Make the row of some runs."""
    ordered = _with_note_calls(sorted(runs, key=lambda one: (one.left, one.right)))
    width = [max(run.right - run.left, 0.01) for run in ordered]
    bold = sum(part for run, part in zip(ordered, width, strict=True) if run.bold) > _BOLD * sum(width)
    height = sum(run.height * part for run, part in zip(ordered, width, strict=True)) / sum(width)
    return Row(
        runs=ordered,
        text=join_runs(ordered, backwards=backwards),
        left=ordered[0].left,
        bottom=min(run.bottom for run in ordered),
        right=max(run.right for run in ordered),
        top=max(run.top for run in ordered),
        height=height,
        bold=bold,
    )


def _with_note_calls(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Convert small raised numbers after words of a row to superscripts."""
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


def join_runs(runs: Sequence[Run], *, backwards: bool = True) -> str:
    """Return the text of runs side by side, in reading order, with single spaces."""
    plain = "".join(run.text for run in runs)
    if runs_right_to_left(plain):
        signs = [sign for run in runs for sign in run.signs]
        height = max(run.height for run in runs)
        return " ".join(order_text(signs, RTL_GAP * height, backwards=backwards).split())
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


# Runs of pages, without text that is not part of the document

_BOLD_NAME = re.compile(
    r"bold|black|heavy|(?:CM|SF|EC|LM)\w*BX|[-,]B(?:d|old)?(?:It|I)?\Z|\ABold", re.IGNORECASE
)
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHT = 600
_LONGEST_NAME = 128
# Buffers of PDFium, which may be called by one thread at a time only.
_NAME, _FLAGS = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The runs of a page in one direction; ``page`` counts from 1.

    ``aside``: text rotated against most of its page. ``backwards``: see ``in_reading_order``.
    """

    page: int
    runs: tuple[Run, ...]
    width: float
    height: float
    aside: bool = False
    backwards: bool = True


def read_sheets(document: pdfium.PdfDocument, number: int) -> Iterator[Sheet]:
    """Yield the sheets of a page, the upright one first; none for a page without text.

    ``number`` counts from 0. Raises pdfium.PdfiumError for a broken page.
    """
    page = document[number]
    try:
        textpage = page.get_textpage()
        try:
            width, height = page.get_size()
            fonts: dict[tuple[bytes, int], bool] = {}
            for place, glyphs in enumerate(read_glyphs(page, textpage)):
                backwards = _is_backwards(glyphs)
                runs = make_runs(glyphs, lambda index: _is_bold(textpage, index, fonts))
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
        named = _BOLD_NAME.search(name.value.decode("utf-8", "replace").split("+")[-1]) is not None
        heavy = raw.FPDFText_GetFontWeight(textpage, index) >= _BOLD_WEIGHT
        fonts[key] = named or heavy or bool(flags.value & _FORCE_BOLD)
    return fonts[key]


def _is_backwards(glyphs: Glyphs) -> bool:
    """Return True if glyphs of several Arabic letters are reversed on this page."""
    if not RIGHT_TO_LEFT.search(glyphs.text):
        return True
    same = (glyphs.box[1:] == glyphs.box[:-1]).all(axis=1).nonzero()[0].tolist()
    return is_reversed([glyphs.text[index : index + 2] for index in same])


# Rows of a table: aligned cells with white space between them

SEPARATOR = " | "
# Minimum white space between cells, as a share of the type's height: in a possible row of a table, and
# between columns. A few rows (titles over several columns) may cross it.
_GAP, _GUTTER, _CROSSING = 1.2, 0.7, 0.15
# Maximum number of consecutive rows without a gap inside a table: cells with several lines.
_PATIENCE = 2
# Minimum number of rows of a table with three and with two cells; minimum share of rows with several cells.
_FEWEST_OF_MANY, _FEWEST_OF_TWO, _FULL = 3, 4, 0.5
# Minimum white space if there are only two columns: justified prose has gaps too.
_ONLY_GUTTER = 1.3
# "a.", "(1)", ":": they belong to the words after them.
_MARKER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]{1,2}|[ivxIVX]{1,5}|[\u0621-\u064a])[.)]|\(\w{1,4}\)|[-–—•*:]")
_TWO = 2

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Table:
    """Consecutive rows from ``first`` to before ``stop``, and the white space between cells."""

    first: int
    stop: int
    gutters: tuple[Interval, ...]


def find_tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield the tables among the rows of a part of a page, from top to bottom."""
    for first, stop in _gappy(rows):
        gutters = _gutters(rows[first:stop])
        # Prose above or below that was mistaken for a table has one cell per row.
        while gutters and stop > first and len(_filled(rows[stop - 1], gutters)) < _TWO:
            stop -= 1
        while gutters and stop > first and len(_filled(rows[first], gutters)) < _TWO:
            first += 1
        table = Table(first, stop, tuple(gutters))
        if gutters and stop > first and _is_table(rows, table):
            yield table


def split_cells(row: Row, gutters: Sequence[Interval], *, backwards: bool = True) -> list[str]:
    """Return the texts of a row's cells in reading order; empty for an empty cell."""
    groups: list[list[Run]] = [[] for _ in range(len(gutters) + 1)]
    middles = [(left + right) / 2 for left, right in gutters]
    for run in row.runs:
        middle = (run.left + run.right) / 2
        groups[sum(middle > edge for edge in middles)].append(run)
    texts = [join_runs(group, backwards=backwards) if group else "" for group in groups]
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
    return [cell for cell in split_cells(row, gutters) if cell]


def _gappy(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows with wide gaps, including some rows without."""
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
    """Return white space that all but a few rows leave free, with cells on both sides."""
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
