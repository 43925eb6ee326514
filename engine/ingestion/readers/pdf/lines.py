"""Return the lines of a document in reading order, one column after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.pdf.glyphs import runs_right_to_left
from engine.ingestion.readers.pdf.rows import SEPARATOR, Row, Run, Sheet, find_tables, make_rows, split_cells

# Reading order of the parts of a page
#
# Like the recursive X-Y cut (Nagy and Seth 1984), but titles and rules may cross a gutter: it divides only
# the rows between them.

# Widths as shares of the height of the type: gaps up to twice FILL are filled; the remaining gaps may be
# gutters.
_FILL, _NARROWEST = 0.27, 0.55
# Minimum number of scan lines with text on both sides of a gutter, and minimum excess over those that cross
# it.
_FEWEST_LINES, _SHARE = 6, 0.6
# Criteria of running text in a column: rows, their filled share, characters per row, share of digits.
_ROWS, _FILLED, _CHARACTERS, _DIGITS = 4, 0.4, 17, 0.35
_DEEPEST = 6
# Maximum share of rows that are as wide as full ones.
_FULL_ROWS = 0.8
_WIDE_LETTERS = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page that is read from top to bottom."""

    runs: tuple[Run, ...]
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class _Band:
    top: float
    bottom: float
    columns: bool


def find_regions(runs: Sequence[Run], known: Sequence[float] = ()) -> list[Region]:
    """Return the parts of a page in reading order; ``known``: positions of gutters on other pages."""
    if not runs:
        return []
    rtl = runs_right_to_left("".join(run.text for run in runs))
    return [page_region(part) for part in _parts(list(runs), known, rtl=rtl, depth=0)]


def find_gutters(runs: Sequence[Run]) -> list[float]:
    """Return the positions of the gutters between columns of running text."""
    found: list[float] = []
    waiting = [list(runs)]
    while waiting and len(found) < _DEEPEST:
        part = waiting.pop()
        gutter = _gutter(part, ())
        if gutter is not None:
            found.append(gutter[0])
            waiting += [
                [run for run in part if run.right <= gutter[0]],
                [run for run in part if run.left >= gutter[0]],
            ]
    return found


def page_region(runs: Sequence[Run]) -> Region:
    """Return a page without columns as a single region."""
    return Region(tuple(runs), min(run.left for run in runs), max(run.right for run in runs))


def _parts(runs: list[Run], known: Sequence[float], *, rtl: bool, depth: int) -> Iterator[list[Run]]:
    gutter = _gutter(runs, known) if depth < _DEEPEST else None
    if gutter is None:
        yield runs
        return
    x, bands = gutter
    for band in bands:
        inside = [run for run in runs if band.bottom <= run.middle < band.top]
        if not inside:
            continue
        if not band.columns:
            yield inside
            continue
        left = [run for run in inside if (run.left + run.right) / 2 < x]
        right = [run for run in inside if (run.left + run.right) / 2 >= x]
        for side in (right, left) if rtl else (left, right):
            if side:
                yield from _parts(side, known, rtl=rtl, depth=depth + 1)


def _gutter(runs: list[Run], known: Sequence[float]) -> tuple[float, list[_Band]] | None:
    """Return the best gutter of a part and its bands; None if there is none."""
    if len(runs) < 2 * _ROWS:
        return None
    height = float(np.median([run.height for run in runs]))
    lines, step, left = _scanned(runs, height)
    before = np.logical_or.accumulate(lines, axis=1)
    after = np.logical_or.accumulate(lines[:, ::-1], axis=1)[:, ::-1]
    parted = (before & after & ~lines).sum(axis=0)
    crossed = lines.sum(axis=0)
    places = left + np.arange(lines.shape[1])
    known_here = np.zeros(lines.shape[1], dtype=bool)
    for other in known:
        known_here |= np.abs(places - other) < height
    # At a gutter known from other pages, a short last column is sufficient.
    enough = np.where(known_here, 1, _FEWEST_LINES)
    good = (parted >= enough) & (parted >= _SHARE * (parted + crossed))
    wide = max(2, round(_NARROWEST * height))
    for start, stop in sorted(_stretches(good, wide), key=lambda one: -int(parted[one[0] : one[1]].max())):
        # Text in the middle of white space common to most rows crosses it, such as a short title.
        most = start + np.flatnonzero(parted[start:stop] == parted[start:stop].max())
        most = most[len(most) // 3 : 2 * len(most) // 3 + 1]
        x = left + float(np.median(most)) + 0.5
        near = any(abs(x - other) < height for other in known)
        bands = list(_bands(np.asarray(lines[:, most].any(axis=1)), max(run.top for run in runs), step))
        bands = _checked(bands, runs, x, near=near)
        if any(band.columns for band in bands):
            return x, bands
    return None


def _scanned(runs: Sequence[Run], height: float) -> tuple[npt.NDArray[np.bool_], float, float]:
    """Return scan lines over the part, from the top: covered points, one point wide."""
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    top, bottom = max(run.top for run in runs), min(run.bottom for run in runs)
    step = max(height / 2, (top - bottom) / 2000, 0.5)
    width = min(int(right - left) + 2, 5000)
    lines = np.zeros((int((top - bottom) / step) + 1, width), dtype=bool)
    for run in runs:
        first, last = (
            int((top - run.top + 0.15 * run.height) / step),
            int((top - run.bottom - 0.15 * run.height) / step),
        )
        fill = _FILL * run.height
        lines[
            first : max(last, first) + 1,
            max(0, int(run.left - left - fill)) : int(run.right - left + fill) + 1,
        ] = True
    return lines, step, left


def _stretches(good: npt.NDArray[np.bool_], wide: int) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if stop - start >= wide:
            yield start, stop


def _bands(covered: npt.NDArray[np.bool_], top: float, step: float) -> Iterator[_Band]:
    place = 0
    for crossed, group in groupby(covered.tolist()):
        count = len(list(group))
        upper = top + 1 if place == 0 else top - place * step
        last = place + count == len(covered)
        yield _Band(upper, top - (place + count) * step - (step + 1 if last else 0), not crossed)
        place += count


def _checked(bands: list[_Band], runs: Sequence[Run], x: float, *, near: bool) -> list[_Band]:
    """Return bands with running text on both sides; the others are joined to their neighbours."""
    checked: list[_Band] = []
    for band in bands:
        columns = band.columns and _is_running(runs, band, x, near=near)
        if checked and not columns and not checked[-1].columns:
            checked[-1] = _Band(checked[-1].top, band.bottom, False)
        else:
            checked.append(_Band(band.top, band.bottom, columns))
    return checked


def _is_running(runs: Sequence[Run], band: _Band, x: float, *, near: bool) -> bool:
    sides: tuple[list[Run], list[Run]] = ([], [])
    for run in runs:
        if band.bottom <= run.middle < band.top:
            sides[(run.left + run.right) / 2 >= x].append(run)
    if near:
        return bool(sides[0] and sides[1])
    return all(_is_column(side) for side in sides)


def _is_column(runs: Sequence[Run]) -> bool:
    if len(runs) < _ROWS:
        return False
    rows = make_rows(runs)
    if len(rows) < _ROWS:
        return False
    # Columns side by side with lines at different heights give rows of one column's width.
    width = float(np.quantile([row.right - row.left for row in rows], _FULL_ROWS))
    filled = float(np.median([sum(run.right - run.left for run in row.runs) for row in rows]))
    text = "".join(run.text for run in runs)
    wide = len(_WIDE_LETTERS.findall(text)) > len(text) / 2
    digits = sum(letter.isdigit() for letter in text)
    # Short lines between headings of provisions are a column; rows of headings alone are a table.
    headings = sum(heading_line(row.text) is not None for row in rows)
    return 0 < headings <= len(rows) / 2 or (
        filled >= _FILLED * width
        and len(text) / len(rows) >= (_CHARACTERS / 2 if wide else _CHARACTERS)
        and digits <= _DIGITS * len(text)
    )


# Lines in reading order

# Maximum difference of a gutter's position between pages, in points.
_SAME_GUTTER = 6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, its position, and the edges of its column.

    ``first``: of its column. ``cells``: it is a row of a table.
    """

    text: str
    page: int
    left: float
    bottom: float
    right: float
    top: float
    height: float
    bold: bool
    edges: tuple[float, float]
    first: bool = False
    cells: bool = False
    rtl: bool = False
    first_word: float = 0.0

    @property
    def middle(self) -> float:
        """Vertical centre."""
        return (self.top + self.bottom) / 2

    @property
    def start(self) -> float:
        """Indentation from the edge at which it begins."""
        return self.edges[1] - self.right if self.rtl else self.left - self.edges[0]

    @property
    def rest(self) -> float:
        """Free space of the column at its end."""
        return self.left - self.edges[0] if self.rtl else self.edges[1] - self.right

    @property
    def centred(self) -> bool:
        """True if it is in the middle of its column, clear of both edges."""
        width = self.edges[1] - self.edges[0]
        return min(self.start, self.rest) > 0.05 * width and abs(self.start - self.rest) < 0.12 * width


def read_lines(sheets: Sequence[Sheet]) -> Iterator[Line]:
    """Yield the lines of some pages in reading order; columns of one page help to find those of another."""
    found = [[] if sheet.aside else find_gutters(sheet.runs) for sheet in sheets]
    known = [gutter for gutters in found for gutter in gutters]
    steady = [gutter for gutter in known if sum(abs(gutter - other) < _SAME_GUTTER for other in known) > 1]
    for sheet, gutters in zip(sheets, found, strict=True):
        if not sheet.runs:
            continue
        for region in find_regions(sheet.runs, steady) if gutters or steady else [page_region(sheet.runs)]:
            yield from _lines(region, sheet)


def _lines(region: Region, sheet: Sheet) -> Iterator[Line]:
    rows = make_rows(region.runs, backwards=sheet.backwards)
    tables = {place: table for table in find_tables(rows) for place in range(table.first, table.stop)}
    for place, row in enumerate(rows):
        table = tables.get(place)
        text = row.text
        if table is not None:
            cells = split_cells(row, table.gutters, backwards=sheet.backwards)
            text = SEPARATOR.join(cells) if any(cells[1:]) else row.text
        if text.strip():
            yield _line(row, text.strip(), region, sheet, first=place == 0, cells=table is not None)


def _line(row: Row, text: str, region: Region, sheet: Sheet, *, first: bool, cells: bool) -> Line:
    rtl = runs_right_to_left(text)
    word = row.runs[-1] if rtl else row.runs[0]
    return Line(
        text,
        sheet.page,
        row.left,
        row.bottom,
        row.right,
        row.top,
        row.height,
        row.bold,
        (region.left, region.right),
        first,
        cells,
        rtl,
        word.right - word.left,
    )
