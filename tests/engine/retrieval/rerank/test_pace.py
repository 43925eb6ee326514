"""What judging is expected to take."""

from __future__ import annotations

import pytest

from engine.retrieval.rerank.spec import Pace


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("engine.retrieval.rerank.spec.time.monotonic", lambda: now[0])
    return now


def test_nothing_is_known_at_first() -> None:
    assert not Pace().is_measured
    assert Pace().expected(20, [100]) == 0.0
    empty = Pace()
    empty.learn(20, [], 5.0)
    assert not empty.is_measured
