"""Judging within a budget: best first, call by call, remembered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.errors import ModelError
from engine.retrieval.rerank.base import BUDGET, STOPPED, Judging, Scores
from engine.retrieval.rerank.contract import RerankerContract


class Lengths:
    """Judges a text by its length, in no time that counts. ``cost`` is what it expects of a text, ms."""

    spec = "lengths"
    languages: frozenset[str] | None = None

    def __init__(self, at_once: int | None = 2, cost: float = 10.0, fails_at: int | None = None) -> None:
        self.at_once = at_once
        self.calls = 0
        self.asked: list[list[str]] = []
        self._cost, self._fails_at = cost, fails_at

    def load(self) -> None:
        if self._fails_at == 0:
            raise ModelError("no such model")

    def expected(self, question: str, texts: Sequence[str]) -> float:
        return self._cost * len(texts)

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        if self._fails_at is not None and len(self.asked) >= self._fails_at:
            raise ModelError("the model went away")
        self.asked.append(list(texts))
        return np.array([len(text) for text in texts], np.float32)


class TestLengths(RerankerContract):
    @pytest.fixture
    @staticmethod
    def model() -> Lengths:
        return Lengths()


class TestComparing(RerankerContract):
    @pytest.fixture
    @staticmethod
    def model() -> Lengths:
        return Lengths(at_once=None)


def texts(rows: Sequence[int]) -> list[str]:
    return ["x" * row for row in rows]


def never() -> bool:
    return False


@pytest.mark.parametrize(("cost", "budget", "done"), [(10, 9, 0), (10, 19, 1), (10, 9_000, 4)])
def test_no_more_is_judged_than_the_budget_allows(cost: float, budget: float, done: int) -> None:
    # Judging takes no time that counts: each call may use the whole budget.
    judged = Judging(Lengths(cost=cost), "q").judge([5, 3, 9, 1], texts, budget, never)
    assert len(judged.scores) == judged.new == done
    assert judged.why == (BUDGET if done < 4 else "")


def test_what_was_spent_is_not_spent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("engine.retrieval.rerank.base.time.perf_counter", lambda: now[0])
    model = Lengths(cost=10)

    def slow(question: str, batch: Sequence[str]) -> Scores:
        now[0] += 0.030
        return np.array([len(text) for text in batch], np.float32)

    monkeypatch.setattr(model, "scores", slow)
    judged = Judging(model, "q").judge([5, 3, 9, 1], texts, 45, never)
    assert (judged.scores.tolist(), judged.why) == ([5.0, 3.0, 9.0], BUDGET)
    assert judged.milliseconds == pytest.approx(60.0)


def test_it_can_be_stopped_between_calls() -> None:
    model = Lengths()
    judged = Judging(model, "q").judge([5, 3, 9, 1], texts, 1_000, lambda: bool(model.asked))
    assert (judged.scores.tolist(), judged.why) == ([5.0, 3.0], STOPPED)


def test_a_model_that_compares_texts_sees_all_of_them_whenever_one_is_new() -> None:
    model = Lengths(at_once=None)
    judging = Judging(model, "q")
    judging.judge([5, 3, 9], texts, 1_000, never)
    judging.judge([9, 5], texts, 1_000, never)
    judging.judge([5, 3, 9, 1], texts, 1_000, never)
    assert [len(call) for call in model.asked] == [3, 4]
    refused = judging.judge([5, 2], texts, 0, never)
    assert refused.scores.tolist() == [5.0], "what was judged before is kept"


@pytest.mark.parametrize(
    ("fails_at", "kept", "why"), [(0, [], "no such model"), (1, [5.0, 3.0], "went away")]
)
def test_a_model_that_fails_keeps_what_it_said_before(fails_at: int, kept: list[float], why: str) -> None:
    judged = Judging(Lengths(fails_at=fails_at), "q").judge([5, 3, 9], texts, 1_000, never)
    assert judged.scores.tolist() == kept
    assert why in judged.why
