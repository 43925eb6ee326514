"""Kind V: a file is read as what its content is, whatever its name says, and the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.report import FileStatus
from engine.model import Status
from tests.engine.ingestion.readers.docx.writing import docx, paragraph
from tests.engine.ingestion.readers.pdf.drawing import Page, column, pdf

TEXTS = {
    "id": (
        "Pasal 3",
        "Izin berlaku untuk setiap orang yang menyeberang.",
        "Pasal 4",
        "Izin dalam Pasal 3 berakhir.",
    ),
    "de": ("§ 3", "Der Fährmann führt ein Buch.", "§ 4", "Das Buch nach § 3 ist öffentlich."),
    "fr": (
        "Article 3",
        "Le passeur tient un registre.",
        "Article 4",
        "Le registre de l'article 3 est public.",
    ),
}


def content(form: str, lines: tuple[str, ...], folder: Path) -> bytes:
    if form == "HTML":
        return "<!DOCTYPE html><html><body>{}</body></html>".format(
            "".join(f"<p>{one}</p>" for one in lines)
        ).encode()
    if form == "DOCX":
        return docx(folder / "x", *map(paragraph, lines)).read_bytes()
    return "\n\n".join(lines).encode() if form == "plain text" else pdf([Page(column(lines, step=40))])


@pytest.mark.parametrize(
    ("name", "form", "language", "is_told"),
    [
        ("law.pdf", "HTML", "id", True),
        ("law.PDF", "DOCX", "de", True),
        ("law.pdf", "plain text", "fr", True),
        ("law.txt", "PDF", "fr", True),
        ("law.html", "PDF", "de", True),
        ("law.docx", "HTML", "de", True),
        ("law.doc", "HTML", "fr", True),
        ("law.md", "DOCX", "id", True),
        ("law.docx", "plain text", "id", True),
        ("law.pdf", "PDF", "id", False),
        ("law.htm", "HTML", "fr", False),
        ("law", "DOCX", "fr", False),
    ],
)
def test_a_file_is_read_by_its_content(
    tmp_path: Path, name: str, form: str, language: str, is_told: bool
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(content(form, TEXTS[language], tmp_path))
    report = build_corpus([tmp_path / "in"], tmp_path / "corpus", name="Field", embedding="none")
    assert [file.status for file in report.files] == [FileStatus.READ]
    assert any(f"its content is {form}" in problem.reason for problem in report.problems) is is_told
    [reference] = open_corpus(tmp_path / "corpus").all_references()
    assert reference.status is Status.RESOLVED
    assert str(reference.target_id).endswith("-3")
