"""Section trees of three PDFs, compared with those written by hand from the rendered pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.pdf import PdfReader
from tests.engine.ingestion.trees.compare import TREES, compare, read_tree, tree_of

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[4].parent / "shared" / "data")
PDFS = DATA / "raw" / "pdf"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(not PDFS.is_dir(), reason=f"no corpora beside the project ({DATA.name})"),
]


@pytest.mark.parametrize(
    ("name", "tree"),
    [
        ("id-uu-10-2020-bea-meterai", "id-uu-10-2020"),
        ("id-pp-1-2021", "id-pp-1-2021"),
        ("uae-decree-law-39-2022_arabic", "uae-decree-law-39-2022"),
    ],
)
def test_sections_are_those_written_by_hand(name: str, tree: str) -> None:
    (read,) = PdfReader().read(SourceFile(PDFS / f"{name}.pdf"))
    assert isinstance(read, ReadDocument)
    found = compare(read_tree(TREES / f"{tree}.tree"), tree_of(read))
    assert found.share >= 0.95, f"{found}"
    assert found.precision >= 0.95, f"{found}"
    assert len(found.other_titles) <= 0.05 * len(found.found), f"{found}"
