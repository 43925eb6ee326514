"""What a question constraints holds for everything that is found, and what leaves nothing is named."""

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError, SettingsError
from engine.investigation import Case
from engine.investigation.record import ScanFinished
from engine.settings import InvestigationSettings

SETTINGS = InvestigationSettings()
DAY = date(2024, 1, 1)


def run(
    corpus: Corpus, question: str, settings: InvestigationSettings = SETTINGS
) -> tuple[Case, tuple[str, ...]]:
    case = Case(corpus, question, settings, day=DAY)
    (scanned,) = [event for event in case.run() if isinstance(event, ScanFinished)]
    return case, scanned.notes


def texts(case: Case) -> list[str]:
    rows = case.pool.rows()
    return [" ".join((p.text, *p.headings)).lower() for p in case.corpus.passages(rows)]


def test_every_passage_of_the_pool_holds_what_is_demanded(harbour: Corpus) -> None:
    case, notes = run(harbour, 'berth allocation "harbour master"')
    assert texts(case)
    assert all("harbour master" in text for text in texts(case))
    assert any(note.startswith("with “harbour master”: ") and "passages remain" in note for note in notes)


def test_constraints_can_be_set_by_hand(harbour: Corpus) -> None:
    settings = SETTINGS.changed(must_include="berth", must_exclude="pilot, vessel")
    case, notes = run(harbour, "Who allocates what?", settings)
    assert all("berth" in text and "vessel" not in text and "pilot" not in text for text in texts(case))
    assert len([note for note in notes if "passages remain" in note]) == 3


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("berth doc:dues-act", {"dues-act"}),
        ('berth doc:"Harbour Dues Act"', {"dues-act"}),
        ("berth type:act year:2009", {"harbour-act"}),
        ("berth year:2011.. type:act", {"dues-act"}),
    ],
)
def test_constraints_on_documents(harbour: Corpus, question: str, expected: set[str]) -> None:
    case, _ = run(harbour, question)
    documents = harbour.documents()
    assert {documents[n].id for n in harbour.document_numbers(case.pool.rows())} == expected


def test_a_constraint_that_leaves_nothing_is_named(harbour: Corpus) -> None:
    case, notes = run(harbour, 'berth "zebra crossing"')
    assert not case.ranking
    assert any(
        "nothing is left to search because of “with “zebra crossing””: no passage meets it" in n
        for n in notes
    )
    _, notes = run(harbour, "berth +interest doc:harbour-act")
    assert any("but none of them what was required before" in note for note in notes)


def test_function_words_require_nothing_and_it_is_said(harbour: Corpus) -> None:
    case, notes = run(harbour, 'berth "of the"')
    assert case.ranking
    assert "with “of the”: function words alone, not applied" in notes


def test_a_document_that_is_not_there_is_an_error(harbour: Corpus) -> None:
    with pytest.raises(SettingsError, match="documents: 'zoo-act' is not in the corpus"):
        run(harbour, "berth doc:zoo-act")


def test_nothing_but_constraints_is_an_error(harbour: Corpus) -> None:
    with pytest.raises(InputError, match="add what it is about"):
        run(harbour, "-berth type:act")


def test_a_day_in_the_question_brings_the_text_of_that_day(harbour: Corpus) -> None:
    case, _ = run(harbour, "suspension of the withdrawal as_of:2015-01-01")
    assert any("thirty days" in text for text in texts(case))
    assert not any("fourteen days" in text for text in texts(case))


def test_a_plan_for_another_question_is_refused(harbour: Corpus) -> None:
    plan = Case(harbour, "When are dues paid?", SETTINGS, day=DAY).make_plan()
    with pytest.raises(InputError, match="another question"):
        Case(harbour, "Who pays dues?", SETTINGS, plan=plan)
