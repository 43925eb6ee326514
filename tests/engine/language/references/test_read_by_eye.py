"""References that a person read: what was right is found again, with the same target.

``read_by_eye/<language>.tsv`` are drawn at random by ``python -m benchmarks.references DIR --draw 100
--seed 1``; the reader fills in ``verdict`` (right or wrong) and ``remark``.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from benchmarks.references import COLUMNS, read
from engine.language.references import Resolver
from engine.model import Status

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[4].parent / "shared" / "data")
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


@pytest.mark.corpora
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora beside the project ({DATA.name})")
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_what_was_right_is_still_found(table: Path) -> None:
    right = [row for row in rows(table) if row["verdict"] == "right"]
    lost = []
    for name in sorted({row["corpus"] for row in right}):
        corpus = read(DATA / name)
        resolver = Resolver(corpus.documents, corpus.sections, corpus.passages)
        targets = corpus.targets()
        wanted = {row["source"] for row in right if row["corpus"] == name}
        found = {
            (passage.source_id, " ".join(one.text.split()), targets[one.target_kind, one.target_id])
            for passage in corpus.passages
            if passage.source_id in wanted
            for one in resolver.references(passage)
            if one.status is Status.RESOLVED and one.target_kind and one.target_id
        }
        lost += [row for row in right if row["corpus"] == name and not _is_in(row, found)]
    assert lost == []


def _is_in(row: dict[str, str], found: set[tuple[str, str, str]]) -> bool:
    """The reference may have grown or shrunk by a word; its source and target may not have changed."""
    return any(
        (source, target) == (row["source"], row["target"]) and (text in row["text"] or row["text"] in text)
        for source, text, target in found
    )
