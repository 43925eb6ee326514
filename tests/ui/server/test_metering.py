"""Whoever asks dear cases waits longer for the next: what a case took is known when it has run."""

from __future__ import annotations

import time
from collections.abc import Iterator

import gradio as gr
import pytest
from gradio.context import LocalContext
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from tests.ui.raw import API, Raw, stranger
from ui.server.address import VISITOR, Visitor
from ui.server.rates import DEPOSIT, LEAST, Buckets, Rate, metered

ELSEWHERE = "203.0.113.9"
ASKING = {"data": ["May a manager grant broader powers?", "", "quick", None, None, None, None, False]}
Spent = list[tuple[str, float]]


def compute(seconds: float = 0.03) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spent]:
    """What is spent by a visitor from elsewhere, a hundredth of a second a token."""
    monkeypatch.setattr("ui.server.rates.SECONDS_OF_A_TOKEN", 0.01)
    asked = Request({"type": "http", "headers": [], VISITOR: Visitor(ELSEWHERE, local=False)})
    token = LocalContext.request.set(gr.Request(asked))
    yield []
    LocalContext.request.reset(token)


def test_what_computes_is_spent_by_its_address(spent: Spent) -> None:
    def work(number: int) -> int:
        compute(0.06)
        return number + 1

    assert metered(work, lambda *told: spent.append(told))(2) == 3
    ((address, tokens),) = spent
    assert address == ELSEWHERE
    assert 2.9 < tokens < 5


def test_the_steps_of_a_case_are_added_up_also_where_it_is_left(spent: Spent) -> None:
    ended = []

    def steps() -> Iterator[int]:
        try:
            for number in range(5):
                compute()
                yield number
        except GeneratorExit:
            ended.append("left")
            raise

    def tell(*told: object) -> None:
        spent.append(told)  # type: ignore[arg-type]

    running = metered(steps, tell)
    assert list(running()) == [0, 1, 2, 3, 4]
    left = running()
    assert [next(left), next(left)] == [0, 1]
    assert ended == []
    left.close()
    assert ended == ["left"]
    assert [round(tokens) for _, tokens in spent] == [12, 3]


def test_waiting_costs_nothing_and_what_fails_costs_what_it_took(spent: Spent) -> None:
    def fails() -> None:
        compute()
        raise ValueError("no")

    metered(time.sleep, lambda *told: spent.append(told))(0.05)
    ((_, tokens),) = spent
    assert tokens == LEAST - DEPOSIT
    with pytest.raises(ValueError, match="no"):
        metered(fails, lambda *told: spent.append(told))()
    assert len(spent) == 2


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(-5, 20)), max_size=12))
def test_a_debt_is_bounded_and_paid_by_waiting(steps: list[tuple[float, float]]) -> None:
    now = 0.0
    buckets = Buckets(Rate(burst=5, second=0.5), clock=lambda: now)
    for pause, tokens in steps:
        now += pause
        buckets.spend("a", tokens)
    assert buckets.take("a") <= (5 + 1) / 0.5
    now += 12.1
    assert buckets.take("a") == 0


def test_few_cases_of_an_address_wait_at_a_time_and_cheap_ones_cost_little(raw: Raw) -> None:
    here, first, most = stranger(), stranger(), 40
    # The first case of a process takes what no later one takes.
    begun = raw.post(f"{API}/call/investigate", ASKING, forwarded=first).json["event_id"]
    assert b"event: complete" in raw.stream(f"{API}/call/investigate/{begun}", forwarded=first).body
    events: list[str] = []
    while len(events) < most:
        sent = raw.post(f"{API}/call/investigate", ASKING, forwarded=here)
        if sent.status == 429:
            break
        events.append(sent.json["event_id"])
    # Some may have run meanwhile.
    assert len(events) < most
    for event in events:
        raw.stream(f"{API}/call/investigate/{event}", forwarded=here)
    assert raw.post(f"{API}/call/investigate", ASKING, forwarded=here).status == 200


def test_a_dear_case_keeps_its_address_from_the_next_and_nobody_else(
    raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So dear that a case whose question was asked by another test, and is kept, is dear as well.
    monkeypatch.setattr("ui.server.rates.SECONDS_OF_A_TOKEN", 1e-6)
    here, there = stranger(), stranger()

    def ask(address: str) -> tuple[int, str]:
        sent = raw.post(f"{API}/call/investigate", ASKING, forwarded=address)
        return sent.status, sent.json.get("event_id", "")

    status, event = ask(here)
    assert status == 200
    told = raw.stream(f"{API}/call/investigate/{event}", forwarded=here)
    assert b"event: complete" in told.body
    assert ask(here)[0] == 429
    assert ask(there)[0] == 200


# What panels are asked to look at: of all of them the processor's time is paid, none is work by its name.
LOOKS = {
    "corpus": (
        *("shelf", "overview", "documents", "nodes", "piece", "head", "path", "targets", "citing", "place"),
        *("report", "vectors", "cases", "suggest", "names", "name", "statistics", "areas", "areas-file"),
        *("rules", "links", "report-questions", "grades", "extraction"),
    ),
    "check": ("offer", "poll"), "evaluation": ("offer", "poll"), "cases": ("history", "records", "sheet"),
    "review": ("home", "queues"), "model": ("state",),
}  # fmt: skip


def test_a_dear_look_keeps_its_address_from_the_next_and_nobody_else(
    raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.server.rates.SECONDS_OF_A_LOOK", 1e-9)
    numbers = {panel: raw.component(panel) for panel in LOOKS}

    def look(panel: str, do: str, address: str) -> int:
        call = {"component_id": numbers[panel], "fn_name": panel, "session_hash": "abc"}
        body = {**call, "data": {"do": do}}
        return raw.post(f"{API}/component_server/", body, forwarded=address).status

    assert sum(map(len, LOOKS.values())) > 30
    for panel, names in LOOKS.items():
        for do in names:
            here = stranger()
            assert look(panel, do, here) == 200
            assert look(panel, do, here) == 429, (panel, do)
    assert look("corpus", "shelf", stranger()) == 200
