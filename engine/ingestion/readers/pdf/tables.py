"""Rows of a table: cells that stand under each other with white space between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.ingestion.readers.pdf.rows import Row, Run, text_of

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
