from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.text import TextReader


def read(folder: Path, text: str) -> ReadDocument:
    (folder / "law.txt").write_text(text, encoding="utf-8")
    (document,) = TextReader().read(SourceFile(folder / "law.txt"))
    assert isinstance(document, ReadDocument)
    return document


def test_numbers_before_a_tab(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "1.\tINTRODUCTION\n1.1\tJurisdiction\n1.1.1.(1)\tThe Rulebook is made:\n(a)\tx; and\n"
        "(b)\ty.\n1.1.1.(2)\tNothing is affected.\n1.2\tApplication\n1.2.1\tIt applies.\n",
    )
    assert [(p.label, p.number, p.paragraph, p.headings) for p in document.passages] == [
        ("Rule 1.1.1(1)", "1.1.1", "1", ("1 INTRODUCTION", "1.1 Jurisdiction")),
        ("Rule 1.1.1(2)", "1.1.1", "2", ("1 INTRODUCTION", "1.1 Jurisdiction")),
        ("Rule 1.2.1", "1.2.1", None, ("1 INTRODUCTION", "1.2 Application")),
    ]
    assert document.passages[0].text == "The Rulebook is made:\n(a)\tx; and\n(b)\ty."


def test_articles_on_lines_of_their_own(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "PERATURAN\n\nBAB I\nKETENTUAN UMUM\nPasal 1\nIsi satu yang\nlanjut.\n\nPasal 2\n(1) A.\n(2) B.\n",
    )
    assert [(p.id, p.number, p.paragraph, p.headings) for p in document.passages] == [
        ("law/text", None, None, ()),
        ("law/art-1", "1", None, ("BAB I KETENTUAN UMUM",)),
        ("law/art-2/para-1", "2", "1", ("BAB I KETENTUAN UMUM",)),
        ("law/art-2/para-2", "2", "2", ("BAB I KETENTUAN UMUM",)),
    ]


@pytest.mark.parametrize(
    ("line", "label", "rest"),
    [
        ("第十四条 人民法院应当依法。", "第十四条", "人民法院应当依法。"),
        ("第一章 总则", "第一章", ""),
        ("Article 5 Objection", "Article 5", ""),
        ("Pasal 14", "Pasal 14", ""),
        ("المادة الثانية عشرة:", "المادة الثانية عشرة", ""),
        ("VI. BATAS MAKSIMUM MANFAAT EKONOMI", "VI", ""),
        ("1.1.1\tThe Policy provides guidance.", "1.1.1", "The Policy provides guidance."),
    ],
)
def test_lines_that_are_headings(line: str, label: str, rest: str) -> None:
    found = heading_line(line)
    assert found is not None
    assert (found[0].heading.label, found[1]) == (label, rest)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Article 5 applies to every vessel.",
        "Section 12 shall not apply",
        "Pasal 14 ayat (1) berlaku dengan",
        "Part of the fee is due",
        "(a)\tevery person",
        "See 第十四条",
        "Relevant Person\tApplicable Chapter",
    ],
)
def test_lines_that_are_none(line: str) -> None:
    assert heading_line(line) is None


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_nothing_makes_it_raise(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("txt") / "x.txt"
    path.write_text(text, encoding="utf-8")
    for item in TextReader().read(SourceFile(path)):
        if isinstance(item, ReadDocument):
            ids = [passage.id for passage in item.passages]
            assert len(set(ids)) == len(ids) > 0
