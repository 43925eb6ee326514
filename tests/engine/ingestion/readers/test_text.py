from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.lines import blocks_of, heading_line, rejoin_numbers, remove_page_furniture
from engine.ingestion.readers.text import TextReader
from engine.ingestion.structure.assembly import HeadingBlock, TextBlock
from tests.tables import table


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


def headed(folder: Path, text: str) -> list[tuple[str, str | None, str]]:
    return [(str(section.kind), section.number, section.title) for section in read(folder, text).sections]


def test_titles_over_several_lines(tmp_path: Path) -> None:
    text = (
        "BAB I\nKETENTUAN UMUM\nDAN TUJUAN\nPasal 1\nIsi.\nBAB II\nTATA CARA\nBagian Kesatu\nUmum\n\n"
        "Pasal 2\nIsi dua.\n"
        "Bagian Kedua\nPermohonan Surat\nWajib Pajak Dalam Negeri\n(1) Ayat satu.\n(2) Ayat dua.\n"
    )
    assert headed(tmp_path, text) == [
        ("chapter", "I", "KETENTUAN UMUM DAN TUJUAN"),
        ("article", "1", ""),
        ("chapter", "II", "TATA CARA"),
        ("part", "1", "Umum"),
        ("article", "2", ""),
        ("part", "2", "Permohonan Surat Wajib Pajak Dalam Negeri"),
    ]
    levels = {section.id: section.parent_id for section in read(tmp_path, text).sections}
    assert levels["law/chapter-ii/part-1"] == "law/chapter-ii"


def test_numbers_cut_off_from_their_word(tmp_path: Path) -> None:
    text = (
        "IV. PENDANAAN\n8. Sesuai dengan cara pada angka\n7. V. TENAGA KERJA\n1. Penyelenggara menyerahkan.\n"
        "I. KETENTUAN UMUM Dalam Surat Edaran ini:\n"
    )
    found = read(tmp_path, text)
    assert [(section.number, section.title) for section in found.sections] == [
        ("IV", "PENDANAAN"),
        ("V", "TENAGA KERJA"),
        ("I", "KETENTUAN UMUM"),
    ]
    assert found.passages[0].text == "8. Sesuai dengan cara pada angka 7."
    assert rejoin_numbers(["see paragraph", "(2) of it", "end", "3. item"]) == [
        "see paragraph (2)",
        "of it",
        "end",
        "3. item",
    ]


def test_what_pages_leave_behind(tmp_path: Path) -> None:
    pages = [
        f"THE GAZETTE No. {n}\n\nArticle {n}\nText {'abcd'[n - 1]}.\n\nPage {n} of 4" for n in range(1, 5)
    ]
    found = read(tmp_path, "\f".join(pages))
    assert [passage.text for passage in found.passages] == [f"Text {letter}." for letter in "abcd"]
    assert headed(tmp_path, "- 1 -\nArticle 1\nText.\n-2BAB II\nUMUM\nPasal 3\nIsi.\n") == [
        ("article", "1", ""),
        ("chapter", "II", "UMUM"),
        ("article", "3", ""),
    ]


@pytest.mark.parametrize(
    ("line", "number", "text"),
    table(__file__, "test_a_provision_whose_text_goes_on_behind_its_number"),
)
def test_a_provision_whose_text_goes_on_behind_its_number(line: str, number: str, text: str) -> None:
    first, second = list(blocks_of([line], unwrap=True))
    assert isinstance(first, HeadingBlock)
    assert isinstance(second, TextBlock)
    assert (first.heading.number, second.text) == (number, text)
    # In the middle of a paragraph it is only cited.
    assert [type(block) for block in blocks_of(["This is laid down in", line], unwrap=True)] == [TextBlock]


@pytest.mark.parametrize(
    "line",
    [
        *("Art. 12", "Art. 12.", "Artículo 12.", "Artigo 12.º", "12 §", "12. §", "Статья 12.", "Άρθρο 12"),
        *("Madde 12", "12 straipsnis", "12. pants", "Članak 12.", "Чл. 12.", "Điều 12."),
    ],
)
def test_provisions_as_plain_lines_in_many_languages(line: str) -> None:
    found = heading_line(line)
    assert found is not None
    assert found[0].heading.number == "12"


@pytest.mark.parametrize("footer", ["Harbour Code 2024 | {}", "Page {} of 4", "- {} -", "Fees {}, Issue 7"])
def test_what_every_page_repeats_is_removed_whatever_its_number(footer: str) -> None:
    own = [f"The master of vessel {name} pays the fee." for name in ("Anna", "Boreas", "Clio", "Dora")]
    pages = [f"HARBOUR FEES\n{line}\n{footer.format(number)}" for number, line in enumerate(own, 1)]
    assert remove_page_furniture("\f".join(pages)).split("\n") == own


def test_what_differs_in_a_word_is_no_page_furniture() -> None:
    pages = [f"Fee of {name}\nIt is paid at once to {name}." for name in ("Anna", "Boreas", "Clio")]
    assert remove_page_furniture("\f".join(pages)) == "\n".join(pages)
