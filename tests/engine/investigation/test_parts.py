"""What was found for each part of a question that asks several things."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.investigation.evidence import question_parts
from engine.investigation.parts import PART_BEST, reconcile_part_evidence
from engine.model import Evidence, EvidenceStatus, PartEvidence, QueryPlan, View
from engine.records.text import parts_lines
from engine.retrieval.planning import PART, SIDE, make_plan
from tests.engine.investigation.test_leading import ran

HALF = "Who may appoint a sub-agent, and what is the capital of Peru?"
SIDES = "How do an objection and a general authorisation differ, and which of them needs a notary?"


def test_a_part_is_found_and_another_is_not(meridia: Corpus) -> None:
    first, second = ran(meridia, HALF).evidence.parts
    assert first.text == "Who may appoint a sub-agent"
    assert first.status is EvidenceStatus.FOUND
    on_it = {"commercial-agency-code/art-23/para-2", "agency-agreement-corvane/clause-6/para-1"}
    assert on_it <= {one.id for one, _ in first.passages}
    assert all(document.id == passage.document_id for passage, document in first.passages)
    assert second.status is EvidenceStatus.NONE
    assert second.missing == ("Peru",)
    assert second.passages == ()


@pytest.mark.parametrize("question", ["When must an objection be lodged?", "What is the capital of Peru?"])
def test_one_thing_has_no_parts(meridia: Corpus, question: str) -> None:
    case = ran(meridia, question)
    assert case.evidence.parts == ()
    assert list(parts_lines(case.evidence)) == []
    assert PART_BEST not in {part.name for one in case.ranking for part in one.breakdown}


def test_a_comparison_has_a_part_for_each_side(meridia: Corpus) -> None:
    parts = ran(meridia, SIDES).evidence.parts
    assert [part.text for part in parts] == [
        "an objection",
        "a general authorisation",
        "which of them (an objection / a general authorisation) needs a notary?",
    ]
    assert parts[0].status is EvidenceStatus.FOUND
    assert parts[0].passages[0][0].document_id.startswith(("tax-procedure", "circular"))


def test_a_part_that_names_a_provision_has_it_and_one_that_is_missing_is_told(meridia: Corpus) -> None:
    question = "What does Article 14 of the Agency Code say, and what does Article 99 of the Agency Code say?"
    first, second = ran(meridia, question).evidence.parts
    assert first.status is EvidenceStatus.FOUND
    assert first.passages[0][0].id == "commercial-agency-code/art-14/para-1"
    assert second.status is EvidenceStatus.NONE
    assert second.missing == ("Article 99 of the Agency Code",)


@pytest.mark.parametrize("most", [3, 5])
def test_the_best_passage_of_each_part_is_shown(meridia: Corpus, most: int) -> None:
    question = (
        "Who must keep the commercial register, how is an assessment by the tax office contested, "
        "and how long does the indemnity claim of a commercial agent last?"
    )
    case = ran(meridia, question, top_k=most)
    shown = {one for found in case.ranking for one in found.assembled_ids}
    best = [part.passages[0][0].id for part in case.evidence.parts]
    assert len(best) == 3
    assert set(best) <= shown
    assert len(case.ranking) <= most
    for found in case.ranking:
        assert found.score == pytest.approx(sum(part.value for part in found.breakdown), abs=1e-4)


def test_a_passage_that_serves_a_part_only_is_lifted_to_the_last_places(meridia: Corpus) -> None:
    question = (
        "When does the objection period against a tax assessment end after delivery by post, "
        "and who keeps the commercial register?"
    )
    case = ran(meridia, question, top_k=2)
    best = case.evidence.parts[1].passages[0][0].id
    assert best in case.ranking[-1].assembled_ids
    assert PART_BEST in {part.name for part in case.ranking[-1].breakdown}
    assert PART_BEST not in {part.name for part in case.ranking[0].breakdown}


def test_what_is_told_in_front_is_no_part(meridia: Corpus) -> None:
    plan = make_plan("Our agent has died. Who must be told?", ["en"])
    assert [view.name for view in plan.views] == ["literal", PART, PART]
    assert question_parts(plan) == []
    assert ran(meridia, plan.question).evidence.parts == ()


def test_the_views_of_a_model_and_of_a_person_are_parts_too() -> None:
    views = (View("literal", "the whole"), View(PART, "one"), View("own", "mine"), View(PART, "other"))
    assert question_parts(QueryPlan("the whole", "en", views)) == [(1, "one"), (3, "other")]
    assert question_parts(QueryPlan("the whole", "en", views[:2])) == []


def test_sides_are_told_with_their_frame() -> None:
    plan = make_plan("What is the difference between an agent and a broker in terms of liability?", ["en"])
    assert [view.name for view in plan.views if view.name == SIDE] == [SIDE, SIDE]
    assert [words for _, words in question_parts(plan)] == ["an agent: liability", "a broker: liability"]


def test_a_list_is_no_comparison() -> None:
    plan = make_plan("What are the criteria for selecting a sponsor, compliance adviser, or auditor?", ["en"])
    assert [view.name for view in plan.views if view.name == SIDE] == [SIDE, SIDE]
    assert question_parts(plan) == []


WORDS = st.lists(st.sampled_from(("Peru", "notary", "agent", "penalty")), max_size=3, unique=True).map(tuple)
STATUSES = st.sampled_from(list(EvidenceStatus))


@given(STATUSES, WORDS, st.lists(st.tuples(STATUSES, WORDS, WORDS), max_size=4))
@example(
    EvidenceStatus.FOUND,
    (),
    [(EvidenceStatus.FOUND, ("Peru",), ()), (EvidenceStatus.PARTIAL, (), ("Peru",))],
)
def test_a_question_and_its_parts_do_not_deny_each_other(
    status: EvidenceStatus,
    missing: tuple[str, ...],
    given_parts: list[tuple[EvidenceStatus, tuple[str, ...], tuple[str, ...]]],
) -> None:
    whole = Evidence(status, () if status is EvidenceStatus.FOUND else missing)
    parts = [PartEvidence(f"Who or what: {' '.join(words)}?", one, none) for one, words, none in given_parts]
    told = reconcile_part_evidence(whole, parts)
    assert [part.text for part in told.parts] == [part.text for part in parts]
    for part in told.parts:
        if part.status is EvidenceStatus.FOUND:
            assert not any(word in part.text for word in told.missing)
    if told.status is not EvidenceStatus.PARTIAL:
        assert {part.status for part in told.parts} <= {told.status}
    assert told.status in (status, EvidenceStatus.PARTIAL)
    if not parts:
        assert told == whole
    # A word that a part lacks and no part that was found has is missing for the question.
    lacking = {
        word for part in told.parts if part.status is not EvidenceStatus.FOUND for word in part.missing
    }
    if told.status is EvidenceStatus.PARTIAL and status is EvidenceStatus.FOUND:
        texts = [part.text for part in told.parts if part.status is EvidenceStatus.FOUND]
        assert {*told.missing} == {word for word in lacking if not any(word in text for text in texts)}
