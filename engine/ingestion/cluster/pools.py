"""The pools of an ingestion on a cluster: workers do what child processes do on one machine."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, Generic, TypeVar

from engine import files
from engine.corpus.embedded.block import block_name
from engine.errors import ClusterError, CorpusError, FileRefusedError, system_error
from engine.ingestion.analysis import Analyst
from engine.ingestion.cluster.connecting import Cluster, connect
from engine.ingestion.cluster.corpus import get_unresolved, pickle_shared
from engine.ingestion.cluster.sending import Call, Sender
from engine.ingestion.cluster.worker import CHANGED, Answer, Job, hash_source
from engine.ingestion.pools import LocalPools, Pools, run
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.remote import file_system
from engine.ingestion.resolving import links_name
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Finished, Limits, Produced

Task = TypeVar("Task", FileToRead, Batch, int)
Item = TypeVar("Item")
# Bytes of a file that may be sent: it is in memory on its way.
MOST_SENT = 1 << 30


class ClusterPools:
    """The pools of one ingestion, connected until ``close``. Raises as ``connect``."""

    def __init__(self, cluster: Cluster, limits: Limits) -> None:
        job = Job(token_hex(16), limits, cluster.blocks, cluster.margin)
        self._sender, self._blocks = Sender(connect(cluster.address), job), cluster.blocks
        self.close = self._sender.close

    @property
    def most_waiting(self) -> int:
        """Enough that no worker waits for this machine."""
        return max(4, 2 * self._sender.threads)

    @contextmanager
    def opened(
        self, reader: BatchReader, analyst: Analyst, files: int, size: int
    ) -> Iterator[tuple[ReaderPool, MakerPool[Batch]]]:
        """Implement ``Pools``. The number of tasks at the same time depends on the cluster only."""

        def analyse(batch: Batch) -> tuple[str, Any]:
            return block_name(batch.key), (batch, analyst.headings)

        maker = MakerPool[Batch](self._sender, "analyse", analyse, analyst.generation, self._blocks)
        yield ReaderPool(self._sender, reader), maker

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """Implement ``Pools``. After a block that the cluster gives up, this machine resolves the rest."""
        self._sender.share(pickle_shared(view, names))

        def resolve(number: int) -> tuple[str, Any]:
            return links_name(names[number]), (get_unresolved(view, number),)

        pool = MakerPool[int](self._sender, "resolve", resolve, generation, self._blocks)
        for event in run(pool, numbers, check):
            if pool.gave_up:
                return
            if isinstance(event, Finished) and event.failure is None:
                yield event.task


def pools_of(cluster: Cluster | None, limits: Limits) -> Pools:
    """Return the pools of a cluster, or of this machine. Raises as ``connect``."""
    return LocalPools(limits) if cluster is None else ClusterPools(cluster, limits)


class _Pool(Generic[Task, Item]):
    """A pool; ``tasks`` may be in progress for each thread of the cluster."""

    def __init__(self, sender: Sender, tasks: int) -> None:
        self._sender, self._tasks, self._open = sender, tasks, 0
        self._events: deque[Event[Task, Item]] = deque()

    @property
    def is_free(self) -> bool:
        """Whether a worker could begin a task soon."""
        return self._open < self._tasks * self._sender.threads

    @property
    def is_busy(self) -> bool:
        """Whether a task is in progress or an event waits."""
        return bool(self._open or self._events)

    def hold(self) -> None:
        """Do nothing: workers read on only after ``events``."""

    def pipes(self) -> list[int]:
        """Return what becomes readable when an answer has come, for any pool."""
        return [self._sender.bell.fileno()]

    def seconds_left(self) -> float:
        """Return 0 if an event waits."""
        return 0.0 if self._events else float("inf")

    def events(self) -> Iterator[Event[Task, Item]]:
        """Yield the events so far without waiting. Raises as ``Sender.turn``."""
        self._sender.turn()
        while self._events:
            yield self._events.popleft()

    def _finish(self, task: Task, failure: str | None, seconds: float = 0.0) -> None:
        self._open -= 1
        self._events.append(Finished(task, failure, seconds))


class ReaderPool(_Pool[FileToRead, Batch | Problem]):
    """Reads files. One worker reads a file in parts, no faster than the pipeline takes them."""

    def __init__(self, sender: Sender, reader: BatchReader) -> None:
        super().__init__(sender, 1)
        self._reader = reader
        self._paused: list[Call] = []
        # Whether files are sent: after a worker did not find one at its path.
        self._sends = False

    def start(self, task: FileToRead) -> None:
        """Begin to read a file."""
        self._open += 1
        session, digest, count = "", b"", 0

        def make() -> tuple[str, tuple[Any, ...]]:
            nonlocal session, digest
            content = None
            if call.only is None:
                session, digest = token_hex(8), digest or hash_source(task.source)
                content = _load(task, digest) if self._sends and task.source.url is None else None
            return "read", (session, task, self._reader, digest, content, count)

        def take(answer: Answer) -> None:
            nonlocal count
            if answer.needs_content:
                self._sends = True
                self._sender.send(call)
                return
            count += len(answer.items)
            self._events.extend(Produced(task, item) for item in answer.items)
            if answer.is_end:
                self._finish(task, answer.failure, answer.seconds)
            else:
                call.only = answer.worker
                self._paused.append(call)

        call = Call(make, take, partial(self._finish, task))
        self._sender.send(call)

    def events(self) -> Iterator[Event[FileToRead, Batch | Problem]]:
        """Yield the events so far, then read on."""
        yield from super().events()
        paused, self._paused = self._paused, []
        for call in paused:
            self._sender.send(call)


class MakerPool(_Pool[Task, str]):
    """Makes blocks or references, and stores them in a generation. ``make`` returns the file of a task, and
    further arguments of ``method``."""

    def __init__(
        self,
        sender: Sender,
        method: str,
        make: Callable[[Task], tuple[str, tuple[Any, ...]]],
        generation: Path,
        blocks: str | None,
    ) -> None:
        # One more than works, so that no worker waits for the next.
        super().__init__(sender, 2)
        self._method, self._generation, self._blocks = method, generation, blocks
        self._make: Callable[[Task], tuple[str, tuple[Any, ...]]] = make
        self.gave_up = False

    def start(self, task: Task) -> None:
        """Begin to make the file of a task."""
        self._open += 1

        def make() -> tuple[str, tuple[Any, ...]]:
            path, arguments = self._make(task)
            return self._method, (path, *arguments)

        def take(answer: Answer) -> None:
            if answer.failure is None:
                self._keep(self._generation / self._make(task)[0], answer)
            self._finish(task, answer.failure, answer.seconds)

        def lose(reason: str) -> None:
            self.gave_up = True
            self._finish(task, reason)

        self._sender.send(Call(make, take, lose))

    def _keep(self, path: Path, made: Answer) -> None:
        content = made.content
        if content is None:
            content = _take_from(f"{self._blocks}/{path.name}")
        if hashlib.sha256(content).digest() != made.digest:
            raise ClusterError(f"a block of the worker at {made.worker} was changed on its way; ingest again")
        waiting = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            waiting.write_bytes(content)
            os.replace(waiting, path)
        except OSError as error:
            raise system_error(f"write {path}", error) from error


def _load(task: FileToRead, digest: bytes) -> bytes:
    try:
        content = files.read(task.source.path, MOST_SENT)
    except FileRefusedError as error:
        advice = "too large to be sent to a worker; put it where workers see it, or name it by URL"
        raise FileRefusedError(f"{advice} ({error})") from error
    if hashlib.sha256(content).digest() != digest:
        raise FileRefusedError(CHANGED)
    return content


def _take_from(url: str) -> bytes:
    try:
        filesystem, path = file_system(url)
        content: bytes = filesystem.cat_file(path)
        filesystem.rm_file(path)
    # Each file system raises its own errors.
    except Exception as error:
        raise CorpusError(f"cannot read the block at {url} ({type(error).__name__}: {error})") from error
    return content
