"""Caches of providers: what a server is told to cache, and what its counts say of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from pydantic import BaseModel

from engine.errors import SettingsError
from engine.llm import Data, Form, Meter, Prefix, Prompt, Usage
from engine.llm.completions import read_completion
from engine.llm.connecting import connect
from engine.llm.cost import cache_words, usage_values
from engine.llm.estimating import most_tokens
from engine.llm.prompt import messages, sent_messages, shared_texts
from engine.llm.schemas import one_of, schema_text
from engine.llm.spec import read_spec
from engine.llm.usage import Counted
from tests.engine.llm.server import Asked, Fault, Parts, Scripted, ScriptedServer


class Order(BaseModel):
    order: list[str]


FORMS = (Form("decompose", "Split the question.", Parts), Form("order", "Sort the parts.", Order))
PREFIX = Prefix(FORMS, (Data("collection", "name: Harbour"),))
DATA = (Data("question", "Who pays dues?"),)
PROMPT = Prompt("decompose", "Split the question.", DATA, prefix=PREFIX)
ORDER = Prompt("order", "Sort the parts.", DATA, prefix=PREFIX)
MARKED = "openai:scripted@{url}?context=32768&marks=1"


def fine(asked: Asked) -> Scripted:
    question = [asked.data["question"]]
    form = Order(order=question) if asked.task == "order" else Parts(queries=question)
    return {"answer": form.model_dump()} if wrapped(asked) else form


def wrapped(asked: Asked) -> bool:
    """Whether the schema is that of all tasks."""
    return asked.schema is not None and list(asked.schema["properties"]) == ["answer"]


def cut_open(body: Any) -> list[str]:
    """The texts that a body tells to cache, all that stands before included."""
    found, before = [], ""
    for message in body["messages"]:
        content = message["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:
            before += part["text"]
            if "cache_control" in part:
                assert part["cache_control"] == {"type": "ephemeral"}
                found.append(before)
    return found


def test_a_server_that_knows_marks_is_told_where_the_shared_part_ends() -> None:
    with ScriptedServer(fine) as server:
        model = connect(MARKED.format(url=server.url))
        assert model is not None
        assert model.ask(PROMPT, Parts, Meter()).value.queries == ["Who pays dues?"]
        assert model.ask(ORDER, Order, Meter()).value.order == ["Who pays dues?"]
        first, second = server.requests
    assert cut_open(first.body) == cut_open(second.body) == ["".join(shared_texts(PREFIX))]
    assert (first.task, second.task) == ("decompose", "order")
    plain = messages(PROMPT, schema_text(Parts))
    assert (("system", first.system), ("user", first.user)) == plain, "the same text as without marks"


@pytest.mark.parametrize("prompt", [PROMPT, Prompt("decompose", "Split the question.", DATA)])
def test_no_other_server_is(prompt: Prompt) -> None:
    with ScriptedServer(fine) as server:
        server.connect().ask(prompt, Parts, Meter())
        (asked,) = server.requests
    assert b"cache_control" not in orjson.dumps(asked.body)
    assert all(isinstance(message["content"], str) for message in asked.body["messages"])


def test_a_prompt_that_shares_nothing_is_not_marked() -> None:
    alone = Prompt("decompose", "Split the question.", DATA)
    sent = sent_messages(messages(alone, schema_text(Parts)), None, marked=True)
    assert b"cache_control" not in orjson.dumps(sent)


@pytest.mark.parametrize(
    ("spec", "marks"),
    [
        ("openai:anthropic/claude-sonnet-4.5@https://openrouter.ai/api/v1", True),
        ("openai:openai/gpt-5-mini@https://openrouter.ai/api/v1", False),
        ("openai:anthropic/claude-sonnet-4.5@https://openrouter.ai/api/v1?marks=0", False),
        # Its compatible API knows no prompt caching.
        ("openai:claude-sonnet-4-5@https://api.anthropic.com/v1", False),
        ("openai:anthropic/claude-sonnet-4.5@https://openrouter.ai.example.org/v1", False),
        ("openai:gpt-5-mini", False),
        ("openai:llama3.1@http://127.0.0.1:11434/v1", False),
        ("openai:claude@http://127.0.0.1:4000/v1?marks=1", True),
    ],
)
def test_which_servers_know_marks(spec: str, marks: bool) -> None:
    assert read_spec(spec).marks is marks
    model = connect(spec, "sk-0123456789abcdef")
    assert model is not None
    assert model.dialect.marks is marks


def test_marks_are_on_or_off() -> None:
    with pytest.raises(SettingsError, match="marks of a language model is 0 or 1"):
        read_spec("openai:m?marks=yes")


@pytest.mark.parametrize("words", ["Unknown field cache_control", "content must be a string"])
def test_a_server_that_refuses_marks_gets_none_again(words: str) -> None:
    def answer(asked: Asked) -> Scripted:
        refused = Fault(status=400, text=orjson.dumps({"error": {"message": words}}).decode())
        return refused if cut_open(asked.body) else fine(asked)

    with ScriptedServer(answer) as server:
        model = connect(MARKED.format(url=server.url))
        assert model is not None
        assert model.ask(PROMPT, Parts, Meter()).value.queries
        before = len(server.requests)
        assert model.ask(PROMPT, Parts, Meter()).value.queries
        assert len(server.requests) == before + 1
        assert not model.dialect.marks


class TestOneSchema:
    """Where a server counts the schema among what a prompt begins with, all tasks have the same."""

    def test_all_tasks_have_one_where_it_counts(self) -> None:
        with ScriptedServer(fine) as server:
            model = connect(MARKED.format(url=server.url))
            assert model is not None
            assert model.ask(PROMPT, Parts, Meter()).value.queries
            reply = model.ask(ORDER, Order, Meter())
            assert (reply.value.order, reply.warnings) == (["Who pays dues?"], ())
        first, second = server.requests
        assert first.body["response_format"] == second.body["response_format"]
        assert wrapped(first)
        assert (
            len(first.body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["anyOf"]) == 2
        )

    def test_each_task_has_its_own_elsewhere_and_outside_of_cases(self) -> None:
        with ScriptedServer(fine) as server:
            server.connect().ask(PROMPT, Parts, Meter())
            model = connect(MARKED.format(url=server.url))
            assert model is not None
            model.ask(replace(PROMPT, prefix=None), Parts, Meter())
        assert [wrapped(asked) for asked in server.requests] == [False, False]

    def test_a_server_that_refuses_it_gets_each_task_s_own(self) -> None:
        def answer(asked: Asked) -> Scripted:
            text = '{"error": {"message": "Invalid schema: anyOf is not permitted"}}'
            return Fault(status=400, text=text) if wrapped(asked) else fine(asked)

        with ScriptedServer(answer) as server:
            model = connect(MARKED.format(url=server.url))
            assert model is not None
            assert model.ask(PROMPT, Parts, Meter()).value.queries
            assert (model.dialect.rung, model.dialect.one_schema, model.dialect.marks) == (0, False, True)

    def test_the_answer_to_another_task_is_none_and_leads_to_each_task_s_own(self) -> None:
        def answer(asked: Asked) -> Scripted:
            return {"answer": {"order": ["P1"]}} if wrapped(asked) else fine(asked)

        with ScriptedServer(answer) as server:
            model = connect(MARKED.format(url=server.url))
            assert model is not None
            assert model.ask(PROMPT, Parts, Meter()).value.queries == ["Who pays dues?"]
            assert [wrapped(asked) for asked in server.requests] == [True, False]
            assert model.dialect.rung == 0

    def test_an_answer_that_is_not_wrapped_counts_too(self) -> None:
        with ScriptedServer(lambda asked: Parts(queries=["dues"])) as server:
            model = connect(MARKED.format(url=server.url))
            assert model is not None
            assert model.ask(PROMPT, Parts, Meter()).value.queries == ["dues"]

    def test_the_estimate_counts_it(self) -> None:
        with ScriptedServer(fine) as server:
            marked, plain = connect(MARKED.format(url=server.url)), server.connect()
            assert marked is not None
            more = marked.expected(PROMPT, Parts).prompt_tokens - plain.expected(PROMPT, Parts).prompt_tokens
        assert more == most_tokens(schema_text(one_of((Parts, Order)))) > 0

    @pytest.mark.parametrize(
        ("spec", "one"),
        [
            ("openai:gpt-5-mini", True),
            ("openai:gpt-5-mini@https://api.openai.com/v1", True),
            ("openai:openai/gpt-5-mini@https://openrouter.ai/api/v1", True),
            ("openai:llama3.1@http://127.0.0.1:11434/v1", False),
            ("openai:claude@http://127.0.0.1:4000/v1?marks=1", True),
        ],
    )
    def test_which_servers_count_it(self, spec: str, one: bool) -> None:
        assert read_spec(spec).one_schema is one


def body_of(usage: dict[str, Any]) -> str:
    choice = {"message": {"content": "{}"}}
    return orjson.dumps({"choices": [choice], "usage": usage}).decode()


@pytest.mark.parametrize(
    ("told", "cached", "written"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 1024}}, 1024, 0),
        ({"prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 1500}}, 0, 1500),
        ({"cache_read_input_tokens": 1200, "cache_creation_input_tokens": 300}, 1200, 300),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "cache_read_input_tokens": 1200}, 1200, 0),
        ({"prompt_cache_hit_tokens": 640}, 640, 0),
        ({"cached_tokens": 512}, 512, 0),
        ({"cache_read_input_tokens": 1900, "cache_creation_input_tokens": 1900}, 1900, 100),
        ({"prompt_tokens_details": {"cached_tokens": 9000}}, 2000, 0),
        ({}, 0, 0),
    ],
)
def test_servers_tell_it_in_several_ways(told: dict[str, Any], cached: int, written: int) -> None:
    completion = read_completion(body_of({"prompt_tokens": 2000, "completion_tokens": 50} | told))
    assert completion is not None
    assert completion.counted == Counted(2000, cached, written, 50)


class TestMoney:
    PRICES = read_spec("openai:m?input=4&output=10&cached=0.4&written=5").prices

    def test_what_is_cached_and_what_is_written_have_prices_of_their_own(self) -> None:
        assert self.PRICES is not None
        assert self.PRICES.money(Counted(1_000_000, 500_000, 250_000, 100_000)) == 1.0 + 0.2 + 1.25 + 1.0
        assert self.PRICES.saved(Counted(1_000_000, 500_000, 250_000, 100_000)) == pytest.approx(1.8 - 0.25)

    def test_a_cache_that_is_only_written_to_costs_more(self) -> None:
        assert self.PRICES is not None
        assert self.PRICES.saved(Counted(1_000_000, 0, 1_000_000, 0)) == pytest.approx(-1.0)

    @pytest.mark.parametrize("cached", [0, 500, 1000])
    def test_no_request_costs_more_than_it_was_said_to_at_most(self, cached: int) -> None:
        assert self.PRICES is not None
        for written in (0, 1000 - cached):
            most = self.PRICES.most(1000, 100)
            assert self.PRICES.money(Counted(1000, cached, written, 100)) <= most

    def test_it_is_in_the_meter(self) -> None:
        usage = {"prompt_tokens": 2000, "completion_tokens": 10, "cache_read_input_tokens": 1000}
        answer = orjson.loads(body_of(usage))
        answer["choices"][0]["message"]["content"] = '{"queries": []}'
        said = Fault(text=orjson.dumps(answer).decode())
        with ScriptedServer(lambda asked: said) as server:
            model = connect(f"openai:m@{server.url}?input=4&output=10&cached=0.4")
            assert model is not None
            meter = Meter()
            used = model.ask(PROMPT, Parts, meter).usage
        assert used == meter.spent
        assert (used.cached_tokens, used.written_tokens) == (1000, 0)
        assert used.saved == pytest.approx(1000 * 3.6 / 1_000_000)


@pytest.mark.parametrize(
    ("used", "words"),
    [
        (Usage(1, 2000), ""),
        (
            Usage(2, 2000, 500, money=0.1, saved=0.0012),
            "Provider's cache: 500 of 2,000 tokens in (25%), 0.0012 EUR saved",
        ),
        (Usage(2, 2000, 500, money=0.1), "Provider's cache: 500 of 2,000 tokens in (25%)"),
        (
            Usage(2, 2000, written_tokens=1000, money=0.1, saved=-0.002),
            "Provider's cache: 0 of 2,000 tokens in (0%), 0.002 EUR more than without it, "
            "as writing to it costs",
        ),
    ],
)
def test_what_it_saved_in_words(used: Usage, words: str) -> None:
    assert cache_words(used, "EUR") == words


def test_what_is_not_known_to_be_saved_is_null() -> None:
    assert usage_values(Usage(1, 2000, 500, money=0.1))["saved"] is None
    assert usage_values(Usage(1, 2000, 500, money=None))["saved"] is None
    assert usage_values(Usage(1, 2000, 0, money=0.1))["saved"] == 0.0
    assert usage_values(Usage(1, 2000, 500, money=0.1, saved=0.25))["saved"] == 0.25
