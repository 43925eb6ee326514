"""The fold of the concepts that a question names, under its coverage."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.ontology import checked, ontology_from
from engine.corpus.protocol import Corpus
from engine.corpus.related import with_ontology, without_ontology
from engine.investigation import Case
from engine.settings import InvestigationSettings
from ui.investigate.case_views import concepts_box
from ui.open_case import OpenCase

QUESTION = "When does the objection period end?"


@pytest.fixture(scope="module")
def sample(sample_folder: Path) -> Corpus:
    return open_corpus(sample_folder)


def box(corpus: Corpus, question: str = QUESTION, *, run: bool = True) -> str:
    case = Case(corpus, question, InvestigationSettings(rounds=0))
    list(case.run() if run else ())
    return concepts_box(OpenCase(case, corpus, question, ()))


def test_a_concept_is_a_button_that_shows_its_provisions(sample: Corpus) -> None:
    html = box(sample)
    assert "<small>1 named</small>" in html
    assert '<b dir="auto">Objection period</b>' in html
    assert "under Objection" in html
    assert "to check: day of delivery; instruction on remedies" in html
    evidence = re.search(r'data-evidence="([^"]*)"', html)
    assert evidence is not None
    ids = json.loads(unescape(evidence[1]))
    assert "tax-procedure-act/art-26/para-1" in ids
    assert f">{len(ids)} of " in html
    assert "Tax Procedure Act, Article 3(6) defines Objection period" in html


def test_there_is_no_fold_where_nothing_is_named_or_known_yet(sample: Corpus) -> None:
    assert box(sample, "Where is the moon?") == ""
    assert box(without_ontology(sample)) == ""
    assert box(sample, run=False) == ""


def test_what_an_ontology_says_is_escaped(sample: Corpus) -> None:
    concept = {"id": "p", "names": {"en": "Objection period"}, "required_checks": ["<b onclick=x>"]}
    html = box(with_ontology(sample, ontology_from(checked({"concepts": [concept]}))))
    assert "<b onclick" not in html
    assert "&lt;b onclick" in html
