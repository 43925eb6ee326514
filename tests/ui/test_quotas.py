from __future__ import annotations

import pytest

from engine.errors import AnswerError, BudgetError, ModelError
from engine.llm import LanguageModel, Meter, Prompt, Reply
from engine.llm.base import Answer
from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.ui.model_doubles import EXPECTED, PROMPT, USAGE, ModelOfOneWord, Word
from ui.models.connections import DAY_SECONDS, OperatorsModel, Quotas

SPEC = "openai:one"
SHARED = OperatorSettings(llm=SPEC, llm_shared=True, host=ANYWHERE)


def offered(
    operator: OperatorSettings, model: LanguageModel, now: list[float] | None = None
) -> OperatorsModel:
    return OperatorsModel(operator, lambda spec: model, lambda: (now or [0.0])[0])


def test_a_model_that_is_not_offered_is_not_even_made() -> None:
    def never(spec: str) -> LanguageModel | None:
        raise AssertionError("nobody may have it")

    for operator in (OperatorSettings(), OperatorSettings(llm=SPEC)):
        assert OperatorsModel(operator.changed(host=ANYWHERE), never)("visitor", False) is None
        assert OperatorsModel(operator, never)("visitor", False) is None
    assert OperatorsModel(OperatorSettings(), never)("visitor", True) is None
    assert OperatorsModel(SHARED, never)("", False) is None, "nobody asks"


def ask(give: OperatorsModel, visitor: str) -> None:
    lent = give(visitor, False)
    assert lent is not None
    assert lent.ask(PROMPT, Word, Meter()).usage == USAGE


def test_a_visitor_has_a_ration() -> None:
    model = ModelOfOneWord()
    give = offered(SHARED.changed(llm_visitor_tokens=EXPECTED.tokens + USAGE.tokens), model)
    ask(give, "visitor")
    ask(give, "visitor")
    with pytest.raises(BudgetError, match="a visitor may use"):
        ask(give, "visitor")
    assert model.asked == 2
    ask(give, "another")


def test_all_visitors_together_have_a_ration_that_new_names_do_not_widen() -> None:
    everybodys = EXPECTED.tokens + USAGE.tokens * 3
    give = offered(SHARED.changed(llm_day_tokens=everybodys), ModelOfOneWord())
    for number in range(4):
        ask(give, f"visitor {number}")
    with pytest.raises(BudgetError, match="visitors may use"):
        ask(give, "visitor 5")


def test_a_new_day_brings_a_new_ration() -> None:
    now = [0.0]
    operator = SHARED.changed(llm_visitor_tokens=EXPECTED.tokens)
    lent = offered(operator, ModelOfOneWord(), now)("visitor", False)
    assert lent is not None
    lent.ask(PROMPT, Word, Meter())
    with pytest.raises(BudgetError):
        lent.ask(PROMPT, Word, Meter())
    now[0] = DAY_SECONDS
    lent.ask(PROMPT, Word, Meter())


def test_what_failed_counts_as_expected() -> None:
    operator = SHARED.changed(llm_visitor_tokens=EXPECTED.tokens)
    lent = offered(operator, ModelOfOneWord(failing=True))("visitor", False)
    assert lent is not None
    with pytest.raises(ModelError):
        lent.ask(PROMPT, Word, Meter())
    with pytest.raises(BudgetError):
        lent.ask(PROMPT, Word, Meter())


def test_what_was_set_aside_can_be_given_back() -> None:
    quotas = Quotas(OperatorSettings(llm_visitor_tokens=100, host=ANYWHERE), lambda: 0.0)
    quotas.take("a", 100)
    quotas.give_back("a", 40)
    quotas.take("a", 40)
    with pytest.raises(BudgetError):
        quotas.take("a", 1)


class ModelInside(ModelOfOneWord):
    spec = "openai:one@http://10.1.2.3:8000/v1?input=1&output=2"

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        raise AnswerError("answer: one at 10.1.2.3:8000 sent no JSON; 10.1.2.3:8000 is away")


def test_visitors_do_not_learn_where_the_operators_model_runs() -> None:
    give = offered(SHARED, ModelInside())
    lent = give("visitor", False)
    assert lent is not None
    assert lent.spec == "openai:one?input=1&output=2"
    with pytest.raises(AnswerError) as told:
        lent.ask(PROMPT, Word, Meter())
    assert str(told.value) == "answer: one sent no JSON; its server is away"
    at_the_machine = give("visitor", True)
    assert at_the_machine is not None
    assert "10.1.2.3" in at_the_machine.spec
