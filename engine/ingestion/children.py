"""Work done in a child process while this one goes on: Python threads would share one core."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Generic, TypeVar

Result = TypeVar("Result")

# Forked, so that the work sees all that has been read without a copy being sent to it.
_CONTEXT = multiprocessing.get_context("fork")


class InChild(Generic[Result]):
    """A function without arguments, running in a child process from the moment this is made."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._receiver, sender = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_run, args=(work, sender), daemon=True)
        self._process.start()
        sender.close()

    def result(self) -> tuple[Result, float]:
        """What the function returned, and the seconds it took. Raises what it raised."""
        try:
            outcome, error, seconds = self._receiver.recv()
        except EOFError:
            self._process.join()
            raise RuntimeError(f"a child process ended with code {self._process.exitcode}") from None
        finally:
            self._receiver.close()
        self._process.join()
        if error is not None:
            raise error
        return outcome, seconds


class Here(Generic[Result]):
    """The same in this process, for work that is smaller than the cost of a child."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work

    def result(self) -> tuple[Result, float]:
        """What the function returns, and the seconds it takes."""
        start = perf_counter()
        return self._work(), perf_counter() - start


def _run(work: Callable[[], Result], sender: Connection[object, object]) -> None:
    start = perf_counter()
    try:
        message: tuple[object, BaseException | None, float] = (work(), None, perf_counter() - start)
    # Whatever it is, the parent has to hear of it.
    except BaseException as error:
        message = (None, error, perf_counter() - start)
    sender.send(message)
    sender.close()
