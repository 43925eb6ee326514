from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.pdf import PdfReader
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, column, pdf


def items(folder: Path, pages: list[Page], **information: str) -> list[ReadDocument | Problem]:
    path = folder / "law.pdf"
    path.write_bytes(pdf(pages, information))
    return list(PdfReader().read(SourceFile(path, "law.pdf")))


def read(folder: Path, pages: list[Page], **information: str) -> ReadDocument:
    (document,) = items(folder, pages, **information)
    assert isinstance(document, ReadDocument), str(document)
    return document


def text_of(document: ReadDocument) -> str:
    return " ".join(" ".join(passage.text.split()) for passage in document.passages)


def test_articles_with_the_page_they_begin_on(tmp_path: Path) -> None:
    first = [
        "BAB I",
        "KETENTUAN UMUM",
        "",
        "Pasal 1",
        "Bea Meterai adalah pajak atas Dokumen.",
        "",
        "Pasal 2",
    ]
    second = ["(1) Bea Meterai dilaksanakan.", "(2) Demi keadilan.", "", "Pasal 3", "Isi."]
    document = read(tmp_path, [Page(_centred(first)), Page(_centred(second))])
    assert [(p.id, p.label, p.page, p.headings) for p in document.passages] == [
        ("law/art-1", "Pasal 1", 1, ("BAB I KETENTUAN UMUM",)),
        ("law/art-2/para-1", "Pasal 2 ayat (1)", 2, ("BAB I KETENTUAN UMUM",)),
        ("law/art-2/para-2", "Pasal 2 ayat (2)", 2, ("BAB I KETENTUAN UMUM",)),
        ("law/art-3", "Pasal 3", 2, ("BAB I KETENTUAN UMUM",)),
    ]


def _centred(lines: list[str]) -> list[Text]:
    return [
        Text(
            300 - 3 * len(line) if line.startswith("Pasal") or line.isupper() else 80, 700 - 14 * place, line
        )
        for place, line in enumerate(lines)
    ]


def test_the_elucidation_is_attached_and_its_articles_are_its_own(tmp_path: Path) -> None:
    law = ["Pasal 1", "Bea Meterai adalah pajak atas Dokumen.", "", "Pasal 2", "Undang-Undang ini berlaku."]
    notes = ["PENJELASAN", "ATAS UNDANG-UNDANG", "", "I. UMUM", "Bea Meterai sudah lama dikenal.", "",
             "II. PASAL DEMI PASAL", "Pasal 1", "Cukup jelas.", "", "Pasal 2", "Cukup jelas."]  # fmt: skip
    document = read(tmp_path, [Page(_centred(law)), Page(_centred(notes))])
    ids = [passage.id for passage in document.passages]
    assert ids[:2] == ["law/art-1", "law/art-2"]
    assert [name for name in ids if name.endswith(("art-1", "art-2"))][2:] == [
        "law/penjelasan/ii/art-1",
        "law/penjelasan/ii/art-2",
    ]
    assert document.passages[-1].page == 2


def test_a_reference_at_a_lines_beginning_is_no_heading(tmp_path: Path) -> None:
    wrapped = ["Ketentuan lebih lanjut sebagaimana dimaksud dalam", "Pasal 7", "berlaku sesudah tahun itu."]
    lines = ["Pasal 1", *wrapped, "", "Pasal 2", "Isi."]
    texts = [Text(80, 700 - 14 * n, line) for n, line in enumerate(lines) if line]
    document = read(tmp_path, [Page(texts)])
    assert [passage.number for passage in document.passages] == ["1", "2"]


LEFT = "the owner of a berth gives notice to the master before any change and pays a fee"
RIGHT = "an owner who fails to give notice pays twice what the tariff says for each of them"


def _lines(text: str) -> list[str]:
    return textwrap.wrap(text, 26)


def test_two_columns(tmp_path: Path) -> None:
    texts = column(_lines(f"{LEFT} {LEFT} {LEFT}."), 60) + column(_lines(f"{RIGHT} {RIGHT} {RIGHT}."), 320)
    assert text_of(read(tmp_path, [Page(texts)])) == f"{LEFT} {LEFT} {LEFT}. {RIGHT} {RIGHT} {RIGHT}."


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_turned_text_is_read(tmp_path: Path, angle: int) -> None:
    step = {90: (12, 0), 180: (0, 12), 270: (-12, 0)}[angle]
    texts = [
        Text(300 + step[0] * n, 400 + step[1] * n, line, angle=angle)
        for n, line in enumerate(["One sentence here.", "And another one."])
    ]
    assert text_of(read(tmp_path, [Page(texts)])) == "One sentence here. And another one."


def test_a_table_keeps_its_cells(tmp_path: Path) -> None:
    rows = [
        ("Berth", "Fee", "Year"),
        ("Quay", "200", "2019"),
        ("Basin", "350", "2020"),
        ("Pier", "90", "2021"),
    ]
    texts = [
        Text(60 + 150 * c, 700 - 14 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)
    ]
    assert read(tmp_path, [Page(texts)]).passages[0].text == "\n".join(" | ".join(row) for row in rows)


def test_headings_by_their_setting(tmp_path: Path) -> None:
    texts = [
        Text(60, 750, "Rules of the Harbour", 20, True),
        Text(60, 700, "1. Berths", 10, True),
        Text(60, 680, "A berth is a place at a quay."),
        Text(60, 650, "2. Fees", 10, True),
        Text(60, 630, "A fee is due for each berth and is to be"),
        Text(60, 618, "paid in advance."),
    ]
    document = read(tmp_path, [Page(texts)])
    assert document.document.title == "Rules of the Harbour"
    assert [passage.headings[-1] for passage in document.passages] == ["1 Berths", "2 Fees"]
    assert document.passages[1].text == "A fee is due for each berth and is to be paid in advance."


def test_metadata(tmp_path: Path) -> None:
    page = Page(column(["The Harbour Act", "A berth is a place."]))
    document = read(
        tmp_path,
        [page],
        Title="The Harbour Act",
        Author="A. Clerk",
        CreationDate="D:20200102",
        Producer="Press",
    ).document
    assert (document.title, document.source) == ("The Harbour Act", "law.pdf")
    assert dict(document.metadata) == {
        "author": "A. Clerk",
        "producer": "Press",
        "created": "2020-01-02",
        "pages": 1,
    }


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ([Page(picture=True)], "law.pdf: scanned: no text layer (the page is a picture); run OCR first"),
        ([Page()], "law.pdf: no text: its pages are blank"),
    ],
)
def test_files_without_text(tmp_path: Path, pages: list[Page], reason: str) -> None:
    assert [str(item) for item in items(tmp_path, pages)] == [reason]


def test_scanned_pages_among_others_are_named(tmp_path: Path) -> None:
    page = Page(column(["One sentence stands on this page."]))
    scan = Page(picture=True)
    problem, document = items(tmp_path, [page, scan, scan, page, scan])
    assert str(problem) == "law.pdf: no text layer on pages 2-3 and 5 (scanned); run OCR to have it too"
    assert isinstance(document, ReadDocument)


def test_what_is_accepted() -> None:
    reader = PdfReader()
    assert reader.accepts(Path("x.bin"), b"\n%PDF-1.7")
    assert reader.accepts(Path("x.pdf"), b"")
    assert not reader.accepts(Path("x.txt"), b"the PDF")
