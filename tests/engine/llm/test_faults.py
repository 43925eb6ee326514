"""What goes wrong with servers and networks, over real connections."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import pytest

from engine.errors import AnswerError, BudgetError, CancelledError, ModelError, RefusalError
from engine.llm import Budget, Data, Meter, Prompt
from engine.llm.client import connect
from engine.llm.connection import Patience
from tests.engine.llm.server import Asked, Fault, Parts, Scripted, ScriptedServer

FINE = {"queries": ["dues"]}
PROMPT = Prompt("decompose", "Split the question.", (Data("question", "Who pays dues?"),), longest=200)


def in_turn(*answers: Scripted) -> Callable[[Asked], Scripted]:
    left = list(answers)

    def answer(asked: Asked) -> Scripted:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


def hurried(waits: list[float] | None = None) -> Patience:
    return Patience(sleep=(waits if waits is not None else []).append, random=lambda: 0.5)


def test_a_server_that_is_slow_is_given_up_in_wall_time() -> None:
    with ScriptedServer(lambda asked: Fault(seconds=30)) as server:
        model = connect(f"openai:slow@{server.url}?timeout=0.2", patience=Patience(retries=1, first=0.01))
        assert model is not None
        started, meter = time.monotonic(), Meter()
        with pytest.raises(ModelError, match=r"after 2 attempts: no answer within 0\.2 s"):
            model.ask(PROMPT, Parts, meter)
        assert time.monotonic() - started < 5
        assert meter.spent.calls == 2


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again(status: int) -> None:
    with ScriptedServer(in_turn(Fault(status=status), FINE)) as server:
        meter = Meter()
        assert server.connect().ask(PROMPT, Parts, meter).value.queries == ["dues"]
        assert meter.spent.calls == server.counted.requests == 2


def test_a_quota_that_is_used_up_is_not_waited_for() -> None:
    body = '{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    with ScriptedServer(in_turn(Fault(status=429, text=body))) as server:
        with pytest.raises(ModelError, match="You exceeded your quota"):
            server.connect().ask(PROMPT, Parts, Meter())
        assert server.counted.requests == 1


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": "nonsense"}, 0.25),
        ({"Retry-After": "nan"}, 0.25),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_it_waits_as_long_as_it_is_asked_to(headers: dict[str, str], waited: float) -> None:
    waits: list[float] = []
    with ScriptedServer(in_turn(Fault(status=429, headers=headers), FINE)) as server:
        server.connect(patience=hurried(waits)).ask(PROMPT, Parts, Meter())
    assert sum(waits) == pytest.approx(waited)


def test_a_body_that_is_cut_is_asked_for_again() -> None:
    with ScriptedServer(in_turn(Fault(answer=FINE, cut=True), FINE)) as server:
        meter = Meter()
        assert server.connect(patience=hurried()).ask(PROMPT, Parts, meter).value.queries == ["dues"]
        assert meter.spent.calls == 2


@pytest.mark.parametrize(
    "body", ["<html>busy</html>", "{}", "[]", '{"choices": []}', '{"choices": [{}]}', "null"]
)
def test_what_is_no_completion(body: str) -> None:
    with (
        ScriptedServer(in_turn(Fault(text=body))) as server,
        pytest.raises(ModelError, match="no completion"),
    ):
        server.connect().ask(PROMPT, Parts, Meter())


@pytest.mark.parametrize("status", [200, 400, 401])
def test_a_body_without_end(status: int) -> None:
    endless = Fault(status=status, text="x" * 9_000_000)
    with ScriptedServer(in_turn(endless)) as server, pytest.raises(ModelError, match="longer than"):
        server.connect().ask(PROMPT, Parts, Meter())


def test_what_is_packed_is_not_unpacked() -> None:
    packed = Fault(answer=FINE, headers={"Content-Encoding": "gzip"})
    with ScriptedServer(in_turn(packed)) as server:
        assert server.connect().ask(PROMPT, Parts, Meter()).value.queries == ["dues"]
        assert server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "host",
    ["a" * 70, "..", "-", "ex%41mple", "xn--a", "ex_ample.invalid", "é" * 80, "[::1]:1", "0", "1.2.3.4.5"],
)
def test_a_host_that_cannot_be(host: str) -> None:
    model = connect(f"openai:m@http://{host}/v1?timeout=5", patience=Patience(retries=0))
    assert model is not None
    with pytest.raises(ModelError, match=r"m at .*(cannot be reached|no answer)"):
        model.ask(PROMPT, Parts, Meter())


def test_an_answer_that_is_truncated() -> None:
    long = Fault(answer='{"queries": ["' + "dues " * 194, finish="length")
    with ScriptedServer(in_turn(long)) as server:
        with pytest.raises(AnswerError, match=r"truncated at 200 tokens.* thinking="):
            server.connect().ask(PROMPT, Parts, Meter())
        assert server.counted.requests == 1


@pytest.mark.parametrize("fault", [Fault(refusal="I must not."), Fault(finish="content_filter")])
def test_a_refusal(fault: Fault) -> None:
    with ScriptedServer(in_turn(fault)) as server:
        meter = Meter()
        with pytest.raises(RefusalError, match=r"I must not\.|withheld"):
            server.connect().ask(PROMPT, Parts, meter)
        assert meter.spent.prompt_tokens == server.counted.prompt_tokens > 0, "a refusal costs too"


class TestCutPrompts:
    LONG = Prompt("rerank", "Sort.", (Data("text", "The dues are paid in advance each year. " * 400),))

    @pytest.mark.parametrize("reads", [600, 2048])
    def test_an_answer_to_a_cut_prompt_is_not_used(self, reads: int) -> None:
        with ScriptedServer(in_turn(Fault(answer=FINE, reads=reads))) as server:
            meter = Meter()
            with pytest.raises(ModelError, match=rf"cut the prompt: it read {reads:,} of about .* num_ctx"):
                server.connect().ask(self.LONG, Parts, meter)
            assert meter.spent.prompt_tokens == server.counted.prompt_tokens

    def test_a_prompt_over_the_context_is_not_sent(self) -> None:
        with ScriptedServer(in_turn(FINE)) as server:
            model, meter = connect(f"openai:small@{server.url}?context=2048"), Meter()
            assert model is not None
            with pytest.raises(AnswerError, match="has a context of 2,048"):
                model.ask(self.LONG, Parts, meter)
            assert (server.requests, meter.spent.calls) == ([], 0)


class TestCancelling:
    @pytest.fixture
    def server(self) -> Iterator[ScriptedServer]:
        with ScriptedServer(lambda asked: Fault(answer=FINE, seconds=30)) as server:
            yield server

    def test_a_wait_between_attempts_ends_at_once(self) -> None:
        stopped: list[bool] = []
        patience = Patience(sleep=lambda seconds: stopped.append(True), random=lambda: 1.0)
        fault = Fault(status=503, headers={"Retry-After": "20"})
        with ScriptedServer(in_turn(fault)) as server, pytest.raises(CancelledError):
            server.connect(patience=patience).ask(PROMPT, Parts, Meter(cancelled=lambda: bool(stopped)))
        assert len(stopped) == 1

    def test_seconds_that_are_over_end_a_request(self, server: ScriptedServer) -> None:
        meter = Meter(Budget(seconds=0.3))
        with pytest.raises(BudgetError, match="seconds"):
            server.connect().ask(PROMPT, Parts, meter)
        assert meter.opened


class TestBudget:
    def test_a_retry_is_a_call(self) -> None:
        with ScriptedServer(in_turn(Fault(status=500))) as server:
            meter = Meter(Budget(calls=2))
            with pytest.raises(BudgetError, match="3 calls needed, 2 allowed"):
                server.connect().ask(PROMPT, Parts, meter)
            assert meter.spent.calls == server.counted.requests == 2

    def test_a_repair_is_a_call(self) -> None:
        with ScriptedServer(in_turn({"wrong": 1}, FINE)) as server:
            with pytest.raises(BudgetError):
                server.connect().ask(PROMPT, Parts, Meter(Budget(calls=1)))
            assert server.counted.requests == 1

    def test_money_needs_prices(self) -> None:
        with ScriptedServer(in_turn(FINE)) as server:
            model = connect(f"openai:free@{server.url}")
            assert model is not None
            with pytest.raises(BudgetError, match="prices of this model are not known"):
                model.ask(PROMPT, Parts, Meter(Budget(money=1.0)))
            assert server.requests == []

    def test_money_that_is_used_up(self) -> None:
        with ScriptedServer(in_turn(FINE)) as server:
            model, meter = server.connect(), Meter(Budget(money=0.001))
            while not meter.opened:
                with contextlib.suppress(BudgetError):
                    model.ask(PROMPT, Parts, meter)
            assert "money needed, 0.001 allowed" in meter.opened
            spent = meter.spent.money
            assert spent is not None
            assert 0 < spent <= 0.001


def test_a_server_that_counts_only_what_it_had_not_cached() -> None:

    def answer(asked: Asked) -> Scripted:
        return Fault(answer={"wrong": 1}) if asked.number == 0 else Fault(answer=FINE, reads=60)

    long = Prompt("decompose", "Split.", (Data("text", "The dues are paid in advance each year. " * 200),))
    with ScriptedServer(answer) as server:
        reply = server.connect().ask(long, Parts, Meter())
        assert reply.value.queries == ["dues"]
        assert any("had not cached" in warning for warning in reply.warnings)
