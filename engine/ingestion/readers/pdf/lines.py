"""The lines of a document in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.ingestion.readers.pdf.columns import Region, gutters_of, regions_of, whole
from engine.ingestion.readers.pdf.direction import runs_right_to_left
from engine.ingestion.readers.pdf.rows import Row, rows_of
from engine.ingestion.readers.pdf.sheets import Sheet
from engine.ingestion.readers.pdf.tables import SEPARATOR, cells_of, tables_of

# Gutters of two pages are the same within so many points.
_SAME_GUTTER = 6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, where it stands, and the edges of the column that it stands in.

    ``first`` of its column; ``cells`` where it is a row of a table.
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
        """Half way up."""
        return (self.top + self.bottom) / 2

    @property
    def start(self) -> float:
        """How far it is set in from the edge at which it begins."""
        return self.edges[1] - self.right if self.rtl else self.left - self.edges[0]

    @property
    def rest(self) -> float:
        """How much of the column it leaves free at its end."""
        return self.left - self.edges[0] if self.rtl else self.edges[1] - self.right

    @property
    def centred(self) -> bool:
        """Whether it stands in the middle of its column, clear of both edges."""
        width = self.edges[1] - self.edges[0]
        return min(self.start, self.rest) > 0.05 * width and abs(self.start - self.rest) < 0.12 * width


def lines_of(sheets: Sequence[Sheet]) -> Iterator[Line]:
    """The lines of some pages in reading order; columns of one page help to find those of another."""
    found = [[] if sheet.aside else gutters_of(sheet.runs) for sheet in sheets]
    known = [gutter for gutters in found for gutter in gutters]
    steady = [gutter for gutter in known if sum(abs(gutter - other) < _SAME_GUTTER for other in known) > 1]
    for sheet, gutters in zip(sheets, found, strict=True):
        if not sheet.runs:
            continue
        for region in regions_of(sheet.runs, steady) if gutters or steady else [whole(sheet.runs)]:
            yield from _lines(region, sheet)


def _lines(region: Region, sheet: Sheet) -> Iterator[Line]:
    rows = rows_of(region.runs, backwards=sheet.backwards)
    tables = {place: table for table in tables_of(rows) for place in range(table.first, table.stop)}
    for place, row in enumerate(rows):
        table = tables.get(place)
        text = row.text
        if table is not None:
            cells = cells_of(row, table.gutters, backwards=sheet.backwards)
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
