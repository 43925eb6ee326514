"""Rulebooks that number their parts in a form of their own, read from Markdown, asked as a reader asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.structure.numbers import Line, own_numbers
from engine.investigation import Case
from engine.model import Naming, Passage, Status
from engine.records.phrases import short_citation
from engine.retrieval.planning.named import provisions_named
from engine.settings import preset
from tests.tables import table

CRIME: str = table(__file__, "CRIME")
AUTHORISATION = """# Authorisation Module

## AU-1 Licences

AU-1.1.1 Nobody may hold money for others without a licence.

AU-1.1.2 The register names a person for reports.

AU-1.1.3 COVID-19 measures of 2020 are no longer applied; FC-7.7.7 never was a rule.
"""
GUIDELINES: str = table(__file__, "GUIDELINES")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("modules")
    for name, text in (("fc", CRIME), ("au", AUTHORISATION), ("guidelines", GUIDELINES)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    target = tmp_path_factory.mktemp("corpus") / "modules"
    build_corpus([folder], target, embedding="none")
    return open_corpus(target)


def every(corpus: Corpus) -> list[Passage]:
    return corpus.passages(np.arange(len(corpus), dtype=np.int32))


def links(corpus: Corpus) -> set[tuple[str, str, str]]:
    """Who cites what: the words of the reference, its target's id and its relation."""
    return {
        (one.text, one.target_id or "", str(one.relation))
        for one in corpus.all_references()
        if one.status is Status.RESOLVED
    }


def test_the_title_of_a_passage_is_not_said_twice(modules: Corpus) -> None:
    (named,) = provisions_named(modules, "What does AU-1.1.2 say?", "en", date(2026, 1, 1))
    (passage,) = modules.passages(modules.rows(named.passage_ids))
    document = next(one for one in modules.documents() if one.id == passage.document_id)
    assert short_citation(passage, document) == "AU-1.1.2"


@pytest.mark.parametrize(
    ("question", "status", "text"),
    [
        ("What does FC-1.1.2 say?", Naming.FOUND, "keeps a record"),
        ("what does fc-1.1.2 say", Naming.FOUND, "keeps a record"),
        ("Paragraph AU-1.1.1", Naming.FOUND, "without a licence"),
        ("What does Guideline 2 of the Trade Guidelines say?", Naming.FOUND, "all charges"),
        ("What does Guideline 3 say?", Naming.FOUND, "within ten days"),
        ("What does FC-9.1 say?", Naming.MISSING, "has no FC-9.1; the nearest are"),
    ],
)
def test_questions_name_them(modules: Corpus, question: str, status: Naming, text: str) -> None:
    (named,) = provisions_named(modules, question, "en", date(2026, 1, 1))
    assert named.status is status
    shown = " ".join(passage.text for passage in modules.passages(modules.rows(named.passage_ids)))
    assert text in (shown if named.passage_ids else named.note)


def test_other_words_with_numbers_name_nothing(modules: Corpus) -> None:
    question = "What changed for Model T 12 and the COVID-19 measures after Member 3 left?"
    assert provisions_named(modules, question, "en", date(2026, 1, 1)) == ()


def heads(*titles: str) -> Sequence[Line]:
    return [(title, True) for title in titles]


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (heads("FC-1 One", "FC-1.1 Two", "FC-2 Three"), 3),
        (heads("FC-1 One", "FC-1.1 Two"), 0),
        (heads("Budget 2019", "Budget 2020", "Budget 2021"), 0),
        (heads("IFRS 9 Instruments", "IFRS 2 Payment", "IFRS 1 Adoption"), 0),
        ([*heads("Step 1", "Step 2", "Step 3"), ("Go on with Step 2.", False)], 3),
        (heads("Step 1", "Step 2", "Step 3"), 0),
        ([("FC-1 One.", False), None, ("FC-2 Two.", False), ("FC-3 Three.", False)], 3),
    ],
)
def test_a_form_is_one_only_where_it_counts(lines: Sequence[Line | None], count: int) -> None:
    assert len(own_numbers(lines)) == count


def test_a_case_begins_with_what_is_named(modules: Corpus) -> None:
    case = Case(modules, "What does FC-1.1.2 say?", preset("auto"), day=date(2026, 1, 1))
    for _ in case.run():
        continue
    assert "keeps a record" in case.ranking[0].passage.text
