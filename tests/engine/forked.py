"""Work in a process of its own, which has imported what this one has, and can be killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

FORK = multiprocessing.get_context("fork")
LONGEST = 60.0

# Told by the work, once.
Tell = Callable[[], None]


def _begin(told: Connection, work: Callable[[Tell], object]) -> None:
    os.setsid()
    work(lambda: told.send_bytes(b"here"))


@contextmanager
def killed(work: Callable[[Tell], object]) -> Iterator[None]:
    """The block runs from when the work has told; then it is killed, and what it started with it."""
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_begin, args=(theirs, work))
    process.start()
    assert process.pid is not None
    try:
        theirs.close()
        assert ours.poll(LONGEST), "the work has told nothing"
        assert ours.recv_bytes() == b"here"
        yield
    finally:
        process.kill()
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        ours.close()
