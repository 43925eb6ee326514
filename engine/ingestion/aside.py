"""Work that a child of its own does beside this process: on another core, with a lock of the interpreter of
its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from engine.errors import ResourceError
from engine.ingestion.pools import run
from engine.ingestion.workers import Finished, Limits, WorkerPool

# With fewer passages than this the work is done before a child has begun.
WORTH_A_CHILD = 20_000
# Our own work on our own files: as long as it takes, with all the memory that there is.
_UNBOUNDED = Limits(deadline=1e6, memory=1 << 48)


class Aside:
    """Begins pieces of work in forked children that write below one folder. Used as a context manager: no
    child outlives it."""

    def __init__(self, writes: Path, check: Callable[[], None], passages: int) -> None:
        """``check`` is called now and then while somebody waits; ``passages`` says how much work it is."""
        self._writes, self._check, self._children = writes, check, ExitStack()
        self._is_worth_it = passages >= WORTH_A_CHILD

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *error: object) -> None:
        self._children.close()

    def begin(self, work: Callable[[], None]) -> Callable[[], None]:
        """Begin some work; what is returned waits until it is done, or does it where it is not worth a child.

        That raises ResourceError where the child fails, CorpusError where it says so.
        """
        if not self._is_worth_it:
            return cache(work)

        def once(_: str) -> Iterator[str]:
            work()
            yield ""

        child = WorkerPool[str, str](once, 1, _UNBOUNDED, writes=[self._writes])
        self._children.enter_context(child)
        child.start("")

        def wait() -> None:
            for event in run(child, [], self._check):
                if isinstance(event, Finished) and event.failure is not None:
                    raise ResourceError(f"a part of the corpus could not be written: {event.failure}")

        return wait
