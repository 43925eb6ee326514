"""The pools of an ingestion on a cluster: workers replace the child processes of one machine.

Dask chooses the workers and gives the tasks of a lost worker to others. A task that Dask gives up runs once
more, alone: another task of the same workers may have been the cause.
"""

from __future__ import annotations

import asyncio
import pickle
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from secrets import token_hex
from time import monotonic
from typing import Any, Generic, TypeVar

from engine import files
from engine.corpus.embedded.block import block_name
from engine.errors import ClusterError, FileRefusedError, RedstringError, SettingsError, system_error
from engine.ingestion.analysis import Analyst
from engine.ingestion.cluster.worker import (
    MARGIN,
    Answer,
    Job,
    end_ingestion,
    get_unresolved,
    get_versions,
    perform,
    pickle_shared,
)
from engine.ingestion.pipeline import LocalPools, Pools, run
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.resolving import links_name
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Finished, Limits, Produced

# Connect to a Dask cluster that is already running. ``distributed`` is an optional extra: import
# it late.

# Seconds to wait for a scheduler to answer.
CONNECT = 10.0
_ADDRESS = re.compile(r"(?:tcp|tls|ws|wss)://(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
_INSTALL = "pip install 'redstring[cluster]', or the version of distributed that requirements-dev.txt names"


def connect(address: str) -> Any:
    """Return a Dask client of a scheduler; Dask's own settings configure TLS.

    Raises SettingsError for an invalid address or a missing ``distributed``, ClusterError if no scheduler
    answers in time or if it has no worker.
    """
    if not _ADDRESS.fullmatch(address):
        raise SettingsError(
            f"--cluster: no address of a scheduler: {address!r}; it looks like tcp://HOST:8786"
        )
    try:
        distributed: Any = import_module("distributed")
        # Dask would warn of the files and documents in the arguments of tasks.
        import_module("dask").config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})
    except ModuleNotFoundError as error:
        raise SettingsError(f"--cluster needs Dask ({error.name} is not installed): {_INSTALL}") from error
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _shake_hands(address, distributed)).result()
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False, name="redstring")
    # A server of another kind or version can cause any error.
    except Exception as error:
        message = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        advice = "start one with `dask scheduler`, and check that its port can be reached from here"
        raise ClusterError(f"no Dask scheduler answers at {address} ({message}); {advice}") from error
    if not client.nthreads():
        client.close()
        raise ClusterError(
            f"the scheduler at {address} has no worker; start one with `dask worker {address}`"
        )
    return client


async def _shake_hands(address: str, distributed: Any) -> None:
    """Connect once: a client would wait forever for a server that does not answer."""
    options = distributed.Security().get_connection_args("client")
    comm = await asyncio.wait_for(import_module("distributed.comm").connect(address, **options), CONNECT)
    await comm.close()


Task = TypeVar("Task")
Item = TypeVar("Item")
# Bytes of a file that may be sent: it is in memory on its way.
MOST_SENT = 1 << 30
# Timeout for an answer of the scheduler, and for the first worker, in seconds.
SILENCE, NO_WORKER = 30.0, 60.0
# Seconds between two checks of the workers; for a result to arrive; for workers to end their children.
_LOOK, _ARRIVAL, _FAREWELL = 0.5, 30.0, 10.0


class LostError(Exception):
    """A request was given up."""


@dataclass(slots=True, eq=False)
class Request:
    """A request to any worker, or to ``only`` one. A suspect runs alone."""

    method: str
    arguments: tuple[object, ...]
    only: str | None = None
    is_suspect: bool = False
    sent: float = 0.0
    future: Any = None
    answer: Answer | BaseException | None = None
    answered: SimpleQueue[Request] = field(default_factory=SimpleQueue)


# A task yields events and requests; the answers are sent to it.
Work = Generator[Request | Event[Task, Item], Answer, None]
_FileWork = Work[FileToRead, Batch | Problem]


class _Call:
    """A call made by unpickling: the scheduler forwards its pickle and needs no engine."""

    def __init__(self, *arguments: object) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return perform, self._arguments


class ClusterPools:
    """The pools of one ingestion, connected until ``close``. Raises as ``connect``."""

    def __init__(self, address: str, limits: Limits) -> None:
        self._client, self._job = connect(address), Job(token_hex(16), limits)
        self._corpus: Any = None
        self._waiting, self._sent = list[Request](), set[Request]()
        # True after a worker did not find a file at its path: files are sent.
        self._sends_files = False
        # Time of the scheduler's last answer, and the threads of each worker.
        self._seen: tuple[float, dict[str, int]] = monotonic(), self._client.nthreads()
        self._had_worker = self._heard = monotonic()
        self._ended = threading.Event()
        self.bell, self._ringer = socket.socketpair()
        self.bell.setblocking(False)
        self._ringer.setblocking(False)
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def threads(self) -> int:
        """The number of threads of all workers, at least 1."""
        return max(1, sum(self._seen[1].values()))

    @property
    def most_waiting(self) -> int:
        """Enough batches to keep all workers busy."""
        return max(4, 2 * self.threads)

    @contextmanager
    def opened(
        self, reader: BatchReader, analyst: Analyst, files: int, size: int
    ) -> Iterator[tuple[ClusterPool[FileToRead, Batch | Problem], ClusterPool[Batch, str]]]:
        """Implement ``Pools``. The number of tasks at the same time depends on the cluster only."""

        def analyse(batch: Batch) -> Work[Batch, str]:
            path = analyst.generation / block_name(batch.key)
            return _make(batch, path, "analyse", batch, analyst.headings)

        readers = ClusterPool(self, 1, lambda file: self._read(file, reader, analyst.headings))
        # One more than the threads, so that no worker waits for the next.
        yield readers, ClusterPool(self, 2, analyse)

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """Implement ``Pools``. This machine resolves the tasks that fail on the cluster."""
        # Dask sends it to each worker once.
        self._corpus = self._client.submit(bytes, pickle_shared(view, names), pure=False)

        def resolve(number: int) -> Work[int, str]:
            path = generation / links_name(names[number])
            return _make(number, path, "resolve", get_unresolved(view, number))

        for event in run(ClusterPool(self, 2, resolve), numbers, check):
            if isinstance(event, Finished) and event.failure is None:
                yield event.task

    def close(self) -> None:
        """End all work for this ingestion. May be called again."""
        if self._ended.is_set():
            return
        self._ended.set()

        def farewell() -> None:
            # Without a scheduler, no worker can be reached.
            with suppress(Exception):
                self._client.cancel([request.future for request in self._sent], force=True)
                self._client.run(end_ingestion, self._job.id, on_error="ignore")
                self._client.close(timeout=2)

        thread = threading.Thread(target=farewell, daemon=True)
        thread.start()
        thread.join(_FAREWELL)
        self.bell.close()
        self._ringer.close()

    def submit(self, request: Request) -> None:
        """Send a request as soon as no suspect runs or waits."""
        self._waiting.append(request)
        self._send()

    def check(self) -> None:
        """Cancel tasks that take too long. Raises ClusterError if the scheduler or all workers are lost."""
        with suppress(BlockingIOError):
            self.bell.recv(1 << 16)
        now, (at, workers) = monotonic(), self._seen
        patience = 2 * (self._job.limits.longest + MARGIN)
        if now > at + SILENCE:
            raise ClusterError(f"the scheduler has not answered for {SILENCE:g} seconds")
        if now > self._had_worker + NO_WORKER:
            raise ClusterError(f"the cluster has had no worker for {NO_WORKER:g} seconds")
        for request in self._get_running():
            if now > max(self._heard, request.sent) + patience:
                request.future.cancel(msg=f"no worker answered within {patience:g} seconds")
            elif request.only is not None and request.sent < at and request.only not in workers:
                request.future.cancel(msg="its worker was lost")
        self._send()

    def take(self, request: Request) -> Answer | None:
        """Return the answer of a request, or None if it runs again, alone.

        Raises LostError if it was given up, and the error that ends the ingestion.
        """
        self._sent.discard(request)
        error = request.answer
        if isinstance(error, Answer):
            return error
        if isinstance(error, RedstringError):
            raise error
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        is_lost = type(error).__module__.startswith("distributed") or "Cancelled" in reason
        if not is_lost and not isinstance(error, OSError):
            advice = "it needs the same engine as this machine"
            raise ClusterError(f"a worker cannot make blocks ({reason}); {advice}") from error
        if request.only is not None or request.is_suspect:
            raise LostError(f"stopped: the workers that tried it were lost ({reason})")
        request.is_suspect = True
        self.submit(request)
        return None

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK):
            with suppress(Exception):
                self._seen = monotonic(), self._client.nthreads()
                self._had_worker = monotonic() if self._seen[1] else self._had_worker

    def _get_running(self) -> list[Request]:
        return [request for request in self._sent if not request.future.done()]

    def _send(self) -> None:
        running = self._get_running()
        if any(request.is_suspect for request in running):
            return
        suspects = [request for request in self._waiting if request.is_suspect]
        for request in suspects[: not running] if suspects else list(self._waiting):
            self._waiting.remove(request)
            self._sent.add(request)
            content = pickle.dumps((self._job, request.method, request.arguments), pickle.HIGHEST_PROTOCOL)
            # The corpus, a separate task, replaces an out-of-band buffer (PEP 574).
            buffers = [self._corpus] if request.method == "resolve" else []
            call = _Call(get_versions(), content, *(pickle.PickleBuffer(b"") for _ in buffers))
            request.sent = monotonic()
            request.future = self._client.submit(
                pickle.loads,
                pickle.dumps(call, pickle.HIGHEST_PROTOCOL, buffer_callback=lambda _: None),
                buffers=buffers,
                workers=request.only,
                priority=int(request.method == "read"),
                pure=False,
            )
            request.future.add_done_callback(partial(self._receive, request))

    def _receive(self, request: Request, future: Any) -> None:
        """Fetch an answer. Called by Dask in a separate thread."""
        try:
            request.answer = pickle.loads(future.result(timeout=_ARRIVAL))
            self._heard = monotonic()
        # Some cancellations are no Exception.
        except BaseException as error:
            request.answer = error
        request.answered.put(request)
        # It is full of rings, or closed.
        with suppress(OSError):
            self._ringer.send(b"x")

    def _read(self, file: FileToRead, reader: BatchReader, headings: bool) -> _FileWork:
        """Read a file. The worker that has begun it reads on when there is room for more items."""
        worker: str | None = None
        session, count = "", 0
        try:
            while True:
                content = None
                if worker is None:
                    session = token_hex(8)
                    if self._sends_files and file.source.url is None:
                        content = _load(file)
                try:
                    answer = yield Request("read", (session, file, reader, headings, content, count), worker)
                except LostError:
                    if worker is None:
                        raise
                    worker = None
                    continue
                if answer.needs_content:
                    self._sends_files = True
                    continue
                worker, count = answer.worker, count + len(answer.items)
                yield from (Produced(file, item) for item in answer.items)
                if answer.is_end:
                    yield Finished(file, answer.failure, answer.seconds)
                    return
        except (OSError, FileRefusedError) as error:
            yield Finished(file, f"cannot be read ({error})", 0.0)


def make_pools(cluster: str | None, limits: Limits) -> Pools:
    """Return the pools of the cluster with this scheduler, or of this machine. Raises as ``connect``."""
    return LocalPools(limits) if cluster is None else ClusterPools(cluster, limits)


class ClusterPool(Generic[Task, Item]):
    """A pool. ``work`` runs a task; ``tasks``: maximum number per thread of the cluster."""

    def __init__(self, pools: ClusterPools, tasks: int, work: Callable[[Task], Work[Task, Item]]) -> None:
        self._pools, self._tasks, self._work, self._open = pools, tasks, work, 0
        self._events = deque[Event[Task, Item]]()
        self._requests: dict[Request, tuple[Task, Work[Task, Item]]] = {}
        self._answered = SimpleQueue[Request]()

    @property
    def is_free(self) -> bool:
        """True if a worker could begin a task soon."""
        return self._open < self._tasks * self._pools.threads

    @property
    def is_busy(self) -> bool:
        """True if a task is in progress."""
        return self._open > 0

    def start(self, task: Task) -> None:
        """Begin a task."""
        self._open += 1
        work = self._work(task)
        self._go_on(task, work, partial(next, work))

    def hold(self) -> None:
        """Do nothing: a worker reads on when its answer has been taken."""

    def pipes(self) -> list[int]:
        """Return the descriptors that become readable when an event arrives, for any pool."""
        return [self._pools.bell.fileno()]

    def seconds_left(self) -> float:
        """Return 0 if an event waits."""
        return float("inf") if self._answered.empty() and not self._events else 0.0

    def events(self) -> Iterator[Event[Task, Item]]:
        """Yield the events so far without waiting. Raises the error that ends the ingestion."""
        self._pools.check()
        while not self._answered.empty():
            request = self._answered.get()
            task, work = self._requests[request]
            try:
                answer = self._pools.take(request)
            except LostError as error:
                self._go_on(task, work, partial(work.throw, error))
            else:
                if answer is None:
                    continue
                self._go_on(task, work, partial(work.send, answer))
            del self._requests[request]
        while self._events:
            event = self._events.popleft()
            self._open -= isinstance(event, Finished)
            yield event

    def _go_on(
        self,
        task: Task,
        work: Work[Task, Item],
        resume: Callable[[], Request | Event[Task, Item]],
    ) -> None:
        """Collect the events of a work until it needs an answer."""
        try:
            while not isinstance(found := resume(), Request):
                self._events.append(found)
                resume = partial(next, work)
        except StopIteration:
            return
        except LostError as error:
            self._events.append(Finished(task, str(error), 0.0))
            return
        self._requests[found] = task, work
        found.answered = self._answered
        self._pools.submit(found)


def _make(task: Task, path: Path, method: str, *arguments: object) -> Work[Task, str]:
    """Make a block or its references on a worker, and store it."""
    made = yield Request(method, (f"{path.parent.name}/{path.name}", *arguments))
    if made.content is not None:
        try:
            path.write_bytes(made.content)
        except OSError as error:
            raise system_error(f"write {path}", error) from error
    yield Finished(task, made.failure, made.seconds)


def _load(file: FileToRead) -> bytes:
    try:
        return files.read(file.source.path, MOST_SENT)
    except FileRefusedError as error:
        advice = "too large to be sent to a worker; put it where workers see it, or name it by URL"
        raise FileRefusedError(f"{advice} ({error})") from error
