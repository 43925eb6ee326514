"""What is counted: the meter's sums are the server's, to the token, and no budget is overdrawn."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BudgetError, ModelError
from engine.llm import Budget, Data, Meter, Prompt, Reply, Usage
from engine.llm.base import Slot
from engine.llm.client import connect
from engine.llm.cost import ask_all, cost_report, usage_values, usage_words
from tests.engine.llm.server import Asked, Fault, Parts, Scripted, ScriptedServer

FINE = {"queries": ["dues"]}


def prompts(count: int) -> list[Prompt]:
    return [
        Prompt(
            ("decompose", "gaps", "rerank")[n % 3], "Split.", (Data("question", f"Question {n}?" * (n + 1)),)
        )
        for n in range(count)
    ]


def assert_equal(meter: Meter, server: ScriptedServer) -> None:
    spent, counted = meter.spent, server.counted
    assert (spent.calls, spent.prompt_tokens, spent.cached_tokens, spent.completion_tokens) == (
        counted.requests,
        counted.prompt_tokens,
        counted.cached_tokens,
        counted.completion_tokens,
    )
    money = counted.prompt_tokens - counted.cached_tokens * 0.5 + counted.completion_tokens * 2
    assert spent.money == pytest.approx(money / 1_000_000, rel=1e-9)


def test_the_sums_are_the_servers() -> None:
    """With errors, repairs, refusals and answers that are cut short among what is fine, eight at a time."""
    faulty = random.Random(7)
    lock = threading.Lock()
    kinds: list[Scripted] = [
        FINE,
        FINE,
        {"wrong": 1},
        "not JSON",
        Fault(status=500),
        Fault(refusal="no"),
        Fault(answer="{", finish="length"),
        Fault(text="no completion"),
    ]

    def answer(asked: Asked) -> Scripted:
        with lock:
            return faulty.choice(kinds)

    with ScriptedServer(answer) as server:
        meter = Meter()
        outcomes = ask_all(server.connect(), prompts(40), Parts, meter)
        assert_equal(meter, server)
        assert len(outcomes) == 40
        assert {Reply, ModelError} <= {kind for outcome in outcomes for kind in type(outcome).__mro__}
        assert set(meter.tasks) == {"decompose", "gaps", "rerank"}
        assert sum(meter.tasks.values(), Usage()).tokens == meter.spent.tokens


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_requests_at_once_than_are_allowed(limit: int) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def answer(asked: Asked) -> Scripted:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return FINE

    with ScriptedServer(answer) as server:
        model = connect(f"openai:m@{server.url}?concurrency={limit}")
        assert model is not None
        outcomes = ask_all(model, prompts(10), Parts, Meter())
        assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert most[0] == limit


amounts = st.integers(0, 400)


@given(
    st.integers(0, 6),
    st.integers(0, 1500),
    st.lists(st.tuples(amounts, amounts, st.integers(0, 100), st.booleans()), max_size=12),
)
def test_no_order_of_reserving_and_using_overdraws(
    calls: int, tokens: int, steps: list[tuple[int, int, int, bool]]
) -> None:
    meter = Meter(Budget(calls=calls, tokens=tokens, money=1.0))
    opened: list[tuple[ExitStack, Slot, Usage]] = []
    for prompt, answer, part, close in steps:
        stack = ExitStack()
        expected = Usage(1, prompt, 0, answer, money=(prompt + answer) / 1000)
        try:
            slot = stack.enter_context(meter.slot("t", expected))
        except BudgetError:
            assert meter.opened
        else:
            used = Usage(1, prompt * part // 100, 0, answer * part // 100)
            opened.append((stack, slot, used))
        if close and opened:
            done, slot, used = opened.pop(part % len(opened))
            slot.used = used
            done.close()
    for done, slot, used in opened:
        slot.used = used
        done.close()
    spent = meter.spent
    assert spent.calls <= calls
    assert spent.tokens <= tokens
    assert (spent.money or 0.0) <= 1.0


@given(st.integers(1, 30), st.integers(1, 4))
def test_threads_do_not_overdraw_together(limit: int, threads: int) -> None:
    meter = Meter(Budget(tokens=limit))
    started = threading.Barrier(threads)

    def use() -> None:
        started.wait()
        for size in range(1, 6):
            try:
                with meter.slot("t", Usage(1, size)) as slot:
                    slot.used = Usage(1, size)
            except BudgetError:
                return

    running = [threading.Thread(target=use) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert meter.spent.tokens <= limit
    assert meter.opened or meter.spent.tokens == threads * 15


def test_the_cost_report_is_what_the_server_counted() -> None:
    with ScriptedServer(lambda asked: FINE) as server:
        model, meter = server.connect(), Meter(Budget(calls=3, money=0.5))
        ask_all(model, prompts(5), Parts, meter)
        report = cost_report(meter, model.spec)
        counted = server.counted
        assert report.total.prompt_tokens == counted.prompt_tokens
        assert (report.currency, report.total.calls, report.seconds > 0) == ("USD", counted.requests, True)
        assert f"3 calls, {counted.prompt_tokens:,} tokens in" in usage_words(report.total)
        assert report.total.completion_tokens == counted.completion_tokens
        assert report.stopped == meter.opened
        assert sum(used.calls for used in report.tasks.values()) == 3


def test_money_is_not_made_up() -> None:
    with ScriptedServer(lambda asked: FINE) as server:
        model, meter = connect(f"openai:m@{server.url}"), Meter()
        assert model is not None
        model.ask(prompts(1)[0], Parts, meter)
        assert meter.spent.money is None
        report = cost_report(meter, model.spec)
        assert report.currency == ""
        assert usage_values(report.total)["money"] is None
        assert "USD" not in usage_words(report.total, report.currency)
