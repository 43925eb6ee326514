from __future__ import annotations

from engine.investigation import Case
from engine.settings import MODEL_TASKS, InvestigationSettings
from tests.ui.models import ModelOfOneWord
from ui.assist import asked_or_any, cost_line, helpers
from ui.shelf import Library

HELPED = {name: helped for name, (helped, _) in helpers().items()}


def test_every_helper_is_off_by_default_and_can_be_switched_on() -> None:
    defaults = InvestigationSettings().model_dump(mode="json")
    assert {"model_tasks": sorted(MODEL_TASKS), "reranker": "llm"} == HELPED
    for name, (helped, without) in helpers().items():
        assert defaults[name] == without != helped
    assert InvestigationSettings().changed(**HELPED)


def case(library: Library, model: ModelOfOneWord | None, **changes: object) -> Case:
    return Case(library.corpus(None), "powers", InvestigationSettings().changed(**changes), model=model)


def test_without_a_model_or_without_helpers_there_is_no_line(library: Library) -> None:
    assert cost_line(None) == ""
    assert cost_line(case(library, None, **HELPED)) == ""
    assert cost_line(case(library, ModelOfOneWord())) == ""


def test_what_the_helpers_will_use_at_most_is_told_without_asking(library: Library) -> None:
    model = ModelOfOneWord("openai:m?input=1&output=2&currency=EUR")
    line = cost_line(case(library, model, **HELPED))
    assert line.startswith('<p class="expected">up to ')
    assert ", at most €0." in line
    assert model.asked == 0


def test_the_budget_is_the_most(library: Library) -> None:
    model = ModelOfOneWord("openai:m?input=1&output=2")
    line = cost_line(case(library, model, **HELPED, call_budget=3, token_budget=500, money_budget=0.001))
    assert line == '<p class="expected">up to 3 calls, about 500 tokens, at most $0.001</p>'


def test_before_there_is_a_question_another_stands_in() -> None:
    assert asked_or_any("  ") == asked_or_any("") != ""
    assert asked_or_any(" mine ") == "mine"
