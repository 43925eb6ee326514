"""The pools of an ingestion on a cluster: workers do what child processes do on one machine.

A thread here waits for each task. Dask chooses the workers and gives the tasks of a lost worker to others. A
task that Dask gives up runs once more, alone: another task of the same workers may have been the cause.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import queue
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any, Generic, TypeVar

from engine import files
from engine.corpus.embedded.block import block_name
from engine.errors import ClusterError, CorpusError, FileRefusedError, RedstringError, system_error
from engine.ingestion.analysis import Analyst
from engine.ingestion.cluster.connecting import Cluster, connect
from engine.ingestion.cluster.corpus import get_unresolved, pickle_shared
from engine.ingestion.cluster.worker import (
    CHANGED,
    MARGIN,
    Answer,
    Job,
    end_ingestion,
    get_versions,
    hash_source,
    perform,
)
from engine.ingestion.pools import LocalPools, Pools, run
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.remote import file_system
from engine.ingestion.resolving import links_name
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Finished, Limits, Produced

Task = TypeVar("Task")
Item = TypeVar("Item")
# Bytes of a file that may be sent: it is in memory on its way.
MOST_SENT = 1 << 30
# Seconds without an answer of the scheduler, and without a worker, until the ingestion ends.
SILENCE, NO_WORKER = 30.0, 60.0
# Seconds between two looks at the workers, for a result to arrive, and for workers to end their children.
_LOOK, _ARRIVAL, _FAREWELL = 0.5, 60.0, 10.0
# Items of files that wait for the pipeline; then the readers wait.
_WAITING = 64


class LostError(Exception):
    """A task was given up."""


class _Task:
    """A task that runs when it is unpickled, so that a scheduler passes it on and needs no engine."""

    def __init__(self, *arguments: object) -> None:
        self._arguments = arguments

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return perform, self._arguments


class ClusterPools:
    """The pools of one ingestion, connected until ``close``. Raises as ``connect``."""

    def __init__(self, cluster: Cluster, limits: Limits) -> None:
        self._job = Job(token_hex(16), limits, cluster.blocks)
        self._client, self._corpus = connect(cluster.address), None
        self._futures: set[Any] = set()
        # Whether files are sent: after a worker did not find one at its path.
        self._sends = False
        # When the scheduler answered last, and the threads of each worker.
        self._seen: tuple[float, dict[str, int]] = monotonic(), self._client.nthreads()
        self._had_worker = self._heard = monotonic()
        self._ended, self._turns = threading.Event(), threading.Condition()
        self._running, self._has_suspect = 0, False
        self.bell, self.ringer = socket.socketpair()
        self.bell.setblocking(False)
        self.ringer.setblocking(False)
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def threads(self) -> int:
        """The number of threads of all workers, at least 1."""
        return max(1, sum(self._seen[1].values()))

    @property
    def most_waiting(self) -> int:
        """Enough that no worker waits for this machine."""
        return max(4, 2 * self.threads)

    @contextmanager
    def opened(
        self, reader: BatchReader, analyst: Analyst, files: int, size: int
    ) -> Iterator[tuple[ClusterPool[FileToRead, Batch | Problem], ClusterPool[Batch, str]]]:
        """Implement ``Pools``. The number of tasks at the same time depends on the cluster only."""

        def analyse(batch: Batch) -> Iterator[Finished[Batch]]:
            path = analyst.generation / block_name(batch.key)
            yield self._make(batch, path, "analyse", batch, analyst.headings)

        readers = ClusterPool(self, 1, lambda task: self._read(reader, task))
        # One more than works, so that no worker waits for the next.
        yield readers, ClusterPool[Batch, str](self, 2, analyse)

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """Implement ``Pools``. This machine resolves what the cluster fails at."""
        # Dask brings it to each worker once.
        self._corpus = self._client.submit(bytes, pickle_shared(view, names), pure=False)

        def resolve(number: int) -> Iterator[Finished[int]]:
            path = generation / links_name(names[number])
            yield self._make(number, path, "resolve", get_unresolved(view, number))

        for event in run(ClusterPool[int, str](self, 2, resolve), numbers, check):
            if isinstance(event, Finished) and event.failure is None:
                yield event.task

    def close(self) -> None:
        """End all work for this ingestion. May be called again."""
        if self._ended.is_set():
            return
        self._ended.set()
        with self._turns:
            self._turns.notify_all()

        def farewell() -> None:
            # Without a scheduler, no worker can be reached.
            with suppress(Exception):
                self._client.cancel(list(self._futures), force=True)
                self._client.run(end_ingestion, self._job.id, on_error="ignore")
                self._client.close(timeout=2)

        thread = threading.Thread(target=farewell, daemon=True)
        thread.start()
        thread.join(_FAREWELL)
        self.bell.close()
        self.ringer.close()

    def put(self, events: queue.Queue[Any], event: object) -> None:
        """Put an event into a queue when that has room, and ring."""
        while not self._ended.is_set():
            with suppress(queue.Full):
                events.put(event, timeout=_LOOK)
                break
        # It is full of rings, or closed.
        with suppress(OSError):
            self.ringer.send(b"x")

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK):
            with suppress(Exception):
                self._seen = monotonic(), self._client.nthreads()
                self._had_worker = monotonic() if self._seen[1] else self._had_worker

    def _read(self, reader: BatchReader, task: FileToRead) -> Iterator[Event[FileToRead, Batch | Problem]]:
        """Read a file. The worker that has begun it reads on when there is room for more items."""
        try:
            digest, worker, count = hash_source(task.source), None, 0
            while True:
                content = None
                if worker is None:
                    session = token_hex(8)
                    content = _load(task, digest) if self._sends and task.source.url is None else None
                try:
                    answer = self._call("read", session, task, reader, digest, content, count, only=worker)
                except LostError:
                    if worker is None:
                        raise
                    worker = None
                    continue
                if answer.needs_content:
                    self._sends, worker = True, None
                    continue
                worker, count = answer.worker, count + len(answer.items)
                yield from (Produced(task, item) for item in answer.items)
                if answer.is_end:
                    yield Finished(task, answer.failure, answer.seconds)
                    return
        except (OSError, FileRefusedError) as error:
            yield Finished(task, f"cannot be read ({error})", 0.0)

    def _make(self, task: Task, path: Path, method: str, *arguments: object) -> Finished[Task]:
        """Make a block or its references on a worker, and store it."""
        made = self._call(method, f"{path.parent.name}/{path.name}", *arguments)
        if made.failure is None:
            content = made.content
            if content is None:
                content = _take(f"{self._job.blocks}/{path.name}")
            if hashlib.sha256(content).digest() != made.digest:
                raise ClusterError(
                    f"the worker at {made.worker}: a block was changed on its way; ingest again"
                )
            waiting = path.with_name(f".{path.name}.{os.getpid()}")
            try:
                waiting.write_bytes(content)
                os.replace(waiting, path)
            except OSError as error:
                raise system_error(f"write {path}", error) from error
        return Finished(task, made.failure, made.seconds)

    def _call(self, method: str, *arguments: object, only: str | None = None) -> Answer:
        """Return the answer of a worker. Raises LostError, and what ends the ingestion."""
        for is_suspect in (False, True):
            with self._turn(is_suspect):
                try:
                    answer: Answer | RedstringError = pickle.loads(self._fetch(method, arguments, only))
                    self._heard = monotonic()
                    break
                # Some cancellations are no Exception.
                except BaseException as error:
                    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                    is_loss = type(error).__module__.startswith("distributed") or "Cancelled" in reason
                    if isinstance(error, RedstringError):
                        raise
                    if not is_loss and not isinstance(error, OSError | LostError):
                        advice = "it needs the same engine as this machine"
                        raise ClusterError(f"a worker cannot make blocks ({reason}); {advice}") from error
            if only is not None or self._ended.is_set():
                raise LostError(reason)
        else:
            raise LostError(f"stopped: the workers that tried it were lost ({reason})")
        if isinstance(answer, RedstringError):
            raise answer
        return answer

    @contextmanager
    def _turn(self, is_suspect: bool) -> Iterator[None]:
        """Wait until no suspect runs; a suspect waits until nothing runs."""

        def is_free() -> bool:
            return self._ended.is_set() or not (self._has_suspect or (is_suspect and self._running))

        with self._turns:
            self._turns.wait_for(is_free)
            self._running, self._has_suspect = self._running + 1, is_suspect
        try:
            yield
        finally:
            with self._turns:
                self._running, self._has_suspect = self._running - 1, False
                self._turns.notify_all()

    def _fetch(self, method: str, arguments: tuple[object, ...], only: str | None) -> bytes:
        # The corpus, a task of its own, takes the place of an out-of-band buffer (PEP 574).
        buffers: list[Any] = [self._corpus] if method == "resolve" else []
        payload = pickle.dumps((self._job, method, arguments), pickle.HIGHEST_PROTOCOL)
        task = _Task(get_versions(), payload, *(pickle.PickleBuffer(b"") for _ in buffers))
        sent, done = monotonic(), threading.Event()
        future = self._client.submit(
            pickle.loads,
            pickle.dumps(task, pickle.HIGHEST_PROTOCOL, buffer_callback=lambda buffer: None),
            buffers=buffers,
            workers=only,
            priority=int(method == "read"),
            pure=False,
        )
        self._futures.add(future)
        future.add_done_callback(lambda _: done.set())
        try:
            while not done.wait(_LOOK):
                self._check(only, sent)
            arrived: bytes = future.result(timeout=_ARRIVAL)
            return arrived
        finally:
            self._futures.discard(future)
            future.release()

    def _check(self, only: str | None, sent: float) -> None:
        now, (at, workers) = monotonic(), self._seen
        patience = 2 * (self._job.limits.longest + MARGIN)
        if now > at + SILENCE:
            raise ClusterError(f"the scheduler has not answered for {SILENCE:g} seconds")
        if now > self._had_worker + NO_WORKER:
            raise ClusterError(f"the cluster has had no worker for {NO_WORKER:g} seconds")
        if now > max(self._heard, sent) + patience:
            raise LostError(f"no worker answered within {patience:g} seconds")
        if self._ended.is_set() or (only is not None and sent < at and only not in workers):
            raise LostError("its worker was lost")


def pools_of(cluster: Cluster | None, limits: Limits) -> Pools:
    """Return the pools of a cluster, or of this machine. Raises as ``connect``."""
    return LocalPools(limits) if cluster is None else ClusterPools(cluster, limits)


class ClusterPool(Generic[Task, Item]):
    """A pool. ``work`` yields the events of a task, in a thread; ``tasks`` for each thread of the cluster."""

    def __init__(
        self, pools: ClusterPools, tasks: int, work: Callable[[Task], Iterator[Event[Task, Item]]]
    ) -> None:
        self._pools, self._tasks, self._work, self._open = pools, tasks, work, 0
        self._events: queue.Queue[Event[Task, Item] | RedstringError] = queue.Queue(_WAITING)

    @property
    def is_free(self) -> bool:
        """Whether a worker could begin a task soon."""
        return self._open < self._tasks * self._pools.threads

    @property
    def is_busy(self) -> bool:
        """Whether a task is in progress."""
        return self._open > 0

    def start(self, task: Task) -> None:
        """Begin a task."""
        self._open += 1
        threading.Thread(target=self._run, args=(task,), daemon=True).start()

    def hold(self) -> None:
        """Do nothing: if the queue is full, the threads wait."""

    def pipes(self) -> list[int]:
        """Return what becomes readable when an event has come, for any pool."""
        return [self._pools.bell.fileno()]

    def seconds_left(self) -> float:
        """Return 0 if an event waits."""
        return 0.0 if self._events.qsize() else float("inf")

    def events(self) -> Iterator[Event[Task, Item]]:
        """Yield the events so far without waiting. Raises what ends the ingestion."""
        with suppress(BlockingIOError):
            self._pools.bell.recv(1 << 16)
        for _ in range(self._events.qsize()):
            event = self._events.get()
            if isinstance(event, RedstringError):
                raise event
            self._open -= isinstance(event, Finished)
            yield event

    def _run(self, task: Task) -> None:
        try:
            for event in self._work(task):
                self._pools.put(self._events, event)
        except LostError as error:
            self._pools.put(self._events, Finished(task, str(error), 0.0))
        except RedstringError as error:
            self._pools.put(self._events, error)


def _load(task: FileToRead, digest: bytes) -> bytes:
    try:
        content = files.read(task.source.path, MOST_SENT)
    except FileRefusedError as error:
        advice = "too large to be sent to a worker; put it where workers see it, or name it by URL"
        raise FileRefusedError(f"{advice} ({error})") from error
    if hashlib.sha256(content).digest() != digest:
        raise FileRefusedError(CHANGED)
    return content


def _take(url: str) -> bytes:
    try:
        filesystem, path = file_system(url)
        content: bytes = filesystem.cat_file(path)
        filesystem.rm_file(path)
    # Each file system raises its own errors.
    except Exception as error:
        raise CorpusError(f"cannot read the block at {url} ({type(error).__name__}: {error})") from error
    return content
