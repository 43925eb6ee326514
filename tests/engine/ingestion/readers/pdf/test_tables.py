from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingestion.readers.pdf.rows import Row, Run, find_tables, make_rows, split_cells
from tests.engine.ingestion.readers.pdf.drawing import words

CELL = st.from_regex(r"\A[A-Z][a-z]{1,6}( [a-z]{1,5})?\Z")


def laid_out(grid: Sequence[Sequence[str]], step: float = 110) -> list[Row]:
    runs: list[Run] = []
    for place, row in enumerate(grid):
        for column, text in enumerate(row):
            runs += words(text, 40 + step * column, 700 - 14 * place)
    return make_rows(runs)


@settings(max_examples=40)
@given(
    st.integers(3, 5).flatmap(
        lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=4, max_size=9)
    )
)
def test_cells_of_a_grid(grid: list[list[str]]) -> None:
    rows = laid_out(grid)
    (table,) = find_tables(rows)
    assert (table.first, table.stop) == (0, len(grid))
    assert [split_cells(row, table.gutters) for row in rows] == grid


def test_empty_cells_keep_their_place() -> None:
    grid = [["Name", "Fee", "Year"], ["Berth", "", "2019"], ["Quay", "200", "2020"], ["Pier", "300", ""]]
    rows = laid_out(grid)
    (table,) = find_tables(rows)
    assert [split_cells(row, table.gutters) for row in rows] == [*grid[:3], ["Pier", "300"]]


def test_lists_definitions_and_prose_are_not_tables(subtests: pytest.Subtests) -> None:
    terms = ("State", "Ministry", "Minister", "Child", "Guardian")
    prose = (
        "sebagai   perwujudan  pelaksanaan   kewajiban",
        "kewarganegaraan   secara   berkeadilan   dan",
        "mengoptimalkan  penerimaan  negara,   perlu",
        "penghimpunan   dana  pembiayaan   yang   ada",
        "mandiri   untuk    melaksanakan  pembangunan",
    )
    for name, rows in (
        ("list", laid_out([(f"{number}.", "Bea Meterai adalah pajak") for number in range(1, 6)], 40)),
        ("definitions", laid_out([(term, ": what the law calls so") for term in terms], 100)),
        ("prose", laid_out([[line] for line in prose])),
    ):
        with subtests.test(name):
            assert list(find_tables(rows)) == []
