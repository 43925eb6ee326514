from __future__ import annotations

import ctypes
import errno
import faulthandler
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine.errors import ResourceError, system_error
from engine.ingestion.pipeline import run
from engine.ingestion.workers import Finished, Limits, Produced, WorkerPool
from tests.tables import table


def count(task: int) -> Iterator[int]:
    yield from range(task)


def misbehave(task: str) -> Iterator[str]:
    match task:
        case "hang":
            time.sleep(20)
        case "spin":
            while True:
                pass
        case "eat":
            yield str(len(bytearray(3 << 30)))
        case "segfault":
            faulthandler.disable()
            ctypes.string_at(0)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "mistake":
            raise KeyError("nothing")
        case "disk full":
            raise system_error("write x", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        case "write":
            Path("/dev/shm/left-behind").write_text("x", encoding="ascii")
        case "connect":
            socket.socket()
        case "signal":
            os.kill(os.getppid(), 0)
        case "pickle":
            # What is named in a pickle is called where it is read.
            yield Hostile()  # type: ignore[misc]
        case "nested":
            yield from misbehave_deeply(0)
    yield f"{task} is fine"


class Hostile:
    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.system, ("exit",)  # type: ignore[return-value]


def misbehave_deeply(depth: int) -> Iterator[str]:
    yield from misbehave_deeply(depth + 1)


@pytest.mark.parametrize(
    ("task", "reason"),
    table(__file__, "test_a_failed_task_is_reported_with_its_reason_and_the_others_go_on"),
)
def test_a_failed_task_is_reported_with_its_reason_and_the_others_go_on(task: str, reason: str) -> None:
    deadline = 0.5 if "seconds" in reason else 20
    patience = 3 if task == "hang" else 100
    with WorkerPool(misbehave, 1, Limits(deadline, memory=256 << 20, patience=patience)) as workers:
        events = list(run(workers, [task, "other"]))
    failures = {event.task: event.failure for event in events if isinstance(event, Finished)}
    assert reason in (failures[task] or "")
    assert failures["other"] is None
    assert Produced("other", "other is fine") in events


def test_a_child_that_cannot_write_ends_the_work() -> None:
    with (
        WorkerPool(misbehave, 1, Limits()) as workers,
        pytest.raises(ResourceError, match="cannot write x: the disk is full"),
    ):
        list(run(workers, ["disk full", "other"]))


def test_time_in_which_nobody_listens_is_not_counted() -> None:
    with WorkerPool(count, 1, Limits(deadline=0.3, patience=1)) as workers:
        workers.start(1)
        workers.hold()
        time.sleep(0.5)
        found: list[object] = []
        while workers.is_busy:
            found.extend(workers.events())
    assert found[0] == Produced(1, 0)


def test_no_child_outlives_the_pool() -> None:
    # Other tests leave processes of their own behind, such as Python's tracker of shared memory.
    before = set(psutil.Process().children())
    with WorkerPool(misbehave, 2, Limits()) as workers:
        workers.start("hang")
        workers.start("hang")
        children = set(psutil.Process().children()) - before
        assert len(children) >= 2
    assert not any(child.is_running() for child in children)
