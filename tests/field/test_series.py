"""Kind F: a file that holds two texts with articles of their own."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.model import Naming, Status
from engine.retrieval.planning.named import provisions_named
from tests.engine.ingestion.readers.docx.writing import docx, paragraph
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, pdf
from tests.field.conftest import Build
from tests.tables import table

# The lines of a file; its links; a question that names no text; one that names the second, and its answer.
FILES = [
    (
        "md",
        "# Treaty on Ferries|## Article 1|A ferry needs a licence under Article 2.|## Article 2|"
        "Tolls follow Article 1 of the Protocol.|# Protocol on Tolls|## Article 1|The toll is 4 "
        "euros.|## Article 2|Article 1 applies, and Article 1 of the Treaty.",
        {"/1 /2", "/2 ~2/1", "~2/2 ~2/1", "~2/2 /1"},
        "What does Article 2 say?",
        "What does Article 2 of the Protocol say?",
    ),
    (
        "txt",
        "Verfassung des Landes Auenmark|Artikel 1|Artikel 2 bleibt unberührt.|Artikel 2|Der "
        "Landtag wird gewählt.|Übergangsgesetz zur Verfassung|Artikel 1|Es gilt bis zur Wahl nach "
        "Artikel 2.|Artikel 2|Die Wahl findet im Mai statt.",
        {"/1 /2", "~2/1 ~2/2"},
        "Was steht in Artikel 2?",
        "Was steht in Artikel 2 des Übergangsgesetzes?",
    ),
    (
        "html",
        "# Constitución de Ribera|## Artículo 1|Ribera es libre según el artículo 2.|## Artículo 2|"
        "El gobierno reside en la capital.|# Estatuto Transitorio de Ribera|## Artículo 1|El "
        "consejo cesa conforme al artículo 2.|## Artículo 2|El cese ocurre en mayo.",
        {"/1 /2", "~2/1 ~2/2"},
        "¿Qué dice el artículo 2?",
        "¿Qué dice el artículo 2 del Estatuto Transitorio de Ribera?",
    ),
    (
        "docx",
        "# Statuts de la société Aulne SARL|## Article 1|Le siège est à Lyon. L'article 2 "
        "s'applique.|## Article 2|Le conseil décide.|# Statuts de la société Bouleau SARL|## "
        "Article 1|Le siège est à Brest. L'article 2 s'applique.|## Article 2|L'assemblée décide.",
        {"/1 /2", "~2/1 ~2/2"},
        "Que dit l'article 2 ?",
        "Que dit l'article 2 de Bouleau SARL ?",
    ),
    (
        "pdf",
        "# Anggaran Dasar PT Jati Utama|## Pasal 1|Perseroan tunduk pada Pasal 2.|## Pasal 2|"
        "Direksi yang menyetujui pengalihan.|# Anggaran Dasar PT Meranti Abadi|## Pasal 1|"
        "Perseroan tunduk pada Pasal 2.|## Pasal 2|Rapat umum yang menyetujui pengalihan.",
        {"/1 /2", "~2/1 ~2/2"},
        "Apa isi Pasal 2?",
        "Apa isi Pasal 2 Anggaran Dasar PT Meranti Abadi?",
    ),
    (
        "txt",
        "渡船条约|第一条 渡船须依第二条取得许可。|第二条 许可由理事会发给。|渡船条约议定书|第一条 "
        "渡费为四元，第二条另有规定的除外。|第二条 儿童免费。",
        {"/1 /2", "~2/1 ~2/2"},
        "第二条规定了什么？",
        "议定书第二条规定了什么？",
    ),
]
# What stays one text.
ONE = table(__file__, "ONE")


def _content(form: str, lines: list[str]) -> str | bytes:
    if form == "html":
        tags = {"# ": "h1", "##": "h2"}
        return "".join(f"<{(tag := tags.get(x[:2], 'p'))}>{x.lstrip('# ')}</{tag}>" for x in lines)
    if form == "pdf":
        return pdf(
            [Page([Text(50, 700 - 30 * n, x.lstrip("# "), 14 if x[:2] == "# " else 10, x[0] == "#")
                   for n, x in enumerate(lines)])]
        )  # fmt: skip
    return "\n\n".join(lines if form == "md" else [x.lstrip("# ") for x in lines])


@pytest.mark.parametrize(("form", "text", "links", "open_question", "question"), FILES)
def test_each_text_has_its_articles(
    build: Build, tmp_path: Path, form: str, text: str, links: set[str], open_question: str, question: str
) -> None:
    lines = text.split("|")
    styles = {"# ": "Heading1", "##": "Heading2"}
    content = _content(form, lines)
    if form == "docx":
        written = (paragraph(x.lstrip("# "), styles.get(x[:2], "")) for x in lines)
        content = docx(tmp_path / "x.docx", *written).read_bytes()
    corpus = build({f"law.{form}": content})
    found = {
        f"{one.source_id} {one.target_id}".replace("law", "").replace("art-", "")
        for one in corpus.all_references()
        if one.status is Status.RESOLVED
    }
    assert found == links
    language = corpus.documents()[0].language
    [choice] = provisions_named(corpus, open_question, language, date(2026, 1, 1))
    assert (choice.status, len(choice.choices)) == (Naming.SEVERAL, 2)
    [named] = provisions_named(corpus, question, language, date(2026, 1, 1))
    assert (named.status, *named.passage_ids) == (Naming.FOUND, "law~2/art-2")


@pytest.mark.parametrize("text", ONE)
def test_chapters_annexes_and_explanations_are_parts_of_their_text(build: Build, text: str) -> None:
    assert len(build({"law.md": text.replace("|", "\n\n")}).documents()) == 1


VERSION = """---
title: Code du {}
identifier: {}
last_updated: {}
---
# Code du {}

Article L1

Le {} est ouvert.

Article L2

Le droit est de {} euros.
"""


@pytest.mark.parametrize(
    "question",
    ["Que dit l'article L2 du Code du rivage ?", "article L2 Code du rivage", "Code du rivage, art. L2",
     "Que dit l'article L2 du Code du rivgae ?", "What does article L2 of the Code du rivage say?"],
)  # fmt: skip
def test_a_later_version_is_not_the_law_of_today(build: Build, question: str) -> None:
    corpus = build(
        {
            f"{name}-{day}.md": VERSION.format(name, name, day, name, name, euros)
            for name, day, euros in (
                ("rivage", "2010-01-01", 3), ("rivage", "2020-01-01", 5), ("rivage", "2034-01-01", 8),
                ("canal", "2010-01-01", 4), ("canal", "2020-01-01", 6),
            )
        }
    )  # fmt: skip
    [named] = provisions_named(corpus, question, "fr", date(2026, 1, 1))
    assert [one.text for one in corpus.passages(corpus.rows(named.passage_ids))] == [
        "Le droit est de 5 euros."
    ]


def test_the_second_text_of_a_file_has_its_day(build: Build) -> None:
    front = "---\ntitle: Treaty on Ferries\nin_force_from: 2020-01-01\n---\n"
    corpus = build({"law.md": front + FILES[0][1].replace("|", "\n\n")})
    assert [one.valid_from for one in corpus.documents()] == [date(2020, 1, 1)] * 2
