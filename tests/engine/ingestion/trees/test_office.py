"""Section trees of Word files and of a web page, compared with trees written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.docx import DocxReader
from engine.ingestion.readers.html import HtmlReader
from tests.engine.ingestion.trees.compare import TREES, compare, read_tree, tree_of

RAW = Path(__file__).resolve().parents[5] / "shared" / "data" / "raw"


@pytest.mark.corpora
@pytest.mark.skipif(not RAW.is_dir(), reason=f"no files beside the project ({RAW.name})")
@pytest.mark.parametrize(
    ("tree", "path", "reader"),
    [
        ("docx-lists", "docx/docx_lists.docx", DocxReader()),
        ("docx-headers-numbered", "docx/unit_test_headers_numbered.docx", DocxReader()),
        ("wiki-duck", "html/wiki_duck.html", HtmlReader()),
    ],
)
def test_the_tree_of_a_file(tree: str, path: str, reader: DocxReader | HtmlReader) -> None:
    (read,) = reader.read(SourceFile(RAW / path))
    assert isinstance(read, ReadDocument)
    comparison = compare(read_tree(TREES / f"{tree}.tree"), tree_of(read))
    assert comparison.share >= 0.95, str(comparison)
    assert comparison.precision >= 0.95, str(comparison)
