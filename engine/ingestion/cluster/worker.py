"""The tasks of an ingestion on a Dask worker.

The children that read untrusted files are those of an ingestion on one machine (``workers.py``). A fork
server starts them, because they must not inherit the threads and connections of the worker.
"""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from engine import files
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import BLOCKS, Block
from engine.corpus.embedded.stored import is_large
from engine.errors import ClusterError, FileRefusedError, RedstringError, system_error
from engine.ingestion.analysis import Analyst
from engine.ingestion.ledger import LIBRARIES, code_digest, file_key, library_version
from engine.ingestion.pipeline import run
from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.reading import Batch, BatchReader, FileToRead
from engine.ingestion.resolving import CorpusReferences
from engine.ingestion.sources import file_system
from engine.ingestion.view import CorpusView, text_beginnings
from engine.ingestion.workers import Finished, Limits, WorkerPool

# The data that a worker needs to resolve references.
#
# Every worker gets the shared part once: about a sixteenth of the bytes of all blocks. Data of a
# single block come with the request for it.

_OWN = ("passages.text", "passages.metadata", "passages.mentions", "headings")
# The number of a block, and its columns that the shared part of the corpus lacks.
Unresolved = tuple[int, Mapping[str, Array]]


def pickle_shared(view: CorpusView, names: Sequence[str]) -> bytes:
    """Pickle the data that every worker needs: names, blocks, and dated documents."""
    blocks = []
    for block in view.blocks:
        shared = Block({name: block[name] for name in block.arrays if not is_large(name)})
        shared.put_strings("passages.text", text_beginnings(block))
        blocks.append(shared)
    versions = {number: view.documents[number] for number in sorted(view.versions)}
    return pickle.dumps((tuple(names), blocks, versions), pickle.HIGHEST_PROTOCOL)


def get_unresolved(view: CorpusView, number: int) -> Unresolved:
    """Return the additional data for the references of a block."""
    columns = (f"{name}.{part}" for name in _OWN for part in ("offsets", "utf8"))
    return number, {column: view.blocks[number][column] for column in columns}


class BlockResolver:
    """The task of a resolving child: writes the references of each block that it gets."""

    def __init__(self, shared: Path, folder: Path) -> None:
        self._shared, self._folder = shared, folder
        self._resolving: CorpusReferences | None = None

    def __call__(self, task: Unresolved) -> Iterator[str]:
        """Write the references of a block and yield its name."""
        if self._resolving is None:
            names, blocks, versions = pickle.loads(self._shared.read_bytes())
            self._view = CorpusView(blocks)
            for number, document in versions.items():
                self._view.documents[number] = document
            self._view.versions = set(versions)
            self._resolving = CorpusReferences(self._view, names, self._folder, code_digest())
            self._resolving.prepare()
        number, own = task
        shared = self._view.blocks
        block = Block(shared[number].arrays | dict(own))
        self._view.blocks = (*shared[:number], block, *shared[number + 1 :])
        yield from self._resolving(number)
        self._view.blocks = shared


# Seconds that a task may take beyond the limits of its child.
MARGIN = 30.0
# An answer contains about this many bytes of documents, or this many items.
ANSWER_BYTES, ANSWER_ITEMS = 4 << 20, 256
_CODE = "code of the engine"
_ingestions: dict[str, _Ingestion] = {}
_ended: set[str] = set()
_lock = threading.Lock()
_AnyPool = WorkerPool[Any, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """Data common to the tasks of an ingestion."""

    id: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class Answer:
    """Some ``items`` of a file, all if ``is_end``; or the ``content`` of a block."""

    items: tuple[Batch | Problem, ...] = ()
    is_end: bool = True
    failure: str | None = None
    seconds: float = 0.0
    content: bytes | None = None
    worker: str = ""
    needs_content: bool = False


def get_versions() -> dict[str, str]:
    """Return the versions of everything that determines the content of blocks."""
    python = sys.version.replace("\n", " ")
    return {"Python": python} | {name: library_version(name) for name in LIBRARIES} | {_CODE: code_digest()}


def perform(versions: dict[str, str], content: bytes, corpus: bytes | None = None) -> bytes:
    """Run a task; return its pickled answer, or the error that ends the ingestion."""
    worker: Any = import_module("distributed").get_worker()
    try:
        # Only a client with the same engine is unpickled.
        if versions != (here := get_versions()):
            names = [name for name in versions if name != _CODE and versions[name] != here.get(name)]
            found = [f"{name} {here.get(name, 'none')} instead of {versions[name]}" for name in names]
            difference = ", ".join(found) or "the code of the engine, or its grammars, are others"
            raise ClusterError(f"would make other blocks ({difference}); install the same there and here")
        job, method, arguments = pickle.loads(content)
        with _lock:
            if job.id in _ended:
                raise ClusterError("the ingestion has ended")
            if job.id not in _ingestions:
                _ingestions[job.id] = _Ingestion(job, worker.local_directory)
            ingestion = _ingestions[job.id]
            ingestion.postpone_end()
            if corpus is not None and not ingestion.corpus.exists():
                ingestion.corpus.write_bytes(corpus)
        answer: Answer = getattr(ingestion, method)(*arguments)
        return pickle.dumps(replace(answer, worker=worker.address), pickle.HIGHEST_PROTOCOL)
    except OSError as error:
        return pickle.dumps(system_error(f"keep files on the worker at {worker.address}", error))
    except RedstringError as error:
        return pickle.dumps(type(error)(f"the worker at {worker.address}: {error}"))


def end_ingestion(job_id: str) -> None:
    """End the children of an ingestion, now and of tasks that are on their way, and remove its files."""
    _ended.add(job_id)
    _drop(job_id)


def _drop(job_id: str) -> None:
    with _lock:
        ingestion = _ingestions.pop(job_id, None)
    if ingestion is not None:
        ingestion.close()


class _Ingestion:
    """One ingestion on this worker; several threads may use it."""

    def __init__(self, job: Job, folder: str) -> None:
        self._job, self._folder = job, Path(tempfile.mkdtemp(prefix="redstring-", dir=folder))
        (self._folder / BLOCKS).mkdir()
        self.corpus = self._folder / "corpus"
        self._pools: list[_AnyPool] = []
        self._idle: dict[str, list[_AnyPool]] = defaultdict(list)
        # Files that were read in part: the child of each, and the number of items that it has sent.
        self._sessions: dict[str, tuple[_AnyPool, int]] = {}
        self._timer, self._is_closed = threading.Timer(0, _drop), False
        multiprocessing.set_forkserver_preload(["distributed.cli.dask_worker", __name__])
        # A worker of a nanny is a daemon, which may not have children.
        multiprocessing.current_process().daemon = False

    def postpone_end(self) -> None:
        """End the ingestion after some time without a task: its client is lost."""
        self._timer.cancel()
        seconds = self._job.limits.longest + 2 * MARGIN
        self._timer = threading.Timer(seconds, _drop, [self._job.id])
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        self._timer.cancel()
        self._is_closed = True
        for pool in self._pools:
            pool.__exit__()
        shutil.rmtree(self._folder, ignore_errors=True)

    def read(
        self,
        session: str,
        file: FileToRead,
        reader: BatchReader,
        headings: bool,
        content: bytes | None,
        skip: int,
    ) -> Answer:
        """Return the next items of a file: of the child that has the session, or of one that starts again and
        skips the first."""
        copies = self._folder / session
        pool, count = self._sessions.pop(session, (None, 0))
        if pool is None:
            try:
                source = find_source(file, headings, content, copies)
            # Each file system raises its own errors. They concern this file only.
            except Exception as error:
                return Answer(failure=f"cannot be read ({_describe(error)})")
            if source is None:
                return Answer(needs_content=True)
            pool = self._start("read", reader, replace(file, source=source))
        items: list[Batch | Problem] = []
        size = 0
        for event in run(pool, []):
            if isinstance(event, Finished):
                shutil.rmtree(copies, ignore_errors=True)
                self._idle["read"].append(pool)
                return Answer(tuple(items), failure=event.failure, seconds=event.seconds)
            count += 1
            if count > skip:
                items.append(event.item)
                size += len(getattr(event.item, "content", None) or b"")
            if size >= ANSWER_BYTES or len(items) >= ANSWER_ITEMS:
                break
        # The time of the child stops until the next request.
        pool.hold()
        self._sessions[session] = pool, count
        return Answer(tuple(items), is_end=False)

    def analyse(self, path: str, batch: Batch, headings: bool) -> Answer:
        return self._make(path, "analyse", Analyst(self._folder, headings), batch)

    def resolve(self, path: str, task: Unresolved) -> Answer:
        return self._make(path, "resolve", BlockResolver(self.corpus, self._folder), task)

    def _make(self, name: str, kind: str, work: Callable[[Any], Any], task: object) -> Answer:
        pool = self._start(kind, work, task, self._folder)
        (end,) = [event for event in run(pool, []) if isinstance(event, Finished)]
        self._idle[kind].append(pool)
        path = self._folder / name
        content = path.read_bytes() if end.failure is None else None
        path.unlink(missing_ok=True)
        return Answer(failure=end.failure, seconds=end.seconds, content=content)

    def _start(self, kind: str, work: Callable[[Any], Any], task: object, *writes: Path) -> _AnyPool:
        """Return a pool that works on a task. It is one of those that are idle, or a new one."""
        try:
            pool = self._idle[kind].pop()
        except IndexError:
            brings, limits = (Batch, Problem), self._job.limits
            pool = _AnyPool(work, 1, limits, writes=writes, brings=brings, start="forkserver")
            self._pools.append(pool)
        pool.start(task)
        # The ingestion may end while the child starts.
        if self._is_closed:
            pool.__exit__()
        return pool


def find_source(file: FileToRead, headings: bool, content: bytes | None, folder: Path) -> SourceFile | None:
    """Return the source of a file: at its path, or in ``folder`` a copy of its content or of its URL.

    Return None if there is none, raise FileRefusedError if it has changed.
    """

    def is_same(source: SourceFile) -> bool:
        return file_key(source, file.reader, str(headings)) == file.key

    source = file.source
    with suppress(OSError, FileRefusedError):
        if is_same(source):
            return source
    if content is None and source.url is None:
        return None
    folder.mkdir(exist_ok=True)
    copy = replace(source, path=files.named(folder) / source.path.name)
    if content is not None:
        copy.path.write_bytes(content)
    else:
        filesystem, remote = file_system(str(source.url))
        filesystem.get_file(remote, str(copy.path))
    if not is_same(copy):
        raise FileRefusedError("it was changed during the ingestion: ingest again")
    return copy


def _describe(error: Exception) -> str:
    if isinstance(error, FileRefusedError):
        return str(error)
    message = getattr(error, "strerror", None) or str(error)
    return f"{type(error).__name__}: {' '.join(str(message).split())[:200]}"
