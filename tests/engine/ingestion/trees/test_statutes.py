"""Section trees of Saudi laws kept as JSON, of German laws and an Indonesian regulation kept as Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.markdown import MarkdownReader
from engine.ingestion.readers.records.reader import JsonReader
from tests.engine.ingestion.trees.compare import TREES, compare, read_tree, tree_of

RAW = Path(__file__).resolve().parents[5] / "shared" / "data" / "raw"


@pytest.mark.corpora
@pytest.mark.skipif(not RAW.is_dir(), reason=f"no files beside the project ({RAW.name})")
@pytest.mark.parametrize(
    ("tree", "path", "reader"),
    [
        ("pmk-111-2025", "id_md/pmk-111-2025.md", MarkdownReader()),
        ("de-agg", "de_gesetze_md/agg.md", MarkdownReader()),
        ("de-milog", "de_gesetze_md/milog.md", MarkdownReader()),
        ("sa-cooperatives", "sa_json/law_0264f52c-70bd-40f2-94c1-a9a700f2b561.json", JsonReader()),
        ("sa-civil-transactions", "sa_json/civil_transactions_sa.json", JsonReader()),
    ],
)
def test_the_tree_of_a_statute(tree: str, path: str, reader: MarkdownReader | JsonReader) -> None:
    (read,) = reader.read(SourceFile(RAW / path))
    assert isinstance(read, ReadDocument)
    comparison = compare(read_tree(TREES / f"{tree}.tree"), tree_of(read))
    assert comparison.share >= 0.95, str(comparison)
    assert comparison.precision >= 0.95, str(comparison)
