"""Standards as Word and PDF files: editions, issuer, year, what they replace and cite, how they are found."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import docx
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.model import EvidenceStatus, Relation, Status
from engine.records.phrases import full_citation, short_citation
from engine.settings import preset
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, pdf

OLD, NEW, ISO, REPORT = "gri-306-2016", "gri-306-2020", "iso-14001", "report"
# A title, and paragraphs; a line with a sign in front is a heading.
TEXTS = {
    OLD: (
        "GRI 306: Effluents and Waste 2016",
        "This Standard is effective for reports published on or after 1 July 2018.",
        "#Disclosure 306-2 Waste by type and disposal method",
        "The reporting organization shall report the total weight of hazardous waste, by disposal method.",
    ),
    NEW: (
        "GRI 306: Waste 2020",
        "This Standard replaces GRI 306: Effluents and Waste 2016 as regards waste.",
        "#Disclosure 306-3 Waste generated",
        "The reporting organization shall report the total weight of waste generated in metric tons.",
        "An organization with a management system according to ISO 14001 can use its data.",
    ),
    ISO: (
        "ISO 14001:2015",
        "This third edition cancels and replaces the second edition (ISO 14001:2004).",
        "#6.1.2 Environmental aspects",
        "The organization shall determine the environmental aspects of its activities.",
    ),
    REPORT: (
        "Sustainability report of Brightwater",
        "Waste is reported under GRI 306: Waste 2020; older data follow GRI 306: Effluents and Waste 2016.",
        "The management system is certified to ISO 14001:2015 and to ISO/IEC 27001.",
        "GRI Standard 306 is applied in full.",
    ),
}


def as_word(folder: Path) -> None:
    for name, (title, *lines) in TEXTS.items():
        written = docx.Document()
        written.core_properties.title = title
        written.add_heading(title, 1)
        for line in lines:
            if line.startswith("#"):
                written.add_heading(line[1:], 2)
            else:
                written.add_paragraph(line)
        written.save(str(folder / f"{name}.docx"))


def as_pdf(folder: Path) -> None:
    for name, (title, *lines) in TEXTS.items():
        texts = [Text(60, 740, title, size=16, bold=True)]
        height = 700
        for line in lines:
            heading = line.startswith("#")
            words, rows = line.lstrip("#").split(), [""]
            for word in words:
                if len(rows[-1]) + len(word) > 70:
                    rows.append("")
                rows[-1] = f"{rows[-1]} {word}".strip()
            for row in rows:
                texts.append(Text(60, height, row, size=13 if heading else 10, bold=heading))
                height -= 14
            height -= 12
        (folder / f"{name}.pdf").write_bytes(pdf([Page(texts)], {"Title": title}))


@pytest.fixture(scope="module", params=[as_word, as_pdf], ids=["docx", "pdf"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("standards")
    (root / "files").mkdir()
    request.param(root / "files")
    build_corpus([root / "files"], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


def test_each_edition_is_cited_and_superseded_as_printed(corpus: Corpus) -> None:
    references = corpus.references(corpus.reference_numbers().tolist())
    to = {
        (one.source_id.split("/")[0], one.text.replace("\n", " ")): (one.relation, one.target_id)
        for one in references
    }
    assert to[NEW, "GRI 306: Effluents and Waste 2016"] == (Relation.SUPERSEDES, OLD)
    assert to[NEW, "ISO 14001"] == (Relation.CITES, ISO)
    assert to[REPORT, "GRI 306: Waste 2020"] == (Relation.CITES, NEW)
    assert to[REPORT, "GRI 306: Effluents and Waste 2016"] == (Relation.CITES, OLD)
    assert to[REPORT, "GRI Standard 306"] == (Relation.CITES, NEW)
    assert to[REPORT, "ISO 14001:2015"] == (Relation.CITES, ISO)
    lost = {one.text for one in references if one.status is not Status.RESOLVED}
    assert lost == {"ISO 14001:2004", "ISO/IEC 27001"}


def test_a_citation_names_the_edition(corpus: Corpus) -> None:
    case = asked(corpus, "Who reports the waste generated in metric tons?")
    found = next(one for one in case.ranking if one.document.id == NEW)
    assert short_citation(found.passage, found.document).startswith("GRI 306:2020")
    assert full_citation(found.passage, found.document).startswith("GRI 306: Waste 2020")


def asked(corpus: Corpus, question: str, **changes: Any) -> Case:
    case = Case(corpus, question, preset("auto").changed(**changes), day=date(2026, 1, 1))
    for _ in case.run():
        continue
    return case


def test_an_edition_that_is_not_there_is_told_with_those_that_are(corpus: Corpus) -> None:
    case = asked(corpus, "What does ISO 14001:2004 require?")
    assert case.evidence.status is EvidenceStatus.NONE
    assert case.plan is not None
    (missing,) = case.plan.named
    assert "no document of the corpus is ISO 14001:2004" in missing.note
    assert "ISO 14001:2015" in missing.note
    latest = asked(corpus, "What does ISO 14001 require?").plan
    assert latest is not None
    assert latest.named == ()


def test_filters_take_issuer_and_year(corpus: Corpus) -> None:
    case = asked(corpus, "total weight of waste", issuers=("Global Reporting Initiative",), year_from=2020)
    assert {one.document.id for one in case.ranking} == {NEW}
