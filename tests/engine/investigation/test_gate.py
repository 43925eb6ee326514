"""The gate: budgets hold, the best come first, every refusal has its reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.investigation.gate as gate_module
from engine.investigation.gate import Gate, Refusal, gate_scores, sort_by_trust
from engine.investigation.strategies.citations import Citations
from engine.investigation.strategies.entities import Entities
from engine.investigation.trails import Leads, make_leads
from engine.model import Relation
from engine.search_budget import budget_for
from engine.settings import InvestigationSettings

BREADTH = replace(
    budget_for(InvestigationSettings()), gate=0.2, per_strategy=4, per_document=3, per_relation=5
)


def leads(rows: list[int], sources: list[int]) -> Leads:
    return make_leads(
        np.array(rows, np.int32), np.array(sources, np.int32), np.ones(len(rows), np.float32), Relation.CITES
    )


def gate(*, room: int = 100, known: set[int] | None = None, dismissed: set[int] | None = None) -> Gate:
    return Gate(BREADTH, room=room, known=known or {0}, dismissed=dismissed or set())


def everywhere(rows: list[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.ones(len(rows), np.bool_)


def judge(
    the_gate: Gate, rows: list[int], scores: list[float], documents: list[int] | None = None
) -> tuple[list[int], dict[str, int]]:
    found = leads(rows, [0] * len(rows))
    numbers = np.array(documents or rows, np.int32)
    verdicts = the_gate.judge(found, np.array(scores, np.float32), numbers, everywhere(rows))
    return [rows[number] for number in verdicts.fresh], dict(verdicts.refused)


def test_the_best_are_admitted_first() -> None:
    fresh, refused = judge(gate(room=2), [1, 2, 3], [0.3, 0.9, 0.5])
    assert fresh == [2, 3]
    assert refused == {Refusal.POOL_FULL: 1}


def test_leads_below_the_threshold_are_refused() -> None:
    assert judge(gate(), [1, 2], [0.19, 0.2]) == ([2], {Refusal.IRRELEVANT: 1})


def test_a_lead_at_the_threshold_is_admitted_and_the_next_number_below_is_not() -> None:
    exact = replace(BREADTH, gate=0.25)  # A number that float32 holds exactly.
    below = float(np.nextafter(np.float32(0.25), np.float32(0)))
    strict = Gate(exact, room=100, known={0}, dismissed=set())
    assert judge(strict, [1, 2], [0.25, below]) == ([1], {Refusal.IRRELEVANT: 1})


def test_each_budget_is_spent_to_its_last_and_no_further() -> None:
    for name, documents, refusal in (
        ("per_document", [7, 7, 7], Refusal.DOCUMENT_BUDGET),
        ("per_relation", [7, 8, 9], Refusal.RELATION_BUDGET),
        ("per_strategy", [7, 8, 9], Refusal.STRATEGY_BUDGET),
    ):
        one_left = replace(BREADTH, **{name: 2})
        fresh, refused = judge(
            Gate(one_left, room=100, known={0}, dismissed=set()), [1, 2, 3], [0.9, 0.8, 0.7], documents
        )
        assert (fresh, refused) == ([1, 2], {refusal: 1}), name
    assert judge(gate(room=2), [1, 2, 3], [0.9, 0.8, 0.7]) == ([1, 2], {Refusal.POOL_FULL: 1})
    assert judge(gate(room=0), [1], [0.9]) == ([], {Refusal.POOL_FULL: 1})


def test_equal_scores_are_judged_in_the_order_of_the_corpus() -> None:
    assert judge(gate(room=2), [3, 1, 2], [0.5, 0.5, 0.5]) == ([1, 2], {Refusal.POOL_FULL: 1})


def test_a_strategy_that_is_trusted_half_has_half_the_budget_and_never_none() -> None:
    rows, scores = [1, 2, 3, 4, 5], np.full(5, 0.9, np.float32)
    for trust, admitted in ((1.0, 4), (0.5, 2), (0.01, 1)):
        found = leads(rows, [0] * 5)
        verdicts = gate().judge(found, scores, found.rows, everywhere(rows), trust=trust)
        assert len(verdicts.fresh) == admitted
        assert len(verdicts.outdone) == 5 - admitted


def test_refused_leads_arrive_where_another_thread_admitted_their_passage() -> None:
    the_gate = gate()
    found = leads([1, 2, 3], [0, 0, 9])
    assert judge(the_gate, [1, 3], [0.9, 0.9])[0] == [1, 3]
    assert the_gate.arrived(found, np.arange(3)).tolist() == [0], (
        "2 was not admitted, and 3 came from 9, which was not"
    )
    from_question = leads([1, 2], [-1, -1])
    assert the_gate.arrived(from_question, np.arange(2)).tolist() == [0]


def test_a_strategy_has_a_budget_and_a_relation_one_over_all_strategies() -> None:
    the_gate = gate()
    assert judge(the_gate, [1, 2, 3, 4, 5], [0.9] * 5)[1] == {Refusal.STRATEGY_BUDGET: 1}
    fresh, refused = judge(the_gate, [6, 7, 8], [0.9] * 3)
    assert fresh == [6]
    assert refused == {Refusal.RELATION_BUDGET: 2}


def test_a_lead_whose_source_was_refused_is_refused() -> None:
    chain = leads([1, 2], [0, 1])
    chain = Leads(
        chain.rows,
        chain.sources,
        chain.relations,
        chain.directions,
        chain.strengths,
        chain.evidence,
        np.array([1, 2], np.int8),
    )
    verdicts = gate().judge(chain, np.array([0.1, 0.9], np.float32), chain.rows, everywhere([1, 2]))
    assert not len(verdicts.fresh)
    assert verdicts.refused == {Refusal.IRRELEVANT: 1, Refusal.SOURCE_REFUSED: 1}


def test_hard_filters_come_before_scores() -> None:
    found = leads([1, 2], [0, 0])
    verdicts = gate(dismissed={1}).judge(
        found, np.array([0.9, 0.9], np.float32), found.rows, np.array([True, False])
    )
    assert verdicts.refused == {Refusal.DISMISSED: 1, Refusal.FILTERED: 1}


def test_a_known_passage_gets_its_trail_without_spending_budget() -> None:
    found = leads([5, 5], [0, 0])
    verdicts = gate(room=0, known={0, 5}).judge(
        found, np.array([0.9, 0.9], np.float32), found.rows, everywhere([5, 5])
    )
    assert verdicts.known.tolist() == [0, 1]


def test_half_a_score_is_the_passages_own_and_half_that_of_its_link() -> None:
    own, strength, source = (np.array([value], np.float32) for value in (0.4, 0.8, 0.9))
    assert gate_scores(own, strength, source, 1.0) == pytest.approx(0.5 * 0.4 + 0.5 * 0.8 * 0.9)
    assert gate_scores(own, strength, source, 0.5) == pytest.approx(0.2 + 0.25 * 0.8 * 0.9)


def test_a_citation_is_trusted_more_than_a_shared_word() -> None:
    assert Citations.trust > Entities.trust
    assert [one.name for one in sort_by_trust([Entities(), Citations()])] == ["citations", "entities"]


@given(
    st.lists(
        st.tuples(st.integers(1, 15), st.integers(0, 3), st.floats(0, 1, width=32)), min_size=1, max_size=40
    ),
    st.integers(0, 10),
)
def test_budgets_are_never_exceeded_and_every_lead_is_accounted_for(
    proposed: list[tuple[int, int, float]], room: int
) -> None:
    rows = [row for row, _, _ in proposed]
    documents = np.array([row % 4 for row in rows], np.int32)
    found = leads(rows, [0] * len(rows))
    scores = np.array([score for _, _, score in proposed], np.float32)
    verdicts = gate(room=room).judge(found, scores, documents, everywhere(rows))
    assert len(verdicts.fresh) + len(verdicts.known) + sum(verdicts.refused.values()) == len(rows)
    assert len(verdicts.fresh) <= min(room, BREADTH.per_strategy)
    assert max(Counter(int(documents[n]) for n in verdicts.fresh).values(), default=0) <= BREADTH.per_document
    assert all(scores[number] >= np.float32(BREADTH.gate) for number in verdicts.fresh)
    fresh_rows = [rows[number] for number in verdicts.fresh]
    assert len(set(fresh_rows)) == len(fresh_rows)


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(-1, 12), st.floats(0, 1, width=16), st.booleans()),
        max_size=60,
    ),
    st.integers(0, 8),
    st.sets(st.integers(0, 12), max_size=3),
    st.sets(st.integers(0, 12), max_size=3),
)
def test_what_is_compiled_judges_as_it_is_written(
    drawn: list[tuple[int, int, float, bool]], room: int, known: set[int], dismissed: set[int]
) -> None:
    found = leads([row for row, *_ in drawn], [source for _, source, *_ in drawn])
    scores = np.array([score for *_, score, _ in drawn], np.float32)
    allowed = np.array([one for *_, one in drawn], np.bool_)
    documents = np.array([row // 3 for row, *_ in drawn], np.int32)

    def verdicts() -> list[object]:
        the_gate = Gate(BREADTH, room=room, known=set(known), dismissed=dismissed)
        # A second strategy spends what the first has left.
        told = [the_gate.judge(found, scores, documents, allowed, trust=trust) for trust in (1.0, 0.5)]
        return [(one.fresh.tolist(), one.known.tolist(), one.outdone.tolist(), one.refused) for one in told]

    compiled = verdicts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate_module, "_kernel", lambda: gate_module._judge)  # noqa: SLF001
        assert verdicts() == compiled
