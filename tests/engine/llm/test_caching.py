"""Caches of providers: what a server is told to cache, and what its counts say of it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pydantic import BaseModel

from engine.llm import Data, Form, Meter, Prefix, Prompt
from engine.llm.base import Counted
from engine.llm.client import connect
from engine.llm.completions import schema_text
from engine.llm.connection import read_spec
from engine.llm.prompt import messages, shared_texts
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
    return asked.schema is not None and list(asked.schema["properties"]) == ["answer"]


def cut_open(body: Any) -> list[str]:
    found, before = [], ""
    for message in body["messages"]:
        content = message["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:
            before += part["text"]
            if "cache_control" in part:
                assert part["cache_control"] == {"type": "ephemeral"}
                found.append(before)
    return found


def test_a_server_that_knows_marks_is_sent_where_the_shared_part_ends() -> None:
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

    def test_the_answer_to_another_task_is_none_and_leads_to_each_task_s_own(self) -> None:
        def answer(asked: Asked) -> Scripted:
            return {"answer": {"order": ["P1"]}} if wrapped(asked) else fine(asked)

        with ScriptedServer(answer) as server:
            model = connect(MARKED.format(url=server.url))
            assert model is not None
            assert model.ask(PROMPT, Parts, Meter()).value.queries == ["Who pays dues?"]
            assert [wrapped(asked) for asked in server.requests] == [True, False]
            assert model.dialect.rung == 0


class TestMoney:
    PRICES = read_spec("openai:m?input=4&output=10&cached=0.4&written=5").prices

    def test_what_is_cached_and_what_is_written_have_prices_of_their_own(self) -> None:
        assert self.PRICES is not None
        assert self.PRICES.money(Counted(1_000_000, 500_000, 250_000, 100_000)) == 1.0 + 0.2 + 1.25 + 1.0
        assert self.PRICES.saved(Counted(1_000_000, 500_000, 250_000, 100_000)) == pytest.approx(1.8 - 0.25)

    @pytest.mark.parametrize("cached", [0, 500, 1000])
    def test_no_request_costs_more_than_it_was_said_to_at_most(self, cached: int) -> None:
        assert self.PRICES is not None
        for written in (0, 1000 - cached):
            most = self.PRICES.most(1000, 100)
            assert self.PRICES.money(Counted(1000, cached, written, 100)) <= most
