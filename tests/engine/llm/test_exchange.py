"""One prompt to one server that is no more than a list of what it sends back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from engine.errors import AnswerError, ModelError
from engine.llm import Data, Meter, Prompt
from engine.llm.base import Form, Prefix
from engine.llm.dialects import Dialect, Rung
from engine.llm.exchange import Exchange
from engine.llm.retrying import Patience
from engine.llm.sending import Sender
from engine.llm.spec import read_spec
from engine.network.fetching import OVERSIZED, TIMED_OUT, UNREACHABLE, Received
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


def test_what_is_expected_is_the_most_that_it_may_cost() -> None:
    used = exchange(Listed(completion()), f"{SPEC}&thinking=30").expected(PROMPT, Parts)
    assert (used.calls, used.completion_tokens) == (1, 130)
    assert used.prompt_tokens > 80
    assert used.money == pytest.approx((used.prompt_tokens * 2 + 130 * 10) / 1e6)
    # Where the tasks of a case share a schema, it is counted too.
    shared = replace(PROMPT, prefix=Prefix((Form("decompose", "", Parts),), ()))
    gateway = SPEC.replace("here.example", "openrouter.ai")
    alone, one = (
        exchange(Listed(), SPEC).expected(shared, Parts),
        exchange(Listed(), gateway).expected(shared, Parts),
    )
    assert one.prompt_tokens > alone.prompt_tokens


def test_what_does_not_fit_the_context_is_not_sent() -> None:
    server = Listed(completion())
    most = exchange(server).expected(PROMPT, Parts).tokens
    exchange(server, f"{SPEC}&context={most}").answered(PROMPT, Parts, Meter())
    with pytest.raises(AnswerError, match=f"has a context of {most - 1:,}"):
        exchange(server, f"{SPEC}&context={most - 1}").answered(PROMPT, Parts, Meter())
    assert len(server.bodies) == 1


def test_what_passes_is_sent_again_and_counted(subtests: pytest.Subtests) -> None:
    for status, tries in ((503, 4), (429, 4), (TIMED_OUT, 2), (UNREACHABLE, 4), (401, 1), (501, 1)):
        with subtests.test(status=status):
            server, waits, meter = Listed(Received(status, "no")), list[float](), Meter()
            with pytest.raises(ModelError) as raised:
                exchange(server, waits=waits).answered(PROMPT, Parts, meter)
            assert (len(server.bodies), meter.spent.calls) == (tries, tries)
            assert ("after" in str(raised.value)) is (tries > 1)
            assert sum(waits) == pytest.approx([0, 0.5, 1.5, 3.5][tries - 1])
    server = Listed(Received(503), completion())
    assert exchange(server).answered(PROMPT, Parts, Meter()).usage.calls == 2
    # Too long a wait is none.
    server = Listed(Received(503, headers={"retry-after": "3600"}))
    with pytest.raises(ModelError, match="failed with status 503"):
        exchange(server).answered(PROMPT, Parts, Meter())


def test_a_server_that_was_not_there_needs_no_patience_from_the_next_prompt() -> None:
    server = Listed(Received(UNREACHABLE, "refused"))
    asked = exchange(server)
    for tries in (4, 5):
        with pytest.raises(ModelError, match=r"m at here\.example cannot be reached"):
            asked.answered(PROMPT, Parts, Meter())
        assert len(server.bodies) == tries


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


def test_what_a_server_refuses_is_left_out_and_remembered() -> None:
    refused = Received(400, "unknown parameter: seed")
    server = Listed(refused, completion(), completion())
    asked = exchange(server)
    assert asked.answered(PROMPT, Parts, Meter()).usage.calls == 2
    asked.answered(PROMPT, Parts, Meter())
    assert ["seed" in body for body in server.bodies] == [True, False, False]
    assert asked.dialect == Dialect(seed=False)


def test_a_format_that_is_mostly_not_kept_is_given_up() -> None:
    asked = exchange(Listed(completion()))
    rungs = []
    for kept in (True, False, False):
        asked.judge(Dialect(), kept)
        rungs.append(asked.dialect.rung)
    assert rungs == [Rung.SCHEMA, Rung.SCHEMA, Rung.OBJECT]


def test_a_prompt_that_was_cut_is_no_prompt_and_a_count_that_is_missing_is_told() -> None:
    with pytest.raises(ModelError, match=r"cut the prompt: it read 3 of about .*num_ctx"):
        exchange(Listed(completion(3))).answered(PROMPT, Parts, Meter())
    found = exchange(Listed(completion(None))).answered(PROMPT, Parts, Meter())
    assert found.warnings == ("m at here.example tells no usage: its tokens are estimated",)
    assert found.usage.prompt_tokens > 80
    # The same prompt again: what was cached may not be counted.
    asked = exchange(Listed(completion(400), completion(3)))
    asked.answered(PROMPT, Parts, Meter())
    assert (
        "counts only the tokens that it had not cached" in asked.answered(PROMPT, Parts, Meter()).warnings[0]
    )
