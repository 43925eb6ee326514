from __future__ import annotations

import os
import signal

import pytest

from engine.ingestion.children import Here, InChild


@pytest.mark.parametrize("kind", [InChild, Here])
def test_results_come_back(kind: type[InChild[int]] | type[Here[int]]) -> None:
    large = list(range(100_000))
    total, seconds = kind(lambda: sum(large)).result()
    assert total == sum(large)
    assert seconds >= 0


@pytest.mark.parametrize("kind", [InChild, Here])
def test_errors_come_back(kind: type[InChild[float]] | type[Here[float]]) -> None:
    with pytest.raises(ZeroDivisionError):
        kind(lambda: 1 / 0).result()


def test_it_is_another_process() -> None:
    assert InChild(os.getpid).result()[0] != os.getpid()


def test_a_killed_child_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="ended with code -9"):
        InChild(lambda: os.kill(os.getpid(), signal.SIGKILL)).result()
