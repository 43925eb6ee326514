from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx as python_docx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.docx import DocxReader
from tests.engine.ingestion.readers.docx.writing import (
    docx,
    levels,
    paragraph,
    problem,
    read,
    style,
    table,
    texts,
)

HEADINGS = style("H1", "heading 1") + style("H2", "heading 2")


def sections(path: Path) -> list[tuple[str, str | None, str]]:
    return [(str(section.kind), section.number, section.title) for section in read(path).sections]


def test_headings_by_style_outline_and_language(tmp_path: Path) -> None:
    styles = (
        style("a", "heading 1")
        + style("b", "Überschrift 2")
        + style("c", "Clause head", based_on="b")
        + style("d", "Deep", '<w:outlineLvl w:val="2"/>')
        + style("e", "toc 1")
    )
    path = docx(
        tmp_path / "a.docx",
        paragraph("Contents ... 1", "e"),
        paragraph("Part I General", "a"),
        paragraph("Scope", "b"),
        paragraph("Text one.", ""),
        paragraph("Terms", "c"),
        paragraph("Deepest", "d"),
        paragraph("Text two."),
        paragraph("By itself", extra='<w:outlineLvl w:val="0"/>'),
        paragraph("Text three."),
        styles=styles,
    )
    found = read(path)
    assert sections(path) == [
        ("part", "I", "General"),
        ("heading", None, "Scope"),
        ("heading", None, "Terms"),
        ("heading", None, "Deepest"),
        ("heading", None, "By itself"),
    ]
    assert [passage.headings for passage in found.passages] == [
        ("Part I General", "Scope"),
        ("Part I General", "Terms", "Deepest"),
        ("By itself",),
    ]


def test_headings_in_plain_paragraphs(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        paragraph("Article 1 Scope"),
        paragraph("It applies."),
        paragraph("Pasal 2"),
        paragraph("Berlaku."),
    )
    assert sections(path) == [("article", "1", "Scope"), ("article", "2", "")]


def test_numbers_that_word_counts(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        paragraph("Definitions", "H1", (1, 0)),
        paragraph("In this agreement, words have meanings.", numbered=(1, 1)),
        paragraph("Terms mean the terms.", numbered=(1, 1)),
        paragraph("first;", numbered=(1, 2)),
        paragraph("second.", numbered=(1, 2)),
        paragraph("Payment", "H1", (1, 0)),
        paragraph("Fees must be paid.", numbered=(1, 1)),
        paragraph("a point", numbered=(2, 0)),
        styles=HEADINGS,
        numbering=levels(("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))
        + levels(("bullet", "x"), number=2),
    )
    assert [(p.number, p.text) for p in read(path).passages] == [
        ("1.1", "In this agreement, words have meanings."),
        ("1.2", "Terms mean the terms.\n\n(a) first;\n\n(b) second."),
        ("2.1", "Fees must be paid.\n\n• a point"),
    ]
    assert sections(path)[0] == ("chapter", "1", "Definitions")


def test_a_number_in_the_words_of_a_heading_counts(tmp_path: Path) -> None:
    path = docx(
        tmp_path / "a.docx",
        paragraph("Section 12 Fees", "H1", (1, 0)),
        paragraph("Text."),
        styles=HEADINGS,
        numbering=levels(("decimal", "%1.")),
    )
    assert sections(path) == [("section", "12", "Fees")]


def test_tables(tmp_path: Path) -> None:
    nested = table(("A", "B"), ("1", "2")) + paragraph("")
    path = docx(
        tmp_path / "a.docx",
        paragraph("Before."),
        table(("Name", "Rate"), ("Port | harbour", "5 %"), ("Inner", nested)),
        table(("One column",), ("Is a frame.",)),
    )
    assert texts(path) == [
        "Before.",
        "Name | Rate\nPort / harbour | 5 %\nInner | A / B; 1 / 2",
        "One column",
        "Is a frame.",
    ]


def test_merged_cells_once(tmp_path: Path) -> None:
    down = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>' + paragraph("Both")
    rest = "<w:tcPr><w:vMerge/></w:tcPr>" + paragraph("unseen")
    path = docx(tmp_path / "a.docx", table((down, "1"), (rest, "2")))
    assert texts(path) == ["Both | 1\n| 2"]


def test_a_long_table_says_its_header_again(tmp_path: Path) -> None:
    header = "<w:trPr><w:tblHeader/></w:trPr>"
    rows = [("row " + "x" * 60, str(number)) for number in range(60)]
    body = table(("Name", "Number"), *rows).replace("<w:tr>", f"<w:tr>{header}", 1)
    found = texts(docx(tmp_path / "a.docx", body))
    assert len(found) > 1
    assert all(text.startswith("Name | Number\n") for text in found)
    assert sum(text.count("row ") for text in found) == 60


def test_changes_comments_notes_fields_and_boxes(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>Kept </w:t></w:r><w:ins><w:r><w:t>added</w:t></w:r></w:ins>"
        '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:footnoteReference w:id="2"/></w:r>'
        '<w:r><w:commentReference w:id="0"/></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>'
        "<w:r><w:instrText>PAGE</w:instrText></w:r><w:hyperlink><w:r><w:t>.</w:t></w:r></w:hyperlink></w:p>"
        "<w:p><w:sdt><w:sdtContent><w:r><w:t>☒ Yes</w:t></w:r></w:sdtContent></w:sdt></w:p>"
        '<w:p><w:r><w:fldChar><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData>'
        "</w:fldChar>"
        "<w:t> No</w:t></w:r></w:p>"
        "<w:p><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></w:pict>"
        "<w:t>Beside it.</w:t></w:r></w:p>"
    )
    notes = (
        '<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>See there.</w:t></w:r></w:p></w:footnote>'
    )
    found = texts(docx(tmp_path / "a.docx", body, footnotes=notes))
    assert "\n\n".join(found) == (
        "Kept added¹.\n\n[1] See there.\n\n☒ Yes\n\n☐ No\n\nBeside it.\n\nIn a box."
    )


def test_what_a_file_says_of_itself(tmp_path: Path) -> None:
    document = python_docx.Document()
    document.core_properties.title = "Document1"
    document.core_properties.author = "A. Writer"
    document.core_properties.created = datetime(2024, 3, 5, tzinfo=UTC)
    document.add_heading("The Fisheries Act", 0)
    document.add_heading("Scope", 1)
    document.add_paragraph("This Act applies to all vessels and to the persons on board of them.")
    document.add_heading("Terms", 1)
    document.add_paragraph("Words have the meaning that the annex gives them, unless it is said otherwise.")
    document.save(str(tmp_path / "x.docx"))
    found = read(tmp_path / "x.docx").document
    assert (found.id, found.title, found.language) == ("x", "The Fisheries Act", "en")
    assert found.metadata["author"] == "A. Writer"
    assert str(found.metadata["created"])[:10] == "2024-03-05"
    # The name of a program is no author.
    document.core_properties.author = "python-docx"
    document.save(str(tmp_path / "y.docx"))
    assert "author" not in read(tmp_path / "y.docx").document.metadata


def test_pages_as_word_last_drew_them(tmp_path: Path) -> None:
    broken = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>On two.</w:t></w:r></w:p>"
    path = docx(tmp_path / "a.docx", paragraph("On one."), broken, paragraph("Still two."))
    assert [passage.page for passage in read(path).passages] == [1, 2, 2]
    assert [p.page for p in read(docx(tmp_path / "b.docx", paragraph("Nowhere."))).passages] == [None]


def test_known_by_content(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.zip", paragraph("Words."))
    assert DocxReader().accepts(path, path.read_bytes()[:4096])
    (tmp_path / "b.docx").write_text("no zip")
    assert not DocxReader().accepts(tmp_path / "b.docx", b"no zip")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("word/document.xml", b"<w:document", "no sound XML"),
        ("word/document.xml", b"<w/>", "no body"),
        ("word/document.xml", b'<!DOCTYPE w [<!ENTITY a "aaaa">]><w>&a;</w>', "document type"),
        ("word/document.xml", b"<w>" + b" " * 30_000_000 + b"</w>", "unpacks to"),
        ("word/other.xml", b"<w/>", "no document part"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(name, data)
    assert reason in problem(tmp_path / "a.docx")


def test_entities_and_deep_nesting_do_no_harm(tmp_path: Path) -> None:
    bomb = (
        b'<!DOCTYPE w [<!ENTITY a "'
        + b"a" * 1000
        + b'">'
        + b"".join(b'<!ENTITY b%d "%s">' % (place, b"&a;" * 100) for place in range(5))
    )
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    outside = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{secret.as_uri()}">]><w>&x;</w>'.encode()
    deep = b"<w>" * 5000 + b"</w>" * 5000
    for data in (bomb + b"]><w>&b0;&b1;</w>", outside, deep):
        with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("word/document.xml", data)
        assert problem(tmp_path / "a.docx")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), data=st.binary(min_size=1, max_size=40))
def test_no_damage_makes_it_raise(tmp_path: Path, place: float, data: bytes) -> None:
    path = docx(tmp_path / "a.docx", paragraph("Words.", "H1", (1, 0)), table(("a", "b")), styles=HEADINGS)
    whole = bytearray(path.read_bytes())
    start = int(place * len(whole))
    whole[start : start + len(data)] = data
    (tmp_path / "b.docx").write_bytes(bytes(whole))
    for item in DocxReader().read(SourceFile(tmp_path / "b.docx")):
        assert isinstance(item, Problem | ReadDocument)
