"""What is not there is told: found, in part, or not at all."""

from __future__ import annotations

import pytest

from engine.answers.answer import answer
from engine.corpus.protocol import Corpus
from engine.model import AreaState, Evidence, EvidenceStatus
from engine.records.phrases import status_words
from engine.records.text import evidence_line
from tests.engine.investigation.test_leading import ran

FOREIGN = (
    "What is the capital of Peru?",
    "How do I bake sourdough bread?",
    "Which planet has the most moons?",
    "Who composed The Magic Flute?",
    "Wie hoch ist der Mount Everest?",
)
OWN = (
    "Can an agent sub-delegate the powers of attorney to others?",
    "When must an objection be lodged?",
    "Who represents a company under the Commercial Register Act?",
    "What does Article 14 of the Agency Code say?",
    "What is a commercial agent?",
)


@pytest.mark.parametrize("question", FOREIGN)
def test_what_the_corpus_does_not_bear_is_told(meridia: Corpus, question: str) -> None:
    case = ran(meridia, question)
    assert case.evidence.status is EvidenceStatus.NONE
    assert case.evidence.missing
    assert all(word in question for word in case.evidence.missing)
    assert case.investigation().stop.completeness is None
    assert {area.state for area in case.areas} <= {AreaState.MISSING}
    assert answer(case.investigation(), meridia).sentences == ()


@pytest.mark.parametrize("question", OWN)
def test_what_it_bears_is_found(meridia: Corpus, question: str) -> None:
    case = ran(meridia, question)
    assert case.evidence.status is EvidenceStatus.FOUND
    assert case.evidence.missing == ()
    assert answer(case.investigation(), meridia).sentences


def test_a_part_that_nothing_bears_is_named(meridia: Corpus) -> None:
    case = ran(meridia, "What carbon tax applies to cement production?")
    assert case.evidence.status is EvidenceStatus.PARTIAL
    assert {"carbon", "cement"} <= set(case.evidence.missing)
    told = answer(case.investigation(), meridia)
    assert any("carbon" in note for note in told.notes)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("What does Article 99 of the Agency Code say?", EvidenceStatus.NONE),
        ("Articles 14 and 99 of the Agency Code", EvidenceStatus.PARTIAL),
    ],
)
def test_a_provision_that_does_not_exist_is_no_evidence(
    meridia: Corpus, question: str, status: EvidenceStatus
) -> None:
    evidence = ran(meridia, question).evidence
    assert evidence.status is status
    assert any("99" in words for words in evidence.missing)


def test_words() -> None:
    none = Evidence(EvidenceStatus.NONE, ("Peru",))
    assert status_words(none) == "Nothing was found on this; without evidence: “Peru”"
    assert evidence_line(none) == "Evidence: none. Nothing was found on this; without evidence: “Peru”."
    assert evidence_line(Evidence(EvidenceStatus.FOUND)) == "Evidence: found."
    assert status_words(Evidence(EvidenceStatus.PARTIAL)) == "Found in part"


def test_days_and_words_of_asking_are_not_missed(meridia: Corpus) -> None:
    for question in ("What does Article 14 say?", "When must an objection be lodged on 1 March 2020?"):
        case = ran(meridia, question)
        assert case.evidence.status is EvidenceStatus.FOUND, case.evidence


def test_a_provision_that_is_only_mentioned_and_missing_refuses_nothing(meridia: Corpus) -> None:
    question = (
        "When must an objection against an assessment be lodged where the decision was delivered by post, "
        "having regard to Article 99 of the Agency Code?"
    )
    evidence = ran(meridia, question).evidence
    assert evidence.status is EvidenceStatus.PARTIAL
    assert evidence.missing[0] == "Article 99 of the Agency Code"
