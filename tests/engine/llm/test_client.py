"""The client against a real local server."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from engine.errors import AnswerError, ModelError, RefusalError
from engine.llm import Data, Meter, Prompt
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer


class Parts(BaseModel):
    queries: list[str]


PROMPT = Prompt("decompose", "Split the question.", (Data("question", "Who pays dues?"),), longest=200)


def split(asked: Asked) -> Scripted:
    return Parts(queries=[asked.data["question"]])


def test_an_answer_is_a_value() -> None:
    with ScriptedServer(split) as server:
        meter = Meter()
        reply = server.connect().ask(PROMPT, Parts, meter)
        assert reply.value == Parts(queries=["Who pays dues?"])
        assert reply.warnings == ()
        assert reply.usage == meter.spent
        assert (meter.spent.calls, meter.spent.prompt_tokens) == (1, server.counted.prompt_tokens)


def test_two_bad_answers_are_an_error() -> None:
    with ScriptedServer(lambda asked: {"wrong": 1}) as server, pytest.raises(AnswerError, match="queries"):
        server.connect().ask(PROMPT, Parts, Meter())


def test_a_refusal() -> None:
    with ScriptedServer(lambda asked: Fault(refusal="I must not.")) as server, pytest.raises(RefusalError):
        server.connect().ask(PROMPT, Parts, Meter())


def test_an_error_for_ever() -> None:
    with ScriptedServer(lambda asked: Fault(status=500)) as server:
        meter = Meter()
        with pytest.raises(ModelError, match="status 500"):
            server.connect().ask(PROMPT, Parts, meter)
        assert meter.spent.calls == server.counted.requests == 4


@pytest.mark.parametrize("rejects", ["json_schema", "max_tokens", "temperature", "seed"])
def test_what_a_server_rejects_is_left_out(rejects: str) -> None:
    with ScriptedServer(split, rejects=frozenset({rejects})) as server:
        model = server.connect()
        assert model.ask(PROMPT, Parts, Meter()).value.queries
        before = server.counted.requests
        assert model.ask(PROMPT, Parts, Meter()).value.queries
        assert server.counted.requests == before + 1
