"""What a case will cost at most, before it is run: never less than what it then costs."""

from __future__ import annotations

import pytest

from engine import settings
from engine.corpus.protocol import Corpus
from engine.investigation.assistance import expected_cost
from tests.engine.harbour import QUESTION
from tests.engine.investigation.assistance.script import (
    ALL_ON,
    GAPS,
    HYPOTHETICAL,
    RERANKING,
    SUB_QUESTIONS,
    SUFFICIENCY,
    WRECK,
    sensible,
)
from tests.engine.investigation.story import SETTINGS, case_of, ran
from tests.engine.llm.server import ScriptedServer


@pytest.mark.parametrize("question", [QUESTION, WRECK])
@pytest.mark.parametrize("corpus", ["harbour", "dense", "tariff"])
def test_a_case_never_uses_more_than_was_expected(
    corpus: str, question: str, request: pytest.FixtureRequest
) -> None:
    with ScriptedServer(sensible) as server:
        case = case_of(
            request.getfixturevalue(corpus), question, ALL_ON.changed(rounds=4), model=server.connect()
        )
        expected = expected_cost(case)
        assert server.requests == [], "nothing is asked for an estimate"
        ran(case)
    assert set(case.usage) <= set(expected)
    for task, used in case.usage.items():
        assert used.calls <= expected[task].calls
        assert used.tokens <= expected[task].tokens
        assert used.money is not None
        most = expected[task].money
        assert most is not None
        assert used.money <= most


def test_only_what_is_switched_on_is_expected(harbour: Corpus) -> None:
    with ScriptedServer(sensible) as server:
        model = server.connect()

        def tasks(**changes: object) -> set[str]:
            return set(expected_cost(case_of(harbour, QUESTION, SETTINGS.changed(**changes), model=model)))

        assert tasks() == set()
        assert tasks(model_tasks=settings.SUB_QUESTIONS) == {SUB_QUESTIONS}
        assert tasks(model_tasks=settings.HYPOTHETICAL) == {HYPOTHETICAL}
        assert tasks(model_tasks=settings.GAP_QUERIES) == {GAPS}
        assert tasks(model_tasks=settings.GAP_QUERIES, close_gaps=False) == set()
        assert tasks(model_tasks=settings.SUFFICIENCY) == {SUFFICIENCY}
        assert tasks(model_tasks=settings.SUFFICIENCY, rounds=1) == set()
        assert tasks(reranker="llm") == {RERANKING}
        assert tasks(model_tasks=settings.MODEL_TASKS, follow=False) == {SUB_QUESTIONS, HYPOTHETICAL}
    assert expected_cost(case_of(harbour, QUESTION, ALL_ON)) == {}


def test_a_plan_that_is_there_already_costs_nothing(harbour: Corpus) -> None:
    plan = case_of(harbour, QUESTION, SETTINGS).make_plan()
    with ScriptedServer(sensible) as server:
        case = case_of(harbour, QUESTION, ALL_ON, plan=plan, model=server.connect())
        assert {SUB_QUESTIONS, HYPOTHETICAL}.isdisjoint(expected_cost(case))
