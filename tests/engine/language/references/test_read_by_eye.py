"""References that a person read. What was right must be found again: ``test_corpora.py``.

``read_by_eye/<language>.tsv`` are drawn at random by ``python -m benchmarks.references DIR --draw 100
--seed 1``; the reader fills in ``verdict`` (right or wrong) and ``remark``.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchmarks.references import COLUMNS

TABLES = sorted((Path(__file__).parent / "read_by_eye").glob("*.tsv"))

# Of the references that were read, this share must be right.
LEAST = 0.95


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_every_row_has_a_verdict(table: Path) -> None:
    found = rows(table)
    assert tuple(found[0]) == COLUMNS
    assert {row["verdict"] for row in found} <= {"right", "wrong"}
    assert sum(row["verdict"] == "right" for row in found) >= LEAST * len(found)
    assert all(row["remark"] for row in found if row["verdict"] == "wrong")


def read_by_eye() -> list[dict[str, str]]:
    return [row for table in TABLES for row in rows(table)]
