"""Real files in XML against section trees written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.akoma import AkomaReader
from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.formex import FormexReader
from tests.engine.ingestion.trees.compare import TREES, compare, read_tree, tree_of

RAW = Path(__file__).resolve().parents[5] / "shared" / "data" / "raw"


@pytest.mark.corpora
@pytest.mark.skipif(not RAW.is_dir(), reason=f"no files beside the project ({RAW.name})")
@pytest.mark.parametrize(
    ("tree", "path"),
    [
        ("gdpr-en", "eu_formex_xml/gdpr-en.xml"),
        ("uk-2014-27", "akoma_ntoso/uk_pga-2014-27-enacted-data.xml"),
        ("us-title-9-chapter-3", "akoma_ntoso/us_Title9-Chap3-eng.xml"),
    ],
)
def test_sections_are_those_of_the_print(tree: str, path: str) -> None:
    reader = FormexReader() if "formex" in path else AkomaReader()
    (read,) = reader.read(SourceFile(RAW / path))
    assert isinstance(read, ReadDocument)
    found = compare(read_tree(TREES / f"{tree}.tree"), tree_of(read))
    assert found.share >= 0.95, str(found)
    assert found.precision >= 0.95, str(found)


@pytest.mark.corpora
@pytest.mark.skipif(not RAW.is_dir(), reason=f"no files beside the project ({RAW.name})")
def test_the_gdpr_is_the_same_act_in_every_language() -> None:
    read = {}
    for language in ("en", "de", "fr"):
        (found,) = FormexReader().read(SourceFile(RAW / f"eu_formex_xml/gdpr-{language}.xml"))
        assert isinstance(found, ReadDocument)
        read[language] = found
        kinds = [section.kind.value for section in found.sections]
        assert (kinds.count("article"), kinds.count("chapter"), kinds.count("section")) == (99, 11, 15)
        recitals = {p.number for p in found.passages if p.kind.value == "recital"}
        assert recitals == {str(number) for number in range(1, 174)}
        document = found.document
        assert (document.type, document.number, document.year) == ("Regulation", "2016/679", 2016)
        assert document.issuer == "European Parliament and Council"
        assert document.metadata["celex"] == "32016R0679"
    ids = {
        language: [
            (passage.id.removeprefix(found.document.id), passage.metadata["eId"])
            for passage in found.passages
            if "#" not in passage.id
        ]
        for language, found in read.items()
    }
    assert ids["en"] == ids["de"] == ids["fr"]
    assert len({found.document.id for found in read.values()}) == 3
