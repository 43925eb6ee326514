"""The table as Python's csv reads it, and what a spreadsheet would make of it."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.exports.cases import ExportableCase, export_of, record_in
from engine.exports.formats.documents import COLUMNS
from engine.review.exchange import defused
from tests.engine.exports.cases import EMPTY, FORGED, GAPS, KINDS
from tests.engine.exports.conftest import Cases
from tests.tables import table

DANGEROUS = tuple("=+-@\t\r\n")


def rows(case: ExportableCase) -> list[dict[str, str]]:
    text = export_of("csv").write(case).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_a_row_for_each_ranked_passage(kind: str, cases: Cases) -> None:
    record, found = record_in(cases[kind]), rows(cases[kind])
    assert [int(row["rank"]) for row in found] == [one.rank for one in record.passages]
    assert [float(row["score"]) for row in found] == [one.score for one in record.passages]
    if kind != FORGED:
        assert [row["id"] for row in found] == [one.id for one in record.passages]
        assert [row["text"].removeprefix("'") for row in found] == [one.text for one in record.passages]


def test_its_form_is_the_one_that_spreadsheets_read(cases: Cases) -> None:
    data = export_of("csv").write(cases[GAPS])
    assert data.startswith(b"\xef\xbb\xbf" + ",".join(COLUMNS).encode() + b"\r\n")
    assert data.endswith(b"\r\n")
    assert export_of("csv").write(cases[EMPTY]) == b"\xef\xbb\xbf" + ",".join(COLUMNS).encode() + b"\r\n"


def test_a_row_says_how_the_passage_was_found(cases: Cases) -> None:
    found = rows(cases[GAPS])
    assert all(row["trail"].endswith(".") and row["found by"] and row["round"] for row in found)
    assert all(row["citation"].endswith(f"[{row['id']}]") for row in found)
    assert {row["pinned"] for row in found} == {"yes", "no"}
    linked = next(row for row in found if row["quote"])
    assert linked["quote"] in linked["trail"]
    assert linked["quoted from"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_cell_is_a_formula(kind: str, cases: Cases) -> None:
    for row in rows(cases[kind]):
        for name, value in row.items():
            if name not in ("rank", "score", "page", "round"):
                assert not value.startswith(DANGEROUS), name
                assert not value.strip().startswith(("=", "+", "-", "@")), name
                assert "\x00" not in value


@pytest.mark.parametrize(
    ("text", "told"),
    table(__file__, "test_what_a_spreadsheet_takes_for_a_formula"),
)
def test_what_a_spreadsheet_takes_for_a_formula(text: str, told: str) -> None:
    assert defused(text) == told


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_any_text_is_one_cell_and_comes_back(texts: list[str]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\r\n").writerow(map(defused, texts))
    [row] = csv.reader(io.StringIO(file.getvalue(), newline=""), strict=True)
    assert row == [defused(text) for text in texts]
    assert not any(cell.startswith(DANGEROUS) for cell in row)
