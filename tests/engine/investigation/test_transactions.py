"""The type of transaction that a question is about."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import SettingsError
from engine.investigation.coverage import proposed, transaction_names
from engine.model import EvidenceStatus, Transaction
from tests.engine.harbour import NOTHING
from tests.engine.investigation.story import SETTINGS, case_of, finished


def told(corpus: Corpus, question: str, **changes: object) -> Transaction:
    found = finished(corpus, question, SETTINGS.changed(**changes)).transaction
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who needs a pilot's certificate, and how long is it valid?", "pilot-exemption"),
        ("When may a berth be refused for arrears of dues?", "berth-refusal"),
        (NOTHING, None),
    ],
)
def test_it_is_proposed_from_what_is_asked_and_found(
    harbour: Corpus, question: str, expected: str | None
) -> None:
    found = told(harbour, question)
    assert (found.id, found.proposed) == (expected, True)
    assert 0.0 <= found.strength <= 1.0


def test_a_person_s_word_counts_and_none_is_a_choice(harbour: Corpus) -> None:
    question = "Who needs a pilot's certificate?"
    assert told(harbour, question, transaction_type="wreck-removal") == Transaction("wreck-removal")
    assert told(harbour, question, transaction_type="none") == Transaction(None)
    assert told(harbour, f"{question} transaction:wreck-removal") == Transaction("wreck-removal")
    assert told(harbour, f"{question} transaction:none") == Transaction(None)


def test_what_is_proposed_is_required(harbour: Corpus) -> None:
    case = finished(harbour, "Who needs a pilot's certificate, and how long is it valid?")
    assert {area.id for area in case.areas if area.required} == {"pilotage"}


def test_a_type_that_the_question_names_wrongly_is_refused(harbour: Corpus) -> None:
    case = case_of(harbour, "Who needs a pilot? transaction:sale", SETTINGS)
    with pytest.raises(SettingsError, match="unknown transaction type 'sale'; known types: "):
        list(case.run())


def test_a_corpus_without_types_has_none(bare: Corpus) -> None:
    assert finished(bare, "Who needs a pilot?").transaction is None


def test_strengths_of_all_types_and_their_names(harbour: Corpus) -> None:
    case = finished(harbour, "Who needs a pilot's certificate?")
    assert case.scanned is not None
    assert harbour.ontology is not None
    strengths = proposed(harbour.ontology, case.scanned.relevance, case.scanned.rows)
    assert strengths.keys() == harbour.ontology.transactions.keys()
    assert all(0.0 <= one <= 1.0 for one in strengths.values())
    assert transaction_names(harbour.ontology, "en")["berth-refusal"] == "Berth refusal"
    assert transaction_names(None, "en") == {}


def test_what_the_corpus_does_not_bear_is_about_no_transaction_of_it(meridia: Corpus) -> None:
    case = finished(meridia, "Who won the sailing regatta last summer?", SETTINGS, None)
    assert case.evidence.status is EvidenceStatus.NONE
    assert case.transaction is not None
    assert case.transaction.id is None
