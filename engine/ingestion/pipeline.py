"""Read files and make their blocks in parallel pools of child processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol, TypeVar

from engine.errors import FileRefusedError, IngestionCancelledError
from engine.ingestion.analysis import Analyst, compile_patterns
from engine.ingestion.ledger import Entry
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Finished, Limits, Produced, WorkerPool, children_for

# Pools of workers: child processes of this machine, or a cluster

# Interval of cancellation checks, in seconds.
PULSE = 0.25

Task = TypeVar("Task")
Item = TypeVar("Item")


class Pool(Protocol[Task, Item]):
    """A pool that works on several tasks in parallel, such as ``WorkerPool``."""

    @property
    def is_free(self) -> bool:
        """True if a task could be started immediately."""
        ...

    @property
    def is_busy(self) -> bool:
        """True if a task is in progress."""
        ...

    def start(self, task: Task) -> None:
        """Start a task."""
        ...

    def pipes(self) -> Sequence[Connection | int]:
        """Return the pipes that signal the next events."""
        ...

    def hold(self) -> None:
        """Pause: the next events will not be read yet."""
        ...

    def events(self) -> Iterator[Event[Task, Item]]:
        """Yield the events so far without waiting."""
        ...

    def seconds_left(self) -> float:
        """Return the seconds until the next timeout."""
        ...


Both = tuple[Pool[FileToRead, Batch | Problem], Pool[Batch, str]]


class Pools(Protocol):
    """The reading pool and the analysing pool of an ingestion."""

    @property
    def most_waiting(self) -> int:
        """Maximum number of batches waiting for analysis before reading pauses."""
        ...

    def opened(
        self, reader: BatchReader, analyst: Analyst, files: int, size: int
    ) -> AbstractContextManager[Both]:
        """Open the pools for ``files`` files with ``size`` bytes in total."""
        ...

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """Resolve references elsewhere, if possible.

        Yields those of ``numbers`` whose references are now in the generation; the caller resolves the
        others.
        """
        ...

    def close(self) -> None:
        """Close the pools. May be called more than once."""
        ...


class LocalPools:
    """Pools of child processes of this process."""

    most_waiting = 4

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    @contextmanager
    def opened(self, reader: BatchReader, analyst: Analyst, files: int, size: int) -> Iterator[Both]:
        """Implement ``Pools``; children end with the context."""
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
        """Yield nothing: there is no other machine."""
        return iter(())

    def close(self) -> None:
        """Do nothing: the context has ended the children."""


def run(
    workers: Pool[Task, Item], tasks: Sequence[Task], check: Callable[[], None] | None = None
) -> Iterator[Event[Task, Item]]:
    """Run tasks on a pool and yield all events until the last task is finished. ``check`` is called
    repeatedly."""
    waiting = list(reversed(tasks))
    while waiting or workers.is_busy:
        if check is not None:
            check()
        while waiting and workers.is_free:
            workers.start(waiting.pop())
        wait(workers.pipes(), min(PULSE, workers.seconds_left()))
        yield from workers.events()


class _Analysts(WorkerPool[Batch, str]):
    """Analysing children. Patterns are compiled before the fork, so that children share them."""

    def start(self, task: Batch) -> None:
        """Start to analyse a batch."""
        compile_patterns(task.languages)
        super().start(task)


# The pipeline: some children read, others analyse, in parallel
#
# In this process, documents exist only as bytes between two children, so memory contains a few batches,
# whatever the size of the corpus.

Log = Callable[[str], None]


@dataclass(slots=True)
class Control:
    """Callbacks of an ingestion.

    ``progress``: step, done, total. ``log``: a line for each file and step. ``cancelled`` is polled; once it
    returns True, the ingestion ends and the corpus stays unchanged.
    """

    progress: Callable[[str, int, int], None]
    log: Log
    cancelled: Callable[[], bool]

    def check(self) -> None:
        """Raise IngestionCancelledError if the ingestion was cancelled."""
        if self.cancelled():
            raise IngestionCancelledError("the ingestion was cancelled; the corpus is as it was before")


@dataclass(slots=True)
class _Reading:
    """A file in progress."""

    task: FileToRead
    batches: list[Batch] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    failure: str | None = None
    seconds: float = 0.0
    is_read: bool = False
    open: set[str] = field(default_factory=set)


class Pipeline:
    """Reads files and writes their blocks into a generation."""

    def __init__(
        self,
        generation: Path,
        known: Collection[str],
        version: str,
        pools: Pools,
        control: Control,
        *,
        headings: bool,
        languages: Collection[str] = (),
    ) -> None:
        """``languages``: likely languages of the files."""
        self._languages = tuple(languages)
        self._control, self._pools = control, pools
        self._reader = BatchReader(known, version)
        self._analyst = Analyst(generation, headings)
        self._made: set[str] = set()
        self._waiting: deque[Batch] = deque()
        self._owners: dict[str, list[_Reading]] = {}
        self._finished: dict[int, Entry] = {}
        self._total = 0

    def run(self, tasks: Sequence[FileToRead]) -> dict[int, Entry]:
        """Return the entry of each file by the number of its task."""
        self._total = len(tasks)
        sizes = {task.number: _size(task) for task in tasks}
        queue = deque(sorted(tasks, key=lambda task: -sizes[task.number]))
        going: dict[int, _Reading] = {}
        self._control.progress("read", 0, self._total)
        opened = self._pools.opened(self._reader, self._analyst, len(tasks), sum(sizes.values()))
        with opened as (readers, analysts):
            while queue or self._waiting or readers.is_busy or analysts.is_busy:
                self._control.check()
                while queue and readers.is_free:
                    task = queue.popleft()
                    going[task.number] = _Reading(task)
                    readers.start(task)
                # Compile patterns while the first file is read.
                compile_patterns(self._languages)
                self._languages = ()
                while self._waiting and analysts.is_free:
                    analysts.start(self._waiting.popleft())
                is_full = len(self._waiting) >= self._pools.most_waiting
                if is_full:
                    readers.hold()
                pipes = {*analysts.pipes(), *([] if is_full else readers.pipes())}
                left = min(PULSE, analysts.seconds_left(), PULSE if is_full else readers.seconds_left())
                if pipes:
                    wait(pipes, left)
                for analysed in analysts.events():
                    if isinstance(analysed, Finished):
                        self._analysed(analysed.task, analysed.failure)
                for event in [] if is_full else readers.events():
                    self._read(going[event.task.number], event)
        return self._finished

    def _read(
        self, reading: _Reading, event: Produced[FileToRead, Batch | Problem] | Finished[FileToRead]
    ) -> None:
        if isinstance(event, Finished):
            reading.is_read, reading.failure, reading.seconds = True, event.failure, event.seconds
            if event.failure is not None:
                reading.problems.append(Problem(reading.task.source.name, event.failure))
        elif isinstance(event.item, Problem):
            reading.problems.append(event.item)
        else:
            self._take(reading, event.item)
        self._settle(reading)

    def _take(self, reading: _Reading, batch: Batch) -> None:
        # Only the waiting queue keeps the documents.
        reading.batches.append(replace(batch, content=None))
        if batch.content is None or batch.key in self._made:
            return
        reading.open.add(batch.key)
        owners = self._owners.setdefault(batch.key, [])
        owners.append(reading)
        if len(owners) == 1:
            self._waiting.append(batch)

    def _analysed(self, batch: Batch, failure: str | None) -> None:
        owners = self._owners.pop(batch.key)
        parts = _split(batch) if failure is not None and len(batch.documents) > 1 else []
        if failure is None:
            self._made.add(batch.key)
        for reading in owners:
            reading.open.discard(batch.key)
            if failure is not None:
                place = [one.key for one in reading.batches].index(batch.key)
                # One document may cause the failure: each is tried alone.
                later = reading.batches[place + 1 :]
                del reading.batches[place:]
                for part in parts:
                    self._take(reading, part)
                reading.batches.extend(later)
                if not parts:
                    (name,) = batch.documents
                    reading.problems.append(
                        Problem(reading.task.source.name, f"left out: {failure}", id=name)
                    )
            self._settle(reading)

    def _settle(self, reading: _Reading) -> None:
        """Make the entry of a file once all of it is read and analysed."""
        task = reading.task
        if not reading.is_read or reading.open or task.number in self._finished:
            return
        entry = Entry(
            task.source.name,
            task.key,
            tuple(dict.fromkeys(batch.key for batch in reading.batches)),
            tuple(name for batch in reading.batches for name in batch.documents),
            sum(sum(batch.counts) for batch in reading.batches),
            round(reading.seconds, 3),
            tuple(reading.problems),
            reading.failure,
        )
        self._finished[task.number] = entry
        self._control.log(format_entry(entry))
        self._control.progress("read", len(self._finished), self._total)


def format_entry(entry: Entry) -> str:
    """Format the result of a file as a line of the log."""
    if not entry.documents:
        reason = entry.failure or (entry.problems[0].reason if entry.problems else "it holds no document")
        return f"{entry.name}: not read: {reason}"
    counted = f"{len(entry.documents)} documents, {entry.passages} passages, {entry.seconds:.1f} s"
    return f"{entry.name}: {counted}" + (f", {len(entry.problems)} problems" if entry.problems else "")


def _split(batch: Batch) -> list[Batch]:
    """Make a batch of each document. Only children unpickle documents."""
    return [
        replace(batch, key=f"{batch.key}-{number}", documents=(name,), counts=(count,), only=number)
        for number, (name, count) in enumerate(zip(batch.documents, batch.counts, strict=True))
    ]


def _size(task: FileToRead) -> int:
    try:
        return task.source.size()
    except (OSError, FileRefusedError):
        return 0
