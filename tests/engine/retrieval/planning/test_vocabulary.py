"""Acronyms and terms of a corpus, found in a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.views import exchange_acronyms
from engine.settings import InvestigationSettings
from tests.tables import table

TEXT: str = table(__file__, "TEXT")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("rules")
    (folder / "rules.md").write_text(TEXT, encoding="utf-8")
    build_corpus([folder / "rules.md"], folder / "corpus", embedding="none")
    return open_corpus(folder / "corpus")


def test_acronyms_are_exchanged_both_ways(rules: Corpus) -> None:
    long_form = "Money Laundering Reporting Officer"
    assert exchange_acronyms(rules, "Who appoints the MLRO?", "en") == [("MLRO", long_form)]
    assert exchange_acronyms(rules, "Who appoints a money laundering reporting officer?", "en") == [
        ("money laundering reporting officer", "MLRO")
    ]
    assert exchange_acronyms(rules, "Who appoints the mlro?", "en") == []


def test_a_plan_says_where_its_words_come_from(rules: Corpus) -> None:
    settings = InvestigationSettings(query_strategy="recall")
    plan = make_plan("Which records of client money does the MLRO keep?", ["en"], settings, corpus=rules)
    origins = {view.name: view.origin for view in plan.views}
    assert origins["acronym"] == "the corpus's own acronyms: MLRO = Money Laundering Reporting Officer"
    assert not any(view.dense for view in plan.views if view.name in ("acronym", "terms", "feedback"))
