"""The table as spreadsheets read_table and write_table it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.review.exchange import COLUMNS, read_table, write_table
from tests.engine.review.judged import N, R, passage, said

DANGEROUS = tuple("=+-@\t\r\n")


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))


def test_a_row_has_what_is_known_of_a_verdict() -> None:
    item = passage("p", strategy="links", round=2, language="de", document_type="act")
    one = replace(said(item, N), reason="other law", note="repealed in 2019", seconds=7.5, criteria=3)
    (row,) = rows(write_table([one]))
    assert tuple(row) == COLUMNS
    expected = {
        "case_id": "case", "kind": "passage", "passage_id": "p", "strategy": "links", "round": "2",
        "distance": "1", "rank": "", "language": "de", "document_type": "act", "verdict": "not relevant",
        "approved": "0", "reason": "other law", "note": "repealed in 2019", "reviewer": "anna",
        "source": "human", "seconds": "7.5", "criteria": "3",
    }  # fmt: skip
    assert expected.items() <= row.items()


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["", "=", " +", "@", "-", "'="]))
def test_no_cell_is_a_formula(words: str, begin: str) -> None:
    one = replace(said(passage("p"), R, f"{begin}{words}"), note=f"{begin}{words}")
    (row,) = rows(write_table([one]))
    assert not row["note"].startswith(DANGEROUS)
    assert not row["reviewer"].startswith(DANGEROUS)


def file(folder: Path, text: str) -> Path:
    path = folder / "verdicts.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    ["passage_id,verdict,note\np,partly,yes", "note;verdict;passage_id\r\nyes;partly;p\r\n"],
    ids=["commas", "semicolons"],
)
def test_a_table_that_somebody_made(text: str, tmp_path: Path) -> None:
    (found,) = read_table(file(tmp_path, text))
    assert (found.passage_id, found.verdict.value, found.note) == ("p", "partly", "yes")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("passage,note\np,x\n", "line 1: no column 'verdict'"),
        ("", "line 1: no column 'verdict'"),
        ('passage_id,verdict,note\np,partly,"a\nb"\np,good,\n', "line 4: unknown verdict 'good'"),
        ("passage_id,verdict\np,partly,3\n", "line 2: more fields than columns"),
        ("passage_id,verdict\np\n", "line 2: verdict: Field required"),
        ("passage_id,verdict\n,partly\n", "line 2: names no item"),
        ('passage_id,verdict\n"p"x,partly\n', "line 2: not CSV"),
        ('passage_id,verdict\n"p,partly\n', "line 2: not CSV"),
        (f"passage_id,verdict\n{'p' * 200_000},partly\n", r"line 2: (not CSV|passage_id: )"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=reason):
        read_table(file(tmp_path, text))
