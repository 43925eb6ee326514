from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingestion.readers.pdf.rows import Run, rows_of
from engine.ingestion.readers.pdf.tables import cells_of, tables_of
from tests.engine.ingestion.readers.pdf.drawing import words

CELL = st.from_regex(r"\A[A-Z][a-z]{1,6}( [a-z]{1,5})?\Z")


@settings(max_examples=40)
@given(
    st.integers(3, 5).flatmap(
        lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=4, max_size=9)
    )
)
def test_cells_of_a_grid(grid: list[list[str]]) -> None:
    runs: list[Run] = []
    for place, row in enumerate(grid):
        for column, text in enumerate(row):
            runs += words(text, 40 + 110 * column, 700 - 14 * place)
    rows = rows_of(runs)
    (table,) = tables_of(rows)
    assert (table.first, table.stop) == (0, len(grid))
    assert [cells_of(row, table.gutters) for row in rows] == grid


def test_empty_cells_keep_their_place() -> None:
    grid = [["Name", "Fee", "Year"], ["Berth", "", "2019"], ["Quay", "200", "2020"], ["Pier", "300", ""]]
    runs: list[Run] = []
    for place, row in enumerate(grid):
        for column, text in enumerate(row):
            runs += words(text, 40 + 110 * column, 700 - 14 * place)
    rows = rows_of(runs)
    (table,) = tables_of(rows)
    assert [cells_of(row, table.gutters) for row in rows] == [*grid[:3], ["Pier", "300"]]


def test_a_list_is_no_table() -> None:
    runs: list[Run] = []
    for place, mark in enumerate(("1.", "2.", "3.", "4.", "5.")):
        runs += words(mark, 40, 700 - 14 * place) + words("Bea Meterai adalah pajak", 80, 700 - 14 * place)
    assert list(tables_of(rows_of(runs))) == []


def test_definitions_with_a_colon_are_no_table() -> None:
    runs: list[Run] = []
    for place, term in enumerate(("State", "Ministry", "Minister", "Child", "Guardian")):
        runs += words(term, 40, 700 - 14 * place) + words(": what the law calls so", 140, 700 - 14 * place)
    assert list(tables_of(rows_of(runs))) == []


def test_prose_is_no_table() -> None:
    prose = (
        "sebagai   perwujudan  pelaksanaan   kewajiban",
        "kewarganegaraan   secara   berkeadilan   dan",
        "mengoptimalkan  penerimaan  negara,   perlu",
        "penghimpunan   dana  pembiayaan   yang   ada",
        "mandiri   untuk    melaksanakan  pembangunan",
    )
    runs: list[Run] = []
    for place, line in enumerate(prose):
        runs += words(line, 40, 700 - 14 * place)
    assert list(tables_of(rows_of(runs))) == []
