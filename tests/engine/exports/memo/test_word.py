"""The memo as a Word file, opened again by python-docx, its parts read by lxml."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engine.corpus.protocol import Corpus
from engine.exports.memo.composing import compose
from engine.exports.memo.content import Words
from engine.exports.memo.word import memo_word
from engine.exports.memo.word_parts import add_words, clean
from engine.language.characters import marked
from tests.engine.exports.conftest import HOSTILE, Hand, Record

W = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
# The order of the schema (CT_PPr, CT_RPr), as far as we write it.
PARAGRAPH = ("pStyle", "keepNext", "keepLines", "widowControl", "numPr", "pBdr", "shd", "tabs", "bidi",
             "spacing", "ind", "contextualSpacing", "jc", "outlineLvl", "rPr", "sectPr")  # fmt: skip
RUN = ("rStyle", "rFonts", "b", "bCs", "i", "iCs", "caps", "smallCaps", "color", "spacing", "w", "kern",
       "position", "sz", "szCs", "highlight", "u", "vertAlign", "rtl", "cs", "lang")  # fmt: skip


def parts(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.testzip() is None
        return {name: etree.fromstring(file.read(name)) for name in file.namelist() if name.endswith(".xml")}


def opened(data: bytes) -> Document:
    return docx.Document(io.BytesIO(data))


@pytest.fixture
def written(handed: Hand, asked: Record, harbour: Corpus) -> bytes:
    return memo_word(compose(handed(asked, harbour, name="Berth 7")))


def test_headings_are_headings_and_the_page_is_a4(written: bytes) -> None:
    document = opened(written)
    styles = [(one.style.name, one.text) for one in document.paragraphs if one.style is not None]
    assert ("Title", "Berth 7") in styles
    headings = [text for name, text in styles if name == "Heading 1"]
    assert headings[:3] == ["Question", "Evidence: found", "Findings"]
    assert headings[-2:] == ["Verification log", "Settings and origin"]
    section = document.sections[0]
    assert section.page_width is not None
    assert section.page_height is not None
    assert (round(section.page_width.mm), round(section.page_height.mm)) == (210, 297)
    assert section.header.paragraphs[0].text.startswith("Berths of 2026 · Berth 7")
    assert document.core_properties.author == "Redstring"
    assert document.core_properties.title == "Berth 7"


def test_footnotes_are_real_ones(written: bytes) -> None:
    found = parts(written)
    notes, body = found["word/footnotes.xml"], found["word/document.xml"]
    own = [one for one in notes.findall("w:footnote", W) if one.get(qn("w:type")) is None]
    ids = [one.get(qn("w:id")) for one in own]
    referred = body.xpath("//w:footnoteReference/@w:id", namespaces=W)
    assert ids
    # Each is referred to once, in the order of its number, and has its own number in front.
    assert ids == referred == [str(number) for number in range(1, len(ids) + 1)]
    assert all(one.find(".//w:footnoteRef", W) is not None for one in own)
    assert all("Checked against the text" in "".join(one.itertext()) for one in own)
    separators = found["word/settings.xml"].xpath("w:footnotePr/w:footnote/@w:id", namespaces=W)
    kinds = {one.get(qn("w:id")): one.get(qn("w:type")) for one in notes.findall("w:footnote", W)}
    assert [kinds[one] for one in separators] == ["separator", "continuationSeparator"]
    styles = found["word/styles.xml"].xpath("w:style/@w:styleId", namespaces=W)
    used = {*body.xpath("//w:pStyle/@w:val|//w:rStyle/@w:val", namespaces=W)}
    used |= {*notes.xpath("//w:pStyle/@w:val|//w:rStyle/@w:val", namespaces=W)}
    assert used <= set(styles)
    types = found["[Content_Types].xml"]
    assert [one for one in types if one.get("PartName") == "/word/footnotes.xml"]


def test_a_second_reference_to_a_note_is_a_field_that_leads_to_the_first(
    handed: Hand, meridia: Corpus, arabic: Record
) -> None:
    memo = compose(handed(arabic, meridia))
    cited = [number for one in (*memo.findings.findings, *memo.findings.limits) for number in one.notes]
    assert len(cited) > len(set(cited)), "this case cites a passage twice"
    body = parts(memo_word(memo))["word/document.xml"]
    fields = [one for one in body.xpath("//w:fldSimple/@w:instr", namespaces=W) if "NOTEREF" in one]
    marks = body.xpath("//w:bookmarkStart/@w:name", namespaces=W)
    assert len(fields) == len(cited) - len(set(cited))
    assert {field.split()[1] for field in fields} <= set(marks)
    ends = body.xpath("//w:bookmarkEnd/@w:id", namespaces=W)
    assert sorted(ends) == sorted(body.xpath("//w:bookmarkStart/@w:id", namespaces=W))


def test_arabic_runs_from_right_to_left_in_its_language(
    handed: Hand, meridia: Corpus, arabic: Record
) -> None:
    body = parts(memo_word(compose(handed(arabic, meridia))))["word/document.xml"]
    quotes = [
        one
        for one in body.iter(qn("w:p"))
        if one.find("w:pPr/w:pStyle", W) is not None
        and one.find("w:pPr/w:pStyle", W).get(qn("w:val")) == "MemoQuote"
    ]
    assert quotes
    for quote in quotes:
        assert quote.find("w:pPr/w:bidi", W) is not None
        runs = [run for run in quote.findall("w:r", W) if run.find("w:t", W) is not None]
        assert all(run.find("w:rPr/w:rtl", W) is not None for run in runs)
        assert {run.find("w:rPr/w:lang", W).get(qn("w:bidi")) for run in runs} == {"ar"}
    english = [one for one in body.iter(qn("w:p")) if "no language model" in "".join(one.itertext())]
    assert all(one.find("w:pPr/w:bidi", W) is None for one in english)


def test_properties_stand_in_the_order_of_the_schema(handed: Hand, meridia: Corpus, arabic: Record) -> None:
    found = parts(memo_word(compose(handed(arabic, meridia))))
    for name in ("word/document.xml", "word/footnotes.xml", "word/header1.xml", "word/footer1.xml"):
        for tag, order in (("w:pPr", PARAGRAPH), ("w:rPr", RUN)):
            for properties in found[name].iter(qn(tag)):
                places = [order.index(etree.QName(one).localname) for one in properties]
                assert all(first < second for first, second in pairwise(places)), etree.tostring(properties)


def test_hostile_names_and_forbidden_characters_are_text(handed: Hand, asked: Record) -> None:
    nasty = f"{HOSTILE}\x00\x0b\x1f\ufffe\u202e"
    passages = [{**one, "title": nasty, "label": nasty} for one in asked["passages"]]
    given_ = handed({**asked, "question": nasty, "passages": passages, "notes": [nasty]}, None, matter=nasty)
    data = memo_word(compose(given_))
    document = opened(data)
    text = "\n".join(one.text for one in document.paragraphs)
    assert HOSTILE[:40] in text
    assert "⟦U+202E⟧" in text
    assert not parts(data)["word/document.xml"].xpath("//w:hyperlink", namespaces=W)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_is_written_and_read_back_with_nothing_lost_but_what_xml_forbids(text: str) -> None:
    paragraph = OxmlElement("w:p")
    add_words(paragraph, Words(text, "und"))
    again = parse_xml(etree.tostring(paragraph))
    letters = "".join(one.text or "" for one in again.iter(qn("w:t")))
    assert letters == "".join(map(clean, marked(text).splitlines()))
    assert len(letters) >= len("".join(text.splitlines()))


def test_a_difference_is_on_the_first_page_and_in_its_note(
    handed: Hand, asked: Record, amended: Corpus
) -> None:
    data = memo_word(compose(handed(asked, amended)))
    warnings = [one.text for one in opened(data).paragraphs if one.style and one.style.name == "Memo Warning"]
    assert any("differ from the text of the corpus" in one for one in warnings)
    notes = "".join(parts(data)["word/footnotes.xml"].itertext())
    assert "DIFFERS: the corpus has a different text here now." in notes
    assert "forty days" in notes
