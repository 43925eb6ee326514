"""``python -m engine.ingestion.cluster.host SOCKET``: the process of a Dask worker that has the children.

A Dask worker has threads, and connections to the scheduler that no reader of strangers' files may inherit. So
it does not fork: it starts this process, which has one thread and a socket to the worker, and this forks the
children that read, analyse and resolve references, with the limits and the confinement of an ingestion on one
machine (``engine/ingestion/workers.py``). It ends when the worker is gone, and with it all its children.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from engine.corpus.embedded.block import BLOCKS
from engine.errors import CorpusError, RedstringError, ResourceError
from engine.ingestion.analysis import Analyst, make_ready
from engine.ingestion.cluster.corpus import BlockResolver
from engine.ingestion.cluster.messages import (
    Analyse,
    Answer,
    Body,
    Brought,
    Lacking,
    Lacks,
    Made,
    Read,
    Resolve,
    Setup,
    Unusable,
)
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.workers import Finished, WorkerPool

# An answer is sent once it holds as many bytes of documents, or as many items.
ANSWER_BYTES, ANSWER_ITEMS = 4 << 20, 256
# Without a request for so many seconds, nobody is there any more who would send one.
IDLE = 300.0

Readers = WorkerPool[FileToRead, Batch | Problem]
# What it is given is a batch, or the request for the references of a block.
Makers = WorkerPool[Any, str]


@dataclass(slots=True)
class _Session:
    """A file that is being read. ``number`` is that of the request that waits for items, if one does."""

    child: Readers
    skip: int
    number: int | None
    asked: float
    items: list[Batch | Problem] = field(default_factory=list)
    size: int = 0


class Host:
    """Answers requests of one Dask worker, several at a time, each of which has a number."""

    def __init__(self, setup: Setup, folder: Path) -> None:
        self._setup, self._folder = setup, folder
        (folder / BLOCKS).mkdir(exist_ok=True)
        self._reader = BatchReader(setup.known, setup.version)
        self._analyst = Analyst(folder, setup.headings)
        self._sessions: dict[str, _Session] = {}
        self._resolver: BlockResolver | None = None
        # The children that make something, why, and since when.
        self._going: dict[int, tuple[Makers, Analyse | Resolve, float]] = {}
        self._free_readers: list[Readers] = []
        self._free: dict[type[Analyse | Resolve], list[Makers]] = {Analyse: [], Resolve: []}

    def serve(self, connection: Connection) -> None:
        """Answer until the worker is gone, or asks for nothing any more."""
        heard = monotonic()
        while True:
            pools: list[Readers | Makers] = [
                *(session.child for session in self._sessions.values() if session.number is not None),
                *(pool for pool, _, _ in self._going.values()),
            ]
            pipes = [pipe for pool in pools for pipe in pool.pipes()]
            left = min((pool.seconds_left() for pool in pools), default=IDLE)
            ready = wait([connection, *pipes], left)
            if connection in ready:
                try:
                    number, body = pickle.loads(connection.recv_bytes())
                except (EOFError, OSError):
                    return
                heard = monotonic()
                if isinstance(body, Setup):
                    self._take(body)
                else:
                    self._begin(connection, number, body)
            elif not pools and monotonic() > heard + IDLE:
                return
            for number, answer in [*self._read(), *self._made()]:
                _send(connection, number, answer)

    def _take(self, setup: Setup) -> None:
        """Go on with another setup; children that wait for work were born without it."""
        self._setup, self._resolver = setup, None
        _end(pool for free in self._free.values() for pool in free)
        self._free = {Analyse: [], Resolve: []}

    def close(self) -> None:
        """End all children."""
        _end(session.child for session in self._sessions.values())
        _end(pool for pool, _, _ in self._going.values())
        _end(self._free_readers)
        _end(pool for free in self._free.values() for pool in free)

    def _begin(self, connection: Connection, number: int, body: Body) -> None:
        if isinstance(body, Analyse | Resolve):
            if isinstance(body, Analyse):
                make_ready(body.batch.languages)
            pool = self._maker(body)
            pool.start(body.batch if isinstance(body, Analyse) else body)
            self._going[number] = pool, body, monotonic()
        elif isinstance(body, Read):
            child = self._free_readers.pop() if self._free_readers else None
            child = child or Readers(self._reader, 1, self._setup.limits, brings=(Batch, Problem))
            child.start(body.file)
            self._sessions[body.session] = _Session(child, body.skip, number, monotonic())
        elif (session := self._sessions.get(body.session)) is not None:
            session.number, session.asked = number, monotonic()
        else:
            _send(connection, number, Lacks(Lacking.SESSION))

    def _maker(self, body: Analyse | Resolve) -> Makers:
        """A child that is free to make a block, or its references."""
        if free := self._free[type(body)]:
            return free.pop()
        if isinstance(body, Resolve) and self._resolver is None:
            assert self._setup.corpus is not None
            self._resolver = BlockResolver(pickle.loads(self._setup.corpus), self._folder)
        work: Any = self._analyst if isinstance(body, Analyse) else self._resolver
        return Makers(work, 1, self._setup.limits, writes=[self._folder])

    def _read(self) -> Iterator[tuple[int, Answer]]:
        for name, session in list(self._sessions.items()):
            number = session.number
            if number is None:
                continue
            try:
                events = list(session.child.events())
            except RedstringError as error:
                yield number, self._unusable(error)
                session.number = None
                continue
            for event in events:
                if isinstance(event, Finished):
                    yield number, _brought(session, is_end=True, failure=event.failure)
                    del self._sessions[name]
                    self._free_readers.append(session.child)
                elif session.skip:
                    session.skip -= 1
                else:
                    session.items.append(event.item)
                    session.size += len(getattr(event.item, "content", None) or b"")
            is_full = session.size >= ANSWER_BYTES or len(session.items) >= ANSWER_ITEMS
            if is_full and name in self._sessions:
                yield number, _brought(session, is_end=False, failure=None)
                # Until it is asked for more, its time stands still.
                session.child.hold()

    def _made(self) -> Iterator[tuple[int, Answer]]:
        for number, (pool, body, began) in list(self._going.items()):
            try:
                events = list(pool.events())
            except RedstringError as error:
                events = []
                yield number, self._unusable(error)
                del self._going[number]
                self._free[type(body)].append(pool)
            for event in events:
                if isinstance(event, Finished):
                    yield number, Made(None, b"", event.failure, monotonic() - began)
                    del self._going[number]
                    self._free[type(body)].append(pool)

    @staticmethod
    def _unusable(error: RedstringError) -> Unusable:
        kind = ResourceError if isinstance(error, ResourceError) else CorpusError
        return Unusable(kind.__name__, str(error))


def _end(pools: Iterable[Readers | Makers]) -> None:
    for pool in pools:
        with pool:
            continue


def _brought(session: _Session, *, is_end: bool, failure: str | None) -> Brought:
    brought = Brought(tuple(session.items), is_end, failure, monotonic() - session.asked)
    session.items, session.size, session.number = [], 0, None
    return brought


def _send(connection: Connection, number: int, answer: Answer) -> None:
    try:
        connection.send_bytes(pickle.dumps((number, answer), pickle.HIGHEST_PROTOCOL))
    except OSError:
        # The worker is gone: so the next request will say.
        return


def main() -> None:
    """Serve the worker at the other end of the socket, which first says what there is to do."""
    connection = Connection(int(sys.argv[1]))
    # A child that is taken over must not be able to answer in this process's name.
    os.register_at_fork(after_in_child=connection.close)
    setup, folder = pickle.loads(connection.recv_bytes())
    host = Host(setup, Path(folder))
    try:
        host.serve(connection)
    finally:
        host.close()


if __name__ == "__main__":
    main()
