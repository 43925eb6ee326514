"""Real PDFs: none is left without an answer, and their text comes in the order in which it is read."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.pdf import PdfReader

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[5].parent / "shared" / "data")
PDFS = DATA / "raw" / "pdf"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(not PDFS.is_dir(), reason=f"no corpora beside the project ({DATA.name})"),
]


@cache
def read(name: str, *passwords: str) -> list[ReadDocument | Problem]:
    return list(PdfReader().read(SourceFile(PDFS / name, name, passwords)))


def text(name: str, *passwords: str) -> str:
    (document,) = (item for item in read(name, *passwords) if isinstance(item, ReadDocument))
    return " ".join(" ".join(passage.text.split()) for passage in document.passages)


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("encrypted_password-required.pdf", "test", "it is easier to install Backup4all"),
        ("encrypted-libreoffice.pdf", "openpassword", ""),
    ],
)
def test_passwords_are_tried_in_turn(name: str, password: str, words: str) -> None:
    assert words in text(name, "wrong", password)
    (problem,) = read(name, "wrong")
    assert "the password given does not open it" in str(problem)


FEDERAL_REGISTER = "federal-register-2020-17221_three-column.pdf"
READ = [
    # over the end of a column, with a hyphen of the word's own, and on to the next page
    (FEDERAL_REGISTER, "takeoff from Soekarno-Hatta International Airport"),
    (FEDERAL_REGISTER, "Model 737–8 and 737–9 (737 MAX) airplanes"),
    ("latex-multicolumn.pdf", "consectetuer adipiscing elit. Ut purus elit"),
    ("latex-multicolumn.pdf", "Donec nonummy pellentesque ante."),
    ("scotus-transcript-p1_line-numbers.pdf", "The above-entitled matter came on for oral argument"),
    ("2023-06-20-PV_french-minutes.pdf", "visant la démolition partielle d’un bâtiment"),
    ("nics-2015-11_rotated-table.pdf", "Alabama | 18,870 | 23,022 | 22,650 | 859 | 1,178"),
    ("la-precinct-bulletin-2014-p1.pdf", "NEEL KASHKARI | REP | 247 | NO | 142 | NO | 105 | NO | 216"),
    ("uae-decree-law-39-2022_arabic.pdf", "القانون الاتحادي رقم (11) لسنة 1972 في شأن التعليم الإلزامي"),
    ("right-to-left-01.pdf", "بينما توفر R أدوات قوية للرسم البياني"),
    ("kuh-perdata_indonesian-civil-code.pdf", "hilangnya segala hak-hak kewargaan"),
    # over the end of a page
    ("id-uu-10-2020-bea-meterai.pdf", "yang memiliki ciri dan mengandung unsur pengaman"),
    ("vietnamese-judgment-civil.pdf", "giấy chứng nhận quyền sử dụng đất”."),
    ("duplicate-chars-issue-71.pdf", "爆破方案优化设计及爆破震动监测工作"),
    ("invisible-text-layer.pdf", "Invisible OCR text layer"),
]


@pytest.mark.parametrize(("name", "words"), READ)
def test_text_is_in_reading_order(name: str, words: str) -> None:
    assert words in text(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("federal-register-2020-17221_three-column.pdf", "VerDate"),
        ("federal-register-2020-17221_three-column.pdf", "jbell on"),
        ("id-uu-10-2020-bea-meterai.pdf", "peraturan.go.id"),
        ("id-uu-10-2020-bea-meterai.pdf", "2020, No.240"),
        ("uae-decree-law-39-2022_arabic.pdf", "في شأن التعليم الإلزامي 1"),
    ],
)
def test_what_every_page_repeats_is_left_out(name: str, words: str) -> None:
    assert words not in text(name)


def test_every_article_of_the_civil_code() -> None:
    (document,) = read("kuh-perdata_indonesian-civil-code.pdf")
    assert isinstance(document, ReadDocument)
    articles = [section for section in document.sections if section.kind == "article"]
    assert len(articles) == 2127
    assert len(document.passages) > 1900
    books = [section.title for section in document.sections if section.kind == "book"]
    assert books == ["ORANG", "BARANG", "PERIKATAN", "PEMBUKTIAN DAN KEDALUWARSA"]
