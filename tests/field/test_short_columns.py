"""Kind H: two short columns are read one after the other; what crosses the page parts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.pdf import PdfReader
from tests.engine.ingestion.readers.pdf.drawing import PITCH, SIZE, Page, Text, pdf
from tests.field.conftest import Build
from tests.tables import table

# A title, the rows of two columns ("=" in its middle), what stands below both, and the passages.
PAGES = table(__file__, "PAGES")


def _columns(title: str, *sides: str, below: str = "") -> bytes:
    texts = [Text(300 - len(title) * 12 * PITCH / 2, 740, title, 12, True)]
    for x, side in zip((50, 320), sides, strict=True):
        y = 700.0
        for row in side.split("|"):
            bold, row = row[0] == "=", row.lstrip("=")
            y -= 19 if bold else 13
            texts.append(Text(x + (230 - len(row) * SIZE * PITCH) / 2 if bold else x, y, row, SIZE, bold))
    for n, row in enumerate(below.split("|") if below else ()):
        texts.append(Text(50 if n else 260, 540 - 15 * n, row, SIZE, not n))
    return pdf([Page(texts)])


def _read(folder: Path, content: bytes) -> ReadDocument:
    (folder / "law.pdf").write_bytes(content)
    [read] = PdfReader().read(SourceFile(folder / "law.pdf"))
    assert isinstance(read, ReadDocument)
    return read


@pytest.mark.parametrize(("title", "left", "right", "below", "passages"), PAGES)
def test_columns(tmp_path: Path, title: str, left: str, right: str, below: str, passages: list[str]) -> None:
    read = _read(tmp_path, _columns(title, left, right, below=below))
    assert [one.id.removeprefix("law/") for one in read.passages] == passages
    rows = [row for row in f"{left}|{right}".split("|") if row[0] != "="]
    assert " ".join(rows) in " ".join(" ".join(one.text for one in read.passages).split())


def test_a_table_of_provisions_keeps_its_rows(tmp_path: Path) -> None:
    left, right = ("|".join(f"Article {number}" for number in range(first, first + 8)) for first in (1, 21))
    text = " ".join(one.text for one in _read(tmp_path, _columns("TABLE", left, right)).passages)
    assert all(f"Article {number} | Article {number + 20}" in text for number in range(1, 9))


def test_a_body_cites_itself_and_not_its_explanation(build: Build) -> None:
    title, left, right, below, _ = PAGES[3]
    corpus = build({"law.pdf": _columns(title, left, right, below=below)})
    found = {(one.source_id, one.target_id) for one in corpus.all_references()}
    assert ("law/art-3", "law/art-2/para-1") in found
