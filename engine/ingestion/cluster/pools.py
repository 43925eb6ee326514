"""The workers of a cluster in the place of child processes: the pipeline starts tasks and hears of events."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, Generic, TypeVar

from engine.corpus.embedded.block import block_name
from engine.errors import ClusterError, CorpusError, FileRefusedError, system_error
from engine.ingestion.analysis import Analyst
from engine.ingestion.cluster.connecting import Cluster, connected
from engine.ingestion.cluster.content import content_of, with_bytes
from engine.ingestion.cluster.corpus import corpus_of, request_for
from engine.ingestion.cluster.dispatching import MOST_STRIKES, Call, Dispatcher
from engine.ingestion.cluster.messages import (
    Analyse,
    Answer,
    Brought,
    Content,
    Lacking,
    Lacks,
    Made,
    More,
    Read,
    Resolve,
    Setup,
)
from engine.ingestion.ledger import makers
from engine.ingestion.pools import LocalPools, Pools, run
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.remote import file_system
from engine.ingestion.resolving import links_name
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Event, Finished, Limits, Produced

Task = TypeVar("Task", FileToRead, Batch, int)
Item = TypeVar("Item")


class ClusterPools:
    """The pools of one ingestion, connected from the beginning to ``close``. Raises as ``connected``."""

    def __init__(self, cluster: Cluster, limits: Limits) -> None:
        self._cluster, self._limits, self._is_closed = cluster, limits, False
        self._client: Any = connected(cluster.address)
        self._dispatcher: Dispatcher | None = None

    @property
    def most_waiting(self) -> int:
        """Enough that no worker waits for this machine."""
        return 4 if self._dispatcher is None else max(4, 2 * self._dispatcher.threads)

    @contextmanager
    def opened(
        self, reader: BatchReader, analyst: Analyst, files: int, size: int
    ) -> Iterator[tuple[ReaderPool, MakerPool[Batch]]]:
        """As ``Pools`` says; how many work at once depends on the cluster alone."""
        if self._dispatcher is None:
            known, cluster = frozenset(reader.known), self._cluster
            setup = Setup(
                known, reader.version, analyst.headings, self._limits, cluster.blocks, cluster.margin
            )
            self._dispatcher = Dispatcher(self._client, setup)
        yield (
            ReaderPool(self._dispatcher),
            MakerPool[Batch](
                self._dispatcher,
                analyst.generation,
                self._cluster.blocks,
                lambda batch: (block_name(batch.key), partial(Analyse, batch)),
            ),
        )

    def resolved(
        self,
        view: CorpusView,
        names: Sequence[str],
        numbers: Sequence[int],
        generation: Path,
        check: Callable[[], None],
    ) -> Iterator[int]:
        """As ``Pools`` says. Where a block costs three workers, others of the corpus would too: then this
        machine does the rest, as it does what a worker fails at."""
        if self._dispatcher is None:
            return
        self._dispatcher.tell(pickle.dumps(corpus_of(view, names, makers()), pickle.HIGHEST_PROTOCOL))
        pool = MakerPool[int](
            self._dispatcher,
            generation,
            self._cluster.blocks,
            lambda number: (links_name(names[number]), partial(request_for, view, names, number)),
        )
        for event in run(pool, numbers, check):
            if pool.gave_up:
                return
            if isinstance(event, Finished) and event.failure is None:
                yield event.task

    def close(self) -> None:
        """Leave the cluster, with nothing going on there."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._dispatcher is not None:
            self._dispatcher.close()
        else:
            self._client.close()


def pools_of(cluster: Cluster | None, limits: Limits) -> Pools:
    """Where an ingestion works: on a cluster, or on this machine. Raises as ``connected``."""
    return LocalPools(limits) if cluster is None else ClusterPools(cluster, limits)


class _Pool(Generic[Task, Item]):
    """What the pipeline asks of a pool; both kinds take turns of one dispatcher."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._going: set[int] = set()
        self._events: deque[Event[Task, Item]] = deque()

    @property
    def is_busy(self) -> bool:
        """Whether a task is being worked on, or something of it is yet to be heard."""
        return bool(self._going or self._events)

    def hold(self) -> None:
        """The next events are not wanted yet."""

    def events(self) -> Iterator[Event[Task, Item]]:
        """What has come so far; does not wait. Raises as ``Dispatcher.turn``."""
        self._dispatcher.turn()
        while self._events:
            yield self._events.popleft()

    def seconds_left(self) -> float:
        """0 where an event is there, without end otherwise."""
        return 0.0 if self._events else float("inf")

    def _end(self, task: Task, failure: str | None, seconds: float) -> None:
        self._going.discard(id(task))
        self._events.append(Finished(task, failure, seconds))


class ReaderPool(_Pool[FileToRead, Batch | Problem]):
    """Reads files on workers, each on one of them as long as that is there, and no faster than somebody wants
    to hear of it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        super().__init__(dispatcher)
        self._paused: list[_Reading] = []
        # Once a worker did not find a file at its path, none is looked for.
        self.sends = False

    @property
    def is_free(self) -> bool:
        """Whether a file could be begun at once: one a thread."""
        return len(self._going) < self._dispatcher.threads

    def pipes(self) -> list[int]:
        """None of its own: the other pool tells of everything that comes."""
        return []

    def start(self, task: FileToRead) -> None:
        """Begin to read a file."""
        self._going.add(id(task))
        _Reading(self, self._dispatcher, task).begin()
        self._dispatcher.assign()

    def events(self) -> Iterator[Event[FileToRead, Batch | Problem]]:
        """What has come so far; whoever asks wants more of it."""
        yield from super().events()
        paused, self._paused = self._paused, []
        for reading in paused:
            reading.go_on()
        if paused:
            self._dispatcher.assign()

    def took(self, reading: _Reading, brought: Brought) -> None:
        """Some items have come of a file."""
        for item in brought.items:
            self._events.append(Produced(reading.task, item))
        if brought.is_end:
            self._end(reading.task, brought.failure, reading.seconds)
        else:
            self._paused.append(reading)

    def gave_up(self, reading: _Reading, failure: str) -> None:
        """Nothing more will come of a file."""
        self._end(reading.task, failure, reading.seconds)


class _Reading:
    """One file on its way through the cluster."""

    def __init__(self, pool: ReaderPool, dispatcher: Dispatcher, task: FileToRead) -> None:
        self.task, self.seconds = task, 0.0
        self._pool, self._dispatcher = pool, dispatcher
        self._call = Call(self._request, self._answered, self._lost, priority=1)
        self._content: Content | None = None
        self._session, self._brought = "", 0

    def begin(self) -> None:
        """Have it read, by whichever worker, from where it has been heard to the end."""
        self._call.only, self._session = None, token_hex(8)
        try:
            if self._content is None:
                self._content = content_of(self.task.source, self.task.source.url)
            if self._pool.sends and self._content.url is None and self._content.sent is None:
                self._content = with_bytes(self.task.source, self._content)
        except (OSError, FileRefusedError) as error:
            self._pool.gave_up(self, f"cannot be read ({error})")
            return
        self._dispatcher.send(self._call)

    def go_on(self) -> None:
        """Have the worker that reads it read on."""
        self._dispatcher.send(self._call)

    def _request(self) -> Read | More:
        if self._call.only is not None:
            return More(self._session)
        assert self._content is not None
        return Read(self._session, self.task, self._content, self._brought)

    def _answered(self, answer: Answer, worker: str) -> None:
        if isinstance(answer, Brought):
            self._call.only, self._call.strikes = worker, 0
            self._brought += len(answer.items)
            self.seconds += answer.seconds
            self._content = self._content and Content(self._content.digest, self._content.url)
            self._pool.took(self, answer)
            return
        if answer == Lacks(Lacking.CONTENT):
            self._pool.sends = True
        self.begin()

    def _lost(self, reason: str) -> None:
        if self._call.strikes >= MOST_STRIKES:
            self._pool.gave_up(self, given_up(reason))
        else:
            self.begin()


class MakerPool(_Pool[Task, str]):
    """Has workers make blocks, or their references, and puts them into a generation."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        generation: Path,
        blocks: str | None,
        asked: Callable[[Task], tuple[str, Callable[[], Analyse | Resolve]]],
    ) -> None:
        """``asked``: where in the generation the file of a task stands, and what makes the request for it."""
        super().__init__(dispatcher)
        self._generation, self._blocks = generation, blocks
        self._asked: Callable[[Task], tuple[str, Callable[[], Analyse | Resolve]]] = asked
        # Whether a task has cost as many workers as one may.
        self.gave_up = False

    @property
    def is_free(self) -> bool:
        """Whether a task could be sent at once: one more a thread than it does, so that it need not wait."""
        return len(self._going) < 2 * self._dispatcher.threads

    def pipes(self) -> list[int]:
        """Where it is told that something has come, of files too."""
        return [self._dispatcher.wake]

    def start(self, task: Task) -> None:
        """Have the file of a task made."""
        self._going.add(id(task))
        file, body = self._asked(task)

        def answered(answer: Answer, worker: str) -> None:
            if isinstance(answer, Made):
                if answer.failure is None:
                    self._keep(file, answer, worker)
                self._end(task, answer.failure, answer.seconds)
            else:
                raise ClusterError(f"the worker at {worker} answered what nobody asked; end it")

        def lost(reason: str) -> None:
            if call.strikes >= MOST_STRIKES:
                self.gave_up = True
                self._end(task, given_up(reason), 0.0)
            else:
                self._dispatcher.send(call)

        call: Call = Call(body, answered, lost)
        self._dispatcher.send(call)
        self._dispatcher.assign()

    def _keep(self, file: str, made: Made, worker: str) -> None:
        path = self._generation / file
        content = made.content
        if content is None:
            content = _taken_over(f"{self._blocks}/{path.name}")
        if hashlib.sha256(content).digest() != made.digest:
            raise ClusterError(f"a block of the worker at {worker} has been changed on its way; ingest again")
        waiting = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            waiting.write_bytes(content)
            os.replace(waiting, path)
        except OSError as error:
            raise system_error(f"write {path}", error) from error


def _taken_over(url: str) -> bytes:
    """What stands at a URL, which nobody else needs. Raises CorpusError."""
    try:
        filesystem, path = file_system(url)
        content: bytes = filesystem.cat_file(path)
        filesystem.rm_file(path)
    # Whatever the file system of somebody else raises.
    except Exception as error:
        raise CorpusError(f"cannot read the block at {url} ({type(error).__name__}: {error})") from error
    return content


def given_up(reason: str) -> str:
    """Why a task is not tried once more."""
    return f"stopped: it was tried by {MOST_STRIKES} workers of the cluster; the last time {reason}"
