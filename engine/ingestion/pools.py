"""Where files are read and blocks are made: in child processes of this machine, or by others for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol, TypeVar

from engine.ingestion.analysis import Analyst, make_ready
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Limits, WorkerPool, children_for

# How often somebody is asked whether to go on, in seconds.
PULSE = 0.25

Task = TypeVar("Task")
Item = TypeVar("Item")


class Pool(Protocol[Task, Item]):
    """Something that works on several tasks at once; ``WorkerPool`` says what each of these does."""

    @property
    def is_free(self) -> bool:
        """Whether a task could be started at once."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether a task is being worked on."""
        ...

    def start(self, task: Task) -> None:
        """Begin a task."""
        ...

    def pipes(self) -> Sequence[Connection | int]:
        """Where the next events will come from."""
        ...

    def hold(self) -> None:
        """The next events are not wanted yet."""
        ...

    def events(self) -> Iterator[Event[Task, Item]]:
        """What has come so far; does not wait."""
        ...

    def seconds_left(self) -> float:
        """Until something happens without a word from a pipe."""
        ...


Both = tuple[Pool[FileToRead, Batch | Problem], Pool[Batch, str]]


class Pools(Protocol):
    """The two pools of an ingestion."""

    @property
    def most_waiting(self) -> int:
        """Batches that may wait to be analysed before the reading is held up."""
        ...

    def opened(
        self, reader: BatchReader, analyst: Analyst, files: int, size: int
    ) -> AbstractContextManager[Both]:
        """The pool that reads and the one that analyses, for so many files of so many bytes in all."""
        ...

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """Have references resolved elsewhere: of which of the blocks ``numbers`` they stand in the generation
        now. What is left, this machine has to do."""
        ...

    def close(self) -> None:
        """Nothing more will be asked; may be said more than once."""
        ...


class LocalPools:
    """Child processes of this one."""

    most_waiting = 4

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    @contextmanager
    def opened(self, reader: BatchReader, analyst: Analyst, files: int, size: int) -> Iterator[Both]:
        """As ``Pools`` says; no child outlives the context."""
        most = children_for(size)
        with (
            WorkerPool[FileToRead, Batch | Problem](
                reader, min(most, files), self._limits, brings=(Batch, Problem)
            ) as readers,
            _Analysts(analyst, most, self._limits, writes=[analyst.generation]) as analysts,
        ):
            yield readers, analysts

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """There is no elsewhere."""
        return iter(())

    def close(self) -> None:
        """Nothing is left of the pools."""


def run(
    workers: Pool[Task, Item], tasks: Sequence[Task], check: Callable[[], None] | None = None
) -> Iterator[Event[Task, Item]]:
    """Everything that happens while a pool works on tasks; ends when all are finished. ``check`` is called
    now and then."""
    waiting = list(reversed(tasks))
    while waiting or workers.is_busy:
        if check is not None:
            check()
        while waiting and workers.is_free:
            workers.start(waiting.pop())
        wait(workers.pipes(), min(PULSE, workers.seconds_left()))
        yield from workers.events()


class _Analysts(WorkerPool[Batch, str]):
    """Children are born with what this process has compiled, and need not do it each again."""

    def start(self, task: Batch) -> None:
        """Begin to analyse a batch."""
        make_ready(task.languages)
        super().start(task)
