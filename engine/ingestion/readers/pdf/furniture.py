"""Remove repeated page furniture: headers, footers, page and line numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.pdf.rows import Row, Run, Sheet, make_rows

# Number of rows at the top and at the bottom of a page to examine.
_OUTER_ROWS = 4
# Maximum distance from the first and last row, in heights of the type.
_ZONE = 10
# Minimum number of pages with the row at the same height.
_FEWEST_PAGES, _SHARE = 3, 0.2
# Share of the height of the first and last page for headers and footers of a document of two pages.
_EDGE = 0.12
_LINE_NUMBERS, _REGULAR = 8, 0.2
_STEPS = (1, 5)
_DIGITS = re.compile(r"\d+|(?<![^\W\d])[ivxlc]{1,7}(?![^\W\d])")
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|p\.|seite|halaman|hal\.?|trang|صفحة|الصفحة)\s*)?(?P<number>\d{1,5})"
    r"(?:\s*(?:/|of|von|de|sur|dari|من|\|)\s*(?:page\s*)?\d{1,5})?\W*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Outer:
    """A row near the edge of a page, and its distance from the edge."""

    sheet: int
    row: Row
    top: bool
    rank: int


def remove_furniture(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Remove rows and numbers that are repeated on every page."""
    outer = [entry for place, sheet in enumerate(sheets) for entry in _outer(place, sheet)]
    furniture: dict[int, set[Run]] = defaultdict(set)
    for entry in (*_repeated(outer, sheets), *_page_numbers(outer, sheets)):
        furniture[entry.sheet].update(entry.row.runs)
    cleared = []
    for place, sheet in enumerate(sheets):
        runs = (
            tuple(run for run in sheet.runs if run not in furniture[place])
            if furniture[place]
            else sheet.runs
        )
        numbers = _line_numbers(runs)
        cleared.append(replace(sheet, runs=tuple(run for run in runs if run not in numbers)))
    return cleared


def fold_row(text: str) -> str:
    """Normalise a row for comparison: without numbers, and independent of even and odd pages."""
    return " ".join(sorted(_DIGITS.sub("#", text.casefold()).split()))


def _outer(place: int, sheet: Sheet) -> list[_Outer]:
    if not sheet.runs:
        return []
    if sheet.aside:
        rows = make_rows(sheet.runs, backwards=sheet.backwards)
        return [_Outer(place, row, True, 0) for row in rows[: 2 * _OUTER_ROWS]]
    zone = _ZONE * median(run.height for run in sheet.runs)
    top, bottom = max(run.middle for run in sheet.runs), min(run.middle for run in sheet.runs)
    head = [run for run in sheet.runs if run.middle > max(top - zone, (top + bottom) / 2)]
    foot = [run for run in sheet.runs if run.middle < min(bottom + zone, (top + bottom) / 2)]
    upper = make_rows(head, backwards=sheet.backwards)[:_OUTER_ROWS]
    lower = make_rows(foot, backwards=sheet.backwards)[::-1][:_OUTER_ROWS]
    return [_Outer(place, row, True, rank) for rank, row in enumerate(upper)] + [
        _Outer(place, row, False, rank) for rank, row in enumerate(lower)
    ]


def _repeated(outer: Sequence[_Outer], sheets: Sequence[Sheet]) -> list[_Outer]:
    groups: dict[tuple[str, bool], list[_Outer]] = defaultdict(list)
    for entry in outer:
        groups[fold_row(entry.row.text), entry.top].append(entry)
    pages = len({sheet.page for sheet in sheets})
    found: list[_Outer] = []
    for entries in groups.values():
        for group in _at_one_height(entries, sheets):
            on = len({sheets[entry.sheet].page for entry in group})
            if on < 2 or (pages > 2 and on < max(_FEWEST_PAGES, min(_SHARE * pages, 12))):
                continue
            if pages <= 2 and not all(_at_edge(entry, sheets) for entry in group):
                continue
            # "Pasal 5" at the top of many pages is a heading each time, unless it is always identical.
            same = len({entry.row.text for entry in group}) == 1
            if same or not any(heading_line(entry.row.text) for entry in group):
                found += group
    return found


def _at_one_height(entries: Sequence[_Outer], sheets: Sequence[Sheet]) -> list[list[_Outer]]:
    """Group rows of equal text by their distance from the page's edge."""
    groups: list[list[_Outer]] = []
    for entry in sorted(entries, key=lambda one: _distance(one, sheets)):
        near = groups and _distance(entry, sheets) - _distance(groups[-1][-1], sheets) < entry.row.height
        if near:
            groups[-1].append(entry)
        else:
            groups.append([entry])
    return groups


def _distance(entry: _Outer, sheets: Sequence[Sheet]) -> float:
    return sheets[entry.sheet].height - entry.row.middle if entry.top else entry.row.middle


def _at_edge(entry: _Outer, sheets: Sequence[Sheet]) -> bool:
    return _distance(entry, sheets) < _EDGE * sheets[entry.sheet].height


def _page_numbers(outer: Sequence[_Outer], sheets: Sequence[Sheet]) -> Iterable[_Outer]:
    """Yield rows that are only a page number."""
    numbered = []
    for entry in outer:
        match = _PAGE_NUMBER.match(entry.row.text)
        if match and entry.rank < 2 and not sheets[entry.sheet].aside:
            numbered.append((entry, int(match["number"]) - sheets[entry.sheet].page))
    counts = Counter((offset, entry.top) for entry, offset in numbered)
    alone = len({sheet.page for sheet in sheets}) == 1
    for entry, offset in numbered:
        if (
            counts[offset, entry.top] > 1
            or (alone and entry.rank == 0 and not entry.top)
            or (offset == 0 and _at_edge(entry, sheets))
        ):
            yield entry


def _line_numbers(runs: Sequence[Run]) -> set[Run]:
    """Return the numbers in the margin that count the lines of a page."""
    numbers = [run for run in runs if run.text.isdecimal() and len(run.text) <= 3]
    if len(numbers) < _LINE_NUMBERS:
        return set()
    for right in (False, True):
        edge = max(run.right for run in numbers) if right else min(run.left for run in numbers)
        column = [
            run
            for run in numbers
            if (abs(run.right - edge) if right else abs(run.left - edge)) < 2.5 * run.height
        ]
        others = [run for run in runs if run not in set(column)]
        is_outside = all(
            other.right < min(run.left for run in column) - other.height
            if right
            else other.left > max(run.right for run in column) + other.height
            for other in others
            if min(run.bottom for run in column) < other.middle < max(run.top for run in column)
        )
        if is_outside and _counts_lines(sorted(column, key=lambda run: -run.middle)):
            return set(column)
    return set()


def _counts_lines(column: Sequence[Run]) -> bool:
    values = [int(run.text) for run in column]
    steps = {after - before for before, after in pairwise(values)}
    pitch = [upper.middle - lower.middle for upper, lower in pairwise(column)]
    mean = sum(pitch) / max(1, len(pitch))
    return (
        len(values) >= _LINE_NUMBERS
        and len(steps) == 1
        and steps <= set(_STEPS)
        and all(abs(gap - mean) < _REGULAR * mean for gap in pitch)
    )
