"""A language model that orders passages by their keys, window by window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BudgetError
from engine.llm import Budget, Meter
from engine.retrieval.rerank.base import WINDOW, Judging, ListwiseReranker, starts, windows
from engine.retrieval.rerank.contract import RerankerContract
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer


def listed(asked: Asked) -> list[str]:
    return [name.removeprefix("passage ") for name in asked.data if name.startswith("passage ")]


def by_number(asked: Asked) -> Scripted:
    texts = {key: asked.data[f"passage {key}"] for key in listed(asked)}
    return {"order": sorted(texts, key=lambda key: -int("".join(filter(str.isdigit, texts[key])) or 0))}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(by_number) as scripted:
        yield scripted


class TestListwise(RerankerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> Iterator[ListwiseReranker]:
        with ScriptedServer(by_number) as scripted:
            yield ListwiseReranker(scripted.connect(), Meter())


@given(st.integers(0, 400))
def test_the_number_of_windows_that_are_expected_covers_those_that_are_asked(count: int) -> None:
    found = starts(count, WINDOW)
    assert len(found) <= windows(count)
    covered = {place for start in found for place in range(start, min(start + WINDOW, count))}
    assert covered == (set(range(count)) if count > 1 else set())
    assert found == sorted(found, reverse=True)


def failing(after: int, fault: Scripted) -> Callable[[Asked], Scripted]:
    return lambda asked: by_number(asked) if asked.number < after else fault


def test_the_windows_before_a_failure_count() -> None:
    texts = [f"passage of rank {number}" for number in range(40)]
    with ScriptedServer(failing(1, Fault(refusal="no"))) as scripted:
        model = ListwiseReranker(scripted.connect(), Meter())
        scores = model.scores("q", texts)
    assert "declined" in model.cut
    assert scores.argsort()[::-1][20] == 39


def test_a_budget_that_holds_no_window_judges_nothing() -> None:
    with ScriptedServer(by_number) as scripted:
        model = ListwiseReranker(scripted.connect(), Meter(Budget(tokens=5)))
        with pytest.raises(BudgetError):
            model.scores("q", ["1", "2"])
        judged = Judging(model, "q").judge([0, 1], lambda rows: ["1", "2"], 1_000, lambda: False)
        assert scripted.requests == []
    assert "budget" in judged.why
    assert not len(judged.scores)


def test_the_time_it_may_take_ends_a_call_in_its_middle() -> None:
    with ScriptedServer(lambda asked: Fault(seconds=60.0)) as scripted:
        model = ListwiseReranker(scripted.connect(), Meter())
        model.within(400)
        with pytest.raises(BudgetError, match="time for reranking is over"):
            model.scores("q", ["1", "2"])


def test_where_time_is_short_the_head_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first window takes 30 s by this clock; then it stands still.
    seconds = iter((0.0, 30.0))
    clock = SimpleNamespace(monotonic=lambda: next(seconds, 30.0))
    monkeypatch.setattr("engine.retrieval.rerank.base.time", clock)
    with ScriptedServer(by_number) as scripted:
        model = ListwiseReranker(scripted.connect(), Meter())
        texts = [f"passage of rank {number}" for number in range(60)]
        model.scores("q", texts[:2])
        model.within(40_000)
        scores = model.scores("q", texts)
        assert len(scripted.requests) == 2, "one window more"
    assert scores.argmax() == WINDOW - 1


def test_a_cancelled_case_is_no_failure_of_the_model() -> None:
    with ScriptedServer(by_number) as scripted:
        model = ListwiseReranker(scripted.connect(), Meter(cancelled=lambda: True))
        judged = Judging(model, "q").judge([0, 1], lambda rows: ["1", "2"], 1_000, lambda: False)
    assert judged.why == "stopped"


def test_a_small_context_has_small_windows() -> None:
    with ScriptedServer(by_number) as scripted:
        spec = scripted.spec.replace("context=32768", "context=2000")
        from engine.llm.client import connect

        small = connect(spec)
        assert small is not None
        ListwiseReranker(small, Meter()).scores("q", [f"{'rank of the vessel ' * 20}{n}" for n in range(20)])
        assert all(len(listed(asked)) < WINDOW for asked in scripted.requests)
