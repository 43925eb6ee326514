# Names of tests describe them.
# ruff: noqa: D102
"""The contract of language models: every implementation has to pass these tests.

A model's test module inherits ``LanguageModelContract`` and provides the fixture ``model``, a model that can
return a word of the data::

    class TestMine(LanguageModelContract):
        @pytest.fixture
        def model(self):
            return MyModel()
"""

from __future__ import annotations

import pickle

import pytest
from pydantic import BaseModel, Field

from engine.errors import BudgetError, CancelledError
from engine.llm.base import Budget, Data, LanguageModel, Meter, Prompt, Reply
from engine.llm.cost import ask_all

WORDS = ("anchor", "berth", "canal", "derrick")


class Echo(BaseModel):
    """The schema that the contract asks for."""

    word: str = Field(description="the word in the part named word")


def echo(word: str) -> Prompt:
    """Return a prompt that any model can answer."""
    return Prompt("contract", "Give back the word.", (Data("word", word),), longest=64)


class LanguageModelContract:
    """The cases. ``model`` is the fixture that a subclass provides."""

    def test_it_says_what_it_is(self, model: LanguageModel) -> None:
        assert model.spec
        assert model.spec in repr(model)
        assert model.context_tokens > 0

    def test_it_fills_the_schema(self, model: LanguageModel) -> None:
        reply = model.ask(echo(WORDS[0]), Echo, Meter())
        assert isinstance(reply.value, Echo)
        assert reply.value.word == WORDS[0]

    def test_what_is_used_is_in_the_meter(self, model: LanguageModel) -> None:
        meter = Meter()
        used = model.ask(echo(WORDS[0]), Echo, meter).usage
        assert meter.spent == used
        assert dict(meter.tasks) == {"contract": used}
        assert used.calls + used.reused >= 1
        assert used.cached_tokens <= used.prompt_tokens

    def test_no_request_uses_more_than_was_expected(self, model: LanguageModel) -> None:
        prompt = echo(WORDS[0])
        expected, used = model.expected(prompt, Echo), model.ask(prompt, Echo, Meter()).usage
        assert expected.calls == 1
        assert used.prompt_tokens <= expected.prompt_tokens * max(used.calls, 1)
        assert used.completion_tokens <= expected.completion_tokens * max(used.calls, 1)

    def test_more_data_are_expected_to_use_more(self, model: LanguageModel) -> None:
        longer = model.expected(echo(" ".join(WORDS * 50)), Echo)
        assert longer.prompt_tokens > model.expected(echo(WORDS[0]), Echo).prompt_tokens

    def test_no_budget_no_request(self, model: LanguageModel) -> None:
        meter = Meter(Budget(calls=0))
        with pytest.raises(BudgetError):
            model.ask(echo("a word that nobody asked for before"), Echo, meter)
        assert meter.spent.calls == 0
        assert meter.opened

    def test_who_cancelled_is_not_answered(self, model: LanguageModel) -> None:
        with pytest.raises(CancelledError):
            model.ask(echo(WORDS[0]), Echo, Meter(cancelled=lambda: True))

    def test_the_same_prompt_gives_the_same_answer(self, model: LanguageModel) -> None:
        first, again = (model.ask(echo(WORDS[1]), Echo, Meter()).value for _ in range(2))
        assert first == again

    def test_it_may_be_asked_from_several_threads(self, model: LanguageModel) -> None:
        meter = Meter()
        replies = ask_all(model, [echo(word) for word in WORDS * 2], Echo, meter)
        found = [reply.value.word for reply in replies if isinstance(reply, Reply)]
        assert found == list(WORDS * 2)
        assert meter.spent.calls + meter.spent.reused >= len(WORDS)

    def test_it_is_not_stored(self, model: LanguageModel) -> None:
        """A model may contain a key: if it cannot be serialised, the key cannot leak."""
        with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
            pickle.dumps(model)
