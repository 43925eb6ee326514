"""What judging is expected to take."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.retrieval.rerank.pace import HALF_LIFE, LONGEST, Pace

LENGTHS = st.lists(st.integers(1, 5_000), min_size=1, max_size=20)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless a test moves it."""
    now = [100.0]
    monkeypatch.setattr("engine.retrieval.rerank.pace.time.monotonic", lambda: now[0])
    return now


def test_nothing_is_known_at_first() -> None:
    assert not Pace().known
    assert Pace().expected(20, [100]) == 0.0
    empty = Pace()
    empty.learn(20, [], 5.0)
    assert not empty.known


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.integers(0, 200), texts=LENGTHS, milliseconds=st.floats(0.1, 1e4))
def test_what_was_measured_is_expected_again(question: int, texts: list[int], milliseconds: float) -> None:
    pace = Pace()
    pace.learn(question, texts, milliseconds)
    assert pace.expected(question, texts) == pytest.approx(milliseconds)
    assert pace.expected(question, [*texts, 10]) >= pace.expected(question, texts)


def test_a_batch_costs_as_much_as_its_longest_text() -> None:
    pace = Pace()
    pace.learn(0, [100], 10.0)
    assert pace.expected(0, [100, 1]) == pytest.approx(20.0)
    assert pace.expected(0, [LONGEST * 9]) == pytest.approx(0.1 * LONGEST), "models cut what is longer"


def test_a_machine_that_gets_slower_is_noticed() -> None:
    pace = Pace()
    pace.learn(0, [100], 10.0)
    for _ in range(20):
        pace.learn(0, [100], 40.0)
    assert pace.expected(0, [100]) == pytest.approx(40.0, rel=0.01)


def test_an_old_measurement_counts_less_so_that_a_slow_model_is_tried_again(clock: list[float]) -> None:
    pace = Pace()
    pace.learn(0, [100], 1_000.0)
    clock[0] += HALF_LIFE
    assert pace.expected(0, [100]) == pytest.approx(500.0)
    clock[0] += 9 * HALF_LIFE
    assert pace.expected(0, [100]) < 1.0
