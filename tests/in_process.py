"""Ingestion without child processes, for tests that need a corpus and do not test how it is read.

Each child would compile the patterns of its languages again, which takes longer than reading a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic

from engine.ingestion.analysis import Analyst
from engine.ingestion.cluster import pools
from engine.ingestion.pipeline import Both, LocalPools, Pools, Task
from engine.ingestion.reading import BatchReader
from engine.ingestion.workers import Event, Finished, Item, Limits, Produced


class Pool(Generic[Task, Item]):
    """A pool that completes a task when it is started."""

    is_free = True

    def __init__(self, work: Callable[[Task], Iterator[Item]]) -> None:
        self._work, self._events = work, list[Event[Task, Item]]()

    @property
    def is_busy(self) -> bool:
        return bool(self._events)

    def start(self, task: Task) -> None:
        self._events += [*(Produced(task, item) for item in self._work(task)), Finished(task, None, 0.0)]

    def pipes(self) -> Sequence[int]:
        return ()

    def hold(self) -> None:
        """Do nothing: there is nothing to pause."""

    def events(self) -> Iterator[Event[Task, Item]]:
        events, self._events = self._events, []
        yield from events

    def seconds_left(self) -> float:
        return 0.0


class InProcess(LocalPools):
    """Pools of this process."""

    @contextmanager
    def opened(self, reader: BatchReader, analyst: Analyst, files: int, size: int) -> Iterator[Both]:
        yield Pool(reader), Pool(analyst)


def make_pools(cluster: str | None, limits: Limits) -> Pools:
    """Return pools of this process unless a cluster or limits are given."""
    return InProcess(limits) if cluster is None and limits == Limits() else pools.make_pools(cluster, limits)
