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
from tests.tables import table, tuples

TEXTS = tuples(__file__, "TEXTS")


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
    table(__file__, "test_a_file_is_read_by_its_content"),
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
