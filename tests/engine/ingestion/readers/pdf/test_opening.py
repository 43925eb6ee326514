from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.pdf.reader import UnreadableError, open_pdf, parse_pdf_date, stated_title
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, pdf


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("D:20201119103834+07'00'", "2020-11-19T10:38:34+07:00"),
        ("D:20130528105243Z", "2013-05-28T10:52:43+00:00"),
        ("D:20221332", None),
        ("yesterday", None),
    ],
)
def test_dates(text: str, iso: str | None) -> None:
    assert parse_pdf_date(text) == iso


@pytest.mark.parametrize(
    ("stated", "taken"),
    [
        ("The Harbour Act", "The Harbour Act"),
        ("Microsoft Word - harbour.doc", None),
        ("harbour_act_final", None),
        # the title of something else
        ("Minutes of the General Assembly", None),
    ],
)
def test_a_title_is_taken_if_the_text_says_it_too(tmp_path: Path, stated: str, taken: str | None) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(pdf([Page([Text(50, 700, "x")])], {"Title": stated}))
    with open_pdf(SourceFile(path)) as document:
        assert stated_title(document, "THE HARBOUR ACT of 2020 harbour final 12345") == taken


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "empty"), (b"%PDF-1.5\nrubbish", "damaged"), (b"hello", "damaged")]
)
def test_an_invalid_file_is_an_error(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match=reason), open_pdf(SourceFile(path)):
        pass
