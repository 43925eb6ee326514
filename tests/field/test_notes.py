"""Kind D: the raised number of a note is no part of the number or the word in front of it."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus.protocol import Corpus
from engine.model import Passage, Status
from tests.engine.ingestion.readers.docx.writing import docx, paragraph
from tests.engine.ingestion.readers.pdf.drawing import PITCH, Page, Text, pdf
from tests.field.conftest import Build
from tests.tables import table

# Acts, the notes of their pages, the links of their provisions, and words that the text has and has not.
Act = tuple[list[str], list[str], dict[str, list[str]], list[str], list[str]]
ACTS: list[Act] = table(__file__, "ACTS")
_RAISED = re.compile("([⁰¹²³⁴-⁹]+)")
_SMALL_RUN = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'


def _figures(raised: str) -> str:
    return unicodedata.normalize("NFKC", raised)


def _printed(lines: list[str], notes: list[str], small: str = "") -> bytes:
    """A PDF with raised numbers in small type, and the notes and a line in small type at its foot."""
    texts, y = [], 740.0
    for line in [*lines, *(_RAISED.sub(r" \1", note) for note in notes), small]:
        is_text = line in lines
        size, x, y = (
            (16.0 if line[:2] == "# " else 10.0 if is_text else 7.0),
            50.0,
            y - (28 if is_text else 12),
        )
        for place, piece in enumerate(_RAISED.split(line.lstrip("# "))):
            type_size = size * 0.6 if place % 2 else size
            texts.append(Text(x, y + 4 * (place % 2), _figures(piece), type_size, line[0:1] == "#"))
            x += len(piece) * PITCH * type_size
    return pdf([Page([text for text in texts if text.text])])


def _html(line: str) -> str:
    tag = {"# ": "h1", "##": "h2"}.get(line[:2], "p")
    return f"<{tag}>{_RAISED.sub(lambda it: f'<sup>{_figures(it[1])}</sup>', line.lstrip('# '))}</{tag}>"


def _word(line: str) -> str:
    style = {"# ": "Title", "##": "Heading1"}.get(line[:2], "")
    runs = (
        _SMALL_RUN.format(_figures(piece))
        if place % 2
        else f'<w:r><w:t xml:space="preserve">{piece}</w:t></w:r>'
        for place, piece in enumerate(_RAISED.split(line.lstrip("# ")))
    )
    return paragraph("", style).replace("</w:p>", "".join(runs) + "</w:p>")


def _contents(lines: list[str], notes: list[str], folder: Path) -> dict[str, str | bytes]:
    marked = re.sub(r"(?<!m)(?<!10)([⁰¹²³⁴-⁹]+)", lambda it: f"[^{_figures(it[1])}]", "\n\n".join(lines))
    return {
        "pdf": _printed(lines, notes),
        "html": "".join(map(_html, lines)),
        "docx": docx(folder / "act.docx", *map(_word, lines)).read_bytes(),
        "md": marked,
        "txt": "\n\n".join(line.lstrip("# ") for line in lines),
    }


def _passages(corpus: Corpus) -> list[Passage]:
    return corpus.passages(np.arange(len(corpus), dtype=np.int32))


@pytest.mark.parametrize("form", ["pdf", "html", "docx", "md", "txt"])
@pytest.mark.parametrize("act", ACTS, ids=[act[0][0] for act in ACTS])
def test_a_note_is_no_part_of_a_number(build: Build, tmp_path: Path, act: Act, form: str) -> None:
    lines, notes, links, said, unsaid = act
    corpus = build({f"act.{form}": _contents(lines, notes, tmp_path)[form]})
    found: dict[str, list[str]] = {}
    for one in corpus.all_references():
        if "/notes" not in one.source_id and one.status is Status.RESOLVED:
            source, target = (name.removeprefix("act/") for name in (one.source_id, str(one.target_id)))
            found.setdefault(source.split("/para")[0], []).append(target)
    assert found == links
    text = "\n".join(one.text for one in _passages(corpus) if "/notes" not in one.id)
    assert all(words in text for words in said)
    assert not any(words in text for words in unsaid)
    if form == "pdf":
        kept = [one.text for one in _passages(corpus) if "/notes" in one.id]
        assert [text.replace("[", "").replace("]", "") for text in kept] == notes


def test_what_is_small_or_raised_and_no_note_stays(build: Build) -> None:
    lines = ["# Ferry Act", "## Article 1", "A pass² costs 5 euros.", "## Article 2", "A raft is 9 m³ wide."]
    corpus = build({"act.pdf": _printed(lines, ["2 Act 8 of 2001."], "4 rafts need a pass.")})
    assert [one.text for one in _passages(corpus)][:2] == ["A pass costs 5 euros.", "A raft is 9 m³ wide."]


@pytest.mark.parametrize(
    ("language", "text", "true", "false"),
    [
        ("en", "The fine is 500³ euros.", "The fine is 500 euros.", "The fine is 5003 euros."),
        ("de", "Die Frist beträgt 14² Tage.", "Die Frist beträgt 14 Tage.", "Die Frist beträgt 142 Tage."),
        ("es", "El plazo es de 30¹ días.", "El plazo es de 30 días.", "El plazo es de 301 días."),
    ],
)
def test_an_amount_is_audited_without_the_number_of_its_note(
    build: Build, language: str, text: str, true: str, false: str
) -> None:
    auditor = Auditor(build({"act.txt": text}), day=date(2026, 1, 1))
    found = [auditor.claim(claim, language).finding for claim in (true, false)]
    assert [finding is Finding.SUPPORTED for finding in found] == [True, False]
