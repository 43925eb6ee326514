"""One prompt to one server that is no more than a list of what it sends back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from engine.errors import ModelError
from engine.llm import Data, Meter, Prompt
from engine.llm.connection import Patience, Sender, read_spec
from engine.llm.exchange import Exchange
from engine.network import OVERSIZED, TIMED_OUT, Received
from tests.engine.llm.server import Parts

PROMPT = Prompt("decompose", "Split.", (Data("question", "Who pays? " * 40),), longest=100)
SPEC = "openai:m@http://here.example/v1?input=2&output=10&cached=1"


def completion(prompt: int | None = 400, **usage: Any) -> Received:
    told = {"choices": [{"message": {"content": '{"queries": []}'}, "finish_reason": "stop"}]}
    if prompt is not None:
        told["usage"] = {"prompt_tokens": prompt, "completion_tokens": 50, **usage}  # type: ignore[assignment]
    return Received(200, json.dumps(told), milliseconds=7.0)


class Listed:
    """Answers with what it was given, one after the other, and keeps what it was sent."""

    def __init__(self, *answers: Received, strange: bool = False) -> None:
        self.answers, self.strange, self.bodies = list(answers), strange, list[dict[str, Any]]()

    def send(self, body: dict[str, Any], check: Callable[[], None]) -> Received:
        self.bodies.append(body)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def exchange(server: Listed, spec: str = SPEC, waits: list[float] | None = None) -> Exchange:
    patience = Patience(sleep=([] if waits is None else waits).append, random=lambda: 1.0)
    return Exchange(read_spec(spec), cast(Sender, server), patience)


def test_an_answer_with_what_it_cost_and_what_was_sent() -> None:
    server, meter = Listed(completion(prompt_tokens_details={"cached_tokens": 300})), Meter()
    found = exchange(server).answered(PROMPT, Parts, meter)
    assert found.completion.content == '{"queries": []}'
    assert found.warnings == ()
    assert (found.usage.calls, found.usage.prompt_tokens, found.usage.cached_tokens) == (1, 400, 300)
    assert (found.usage.completion_tokens, found.usage.milliseconds) == (50, 7.0)
    assert found.usage.money == pytest.approx((100 * 2 + 300 * 1 + 50 * 10) / 1e6)
    assert found.usage.saved == pytest.approx(300 / 1e6)
    assert meter.spent == found.usage
    [body] = server.bodies
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 100, 0.0)
    assert body["response_format"]["json_schema"]["name"] == "decompose"
    assert exchange(server, "openai:m").answered(PROMPT, Parts, Meter()).usage.money is None


def test_why_there_is_no_answer_is_told(subtests: pytest.Subtests) -> None:
    rows = {
        (
            TIMED_OUT,
            "no answer within 60 s",
            False,
        ): "no answer within 60 s; timeout= in the spec gives it longer",
        (OVERSIZED, "too large", False): "decompose: m at here.example: too large",
        (307, "", False): "redirects (status 307); give the address that it redirects to",
        (200, "[]", False): "sent what is no completion: []",
        (400, '{"error": {"message": "bad"}}', False): "failed with status 400: bad",
        (401, "a secret page", False): "failed with status 401: a secret page",
        (401, "a secret page", True): "failed with status 401: it does not accept the key",
        (404, "", False): "failed with status 404",
    }
    for (status, body, strange), told in rows.items():
        with subtests.test(status=status, strange=strange):
            with pytest.raises(ModelError) as raised:
                exchange(Listed(Received(status, body), strange=strange)).answered(PROMPT, Parts, Meter())
            assert str(raised.value).endswith(told)
