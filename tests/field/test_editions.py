"""Editions of a standard are documents of their own; author, publisher and date reach filters and citations."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.filters import document_year
from engine.model import Relation, Status
from engine.records.phrases import full_citation
from engine.retrieval.planning.named import provisions_named

TEXTS = {
    "old.md": "# GRI 303: Water and Effluents 2016\n\n## 1 Scope\nIt is about water.\n\n## 2 Use\nWater is counted.\n",
    "new.md": "# GRI 303: Water and Effluents 2018\n\n## 1 Scope\nIt is about water.\n\n## 2 Use\nWater is weighed.\n",
    "iso.md": "# ISO 9001:2008 Quality\n\n## 4 Context\nQuality counts.\n",
    "iso15.md": "# ISO 9001:2015 Quality\n\n## 4 Context\nQuality is planned.\n",
    "guide.md": "---\nauthor: Water Desk\ndate: 2021-03-01\n---\n# Guide to water\n\nUse GRI 303-2016, not GRI 303-2018. ISO 9001-2008 is old, see ISO 9001. GRI 303-2010 is lost.\n",
    "merkblatt.md": "---\nHerausgeber: Wasseramt\ndate: 2020-05-04\n---\n# Merkblatt Wasser\n\nWasser ist zu zählen.\n",
    "panduan.md": "---\npenulis: Dinas Air\ndate: 2019\n---\n# Panduan air\n\nAir dihitung setiap tahun.\n",
}


def test_links_lead_to_the_edition_that_is_named(corpus: Corpus) -> None:
    links = corpus.references(range(len(corpus.reference_numbers())))
    cited = {(one.text, one.target_id) for one in links if one.relation is Relation.CITES}
    assert cited == {
        ("GRI 303-2016", "old"),
        ("GRI 303-2018", "new"),
        ("ISO 9001-2008", "iso"),
        ("ISO 9001", "iso15"),
        ("GRI 303-2010", None),
    }
    later = {
        (one.source_id.split("/")[0], one.target_id) for one in links if one.relation is Relation.SUPERSEDES
    }
    assert later == {("new", "old"), ("iso15", "iso")}
    assert all(one.status is Status.UNRESOLVED for one in links if one.target_id is None)


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("What does GRI 303-2016 say on use?", ""),
        ("How do ISO 9001-2008 and ISO 9001-2015 differ?", ""),
        ("What does GRI 303-2010 say?", "no document of the corpus is GRI 303-2010"),
    ],
)
def test_questions(corpus: Corpus, question: str, note: str) -> None:
    named = provisions_named(corpus, question, "en", date(2026, 1, 1))
    assert [one.note[: len(note)] for one in named] == ([note] if note else [])


@pytest.mark.parametrize(
    ("name", "issuer", "year", "cited"),
    [
        ("guide", "Water Desk", 2021, "Guide to water (Water Desk, 2021-03-01)"),
        ("merkblatt", "Wasseramt", 2020, "Merkblatt Wasser (Wasseramt, 2020-05-04)"),
        ("panduan", "Dinas Air", 2019, "Panduan air (Dinas Air, 2019)"),
    ],
)
def test_author_and_date(corpus: Corpus, name: str, issuer: str, year: int, cited: str) -> None:
    (document,) = (one for one in corpus.documents() if one.id == name)
    assert (document.issuer, document_year(document)) == (issuer, year)
    every = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    (passage,) = (one for one in every if one.document_id == name)
    assert full_citation(passage, document).startswith(cited)
