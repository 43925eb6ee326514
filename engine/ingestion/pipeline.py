"""From files to blocks: pools of child processes read and analyse at the same time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol, TypeVar

from engine.errors import FileRefusedError, IngestionCancelledError
from engine.ingestion.analysis import Analyst, make_ready
from engine.ingestion.ledger import Entry
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Finished, Limits, Produced, WorkerPool, children_for

# Where files are read and blocks are made: in child processes of this machine, or by others for
# it.

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


# Files become blocks: some children read, others analyse what is read, and nothing waits for the
# slowest.
#
# No document ever comes to this process but as bytes on their way from one child to another, so
# memory holds a few batches of documents, whatever the size of the corpus.

Log = Callable[[str], None]


@dataclass(slots=True)
class Control:
    """How an ingestion is watched and stopped. ``progress``: step, done, total. ``log``: a line for each
    file and step. ``cancelled`` is asked now and then; once it says yes, the ingestion ends and leaves the
    corpus as it was."""

    progress: Callable[[str, int, int], None]
    log: Log
    cancelled: Callable[[], bool]

    def check(self) -> None:
        """Raises IngestionCancelledError once somebody wants no more."""
        if self.cancelled():
            raise IngestionCancelledError("the ingestion was cancelled; the corpus is as it was before")


@dataclass(slots=True)
class _Reading:
    """A file that is being read."""

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
        """``languages`` are those that the files are likely to be in."""
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
        """What became of each file, by the number of its task."""
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
                # While the first file is read, what its text will need is made ready.
                make_ready(self._languages)
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
        # Its documents are held by what waits to be analysed alone.
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
                # One document of a batch may be the cause: each is tried alone.
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
        """Closes the account of a file once all of it is read and analysed."""
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
        self._control.log(told(entry))
        self._control.progress("read", len(self._finished), self._total)


def told(entry: Entry) -> str:
    """What became of a file, in a line."""
    if not entry.documents:
        reason = entry.failure or (entry.problems[0].reason if entry.problems else "it holds no document")
        return f"{entry.name}: not read: {reason}"
    counted = f"{len(entry.documents)} documents, {entry.passages} passages, {entry.seconds:.1f} s"
    return f"{entry.name}: {counted}" + (f", {len(entry.problems)} problems" if entry.problems else "")


def _split(batch: Batch) -> list[Batch]:
    """Each document of a batch as one. Only a child unpickles what a child has read."""
    return [
        replace(batch, key=f"{batch.key}-{number}", documents=(name,), counts=(count,), only=number)
        for number, (name, count) in enumerate(zip(batch.documents, batch.counts, strict=True))
    ]


def _size(task: FileToRead) -> int:
    try:
        return task.source.size()
    except (OSError, FileRefusedError):
        return 0
