"""Formex: identity of an act, divisions, articles, lists, recitals, footnotes, annexes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.formex import FormexReader
from tests.tables import table

ACT: str = table(__file__, "ACT")


def read(folder: Path, text: str) -> ReadDocument | Problem:
    path = folder / "act.xml"
    path.write_text(text, encoding="utf-8")
    (found,) = FormexReader().read(SourceFile(path))
    return found


@pytest.fixture
def act(tmp_path: Path) -> ReadDocument:
    found = read(tmp_path, ACT)
    assert isinstance(found, ReadDocument)
    return found


def test_accepts_by_content_alone(tmp_path: Path) -> None:
    reader = FormexReader()
    assert reader.accepts(Path("anything"), ACT.encode()[:600])
    assert not reader.accepts(Path("act.xml"), b"<ACT><p>Romeo</p></ACT>")
    assert not reader.accepts(Path("act.xml"), b"<html>formex</html>")


def test_the_identity_of_an_act(act: ReadDocument) -> None:
    document = act.document
    assert document.id == "eu-regulation-2019-1020-de"
    assert document.title.startswith("VERORDNUNG (EU) 2019/1020")
    assert document.title.endswith("über Marktüberwachung")
    assert (document.type, document.number, document.year) == ("Regulation", "2019/1020", 2019)
    assert (document.language, document.issuer) == ("de", "European Parliament and Council")
    assert document.metadata["celex"] == "32019R1020"
    assert document.metadata["published"] == "2019-06-17"
    assert {"Regulation (EU) 2019/1020", "32019R1020"} <= set(document.aliases)


def test_sections_and_passages(act: ReadDocument) -> None:
    base = act.document.id
    assert [(s.kind.value, s.number) for s in act.sections] == [
        ("preamble", None),
        ("heading", None),
        ("chapter", "I"),
        ("section", "1"),
        ("article", "1"),
        ("article", "1a"),
        ("heading", None),
        ("annex", "II"),
        ("heading", None),
    ]
    texts = {
        passage.id.removeprefix(base): (passage.text, passage.metadata.get("eId")) for passage in act.passages
    }
    assert texts["/art-1/para-1"] == (
        "(1) Diese Verordnung regelt:\n\na) Waren;\n\nb) Dienste.",
        "art_1__para_1",
    )
    assert texts["/art-1/para-2"] == ("(2) Sonst nichts.", "art_1__para_2")
    assert texts["/art-1a/para-1"] == ("1. „Ware“ ein Ding;", "art_1a__point_1")
    assert texts["/preamble/recital-1"] == ("(1) Waren sollen sicher sein.", "rec_1")
    assert texts["/notes/para-1"] == ("(1) ABl. L 1.", "fn_1")
    assert texts["/annex-ii"][0] == "| A | B |"


def test_a_consolidated_version_has_its_time(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        ACT.replace(
            "<BIB.INSTANCE>",
            '<INFO.CONSLEG CONSLEG.DATE="20200102" START.DATE="20200102" END.DATE="20210630"/><BIB.INSTANCE>',
        ),
    )
    assert isinstance(found, ReadDocument)
    assert found.document.id == "eu-regulation-2019-1020-de@2020-01-02"
    assert (found.document.valid_from, found.document.valid_to) == (date(2020, 1, 2), date(2021, 6, 30))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<ACT><TITLE>formex</TITLE></ACT>", "the act has no text"),
        ("<FORMEX/>", "its root is <FORMEX>"),
        ("<ACT>", "not well-formed"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: str, reason: str) -> None:
    found = read(tmp_path, text)
    assert isinstance(found, Problem)
    assert reason in found.reason
