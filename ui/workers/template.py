"""The template that workers are forked from, and what is carried between processes."""

from __future__ import annotations

import contextlib
import copyreg
import gc
import io
import logging
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from pathlib import Path
from types import MappingProxyType
from typing import Any

from threadpoolctl import threadpool_limits

from engine.caching import uses
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, RedstringError
from engine.language.embedders import NO_EMBEDDING, embedder
from engine.operator_settings import OperatorSettings
from ui.serve import give_back, share_arenas
from ui.server.logs import WithoutContent

# How much of the processor a thread has used, with what workers have computed for it.

_ELSEWHERE = threading.local()


def used() -> float:
    """Processor time of this thread and of what was computed for it in other processes, s."""
    return time.thread_time() + float(getattr(_ELSEWHERE, "seconds", 0.0))


def used_elsewhere(seconds: float) -> None:
    """Another process has computed for this thread."""
    _ELSEWHERE.seconds = float(getattr(_ELSEWHERE, "seconds", 0.0)) + seconds


# Where a piece of work is done: the corpora that are open there, and whether it is to stop.


class Room:
    """The context of a piece of work. ``opened`` returns the corpus of a folder in its current state."""

    def __init__(self, opened: Callable[[Path], Corpus]) -> None:
        self.opened = opened
        self._stop: Callable[[], None] | None = None
        self._stopped = False

    def stoppable(self, stop: Callable[[], None]) -> None:
        """From now on ``stop`` ends the work early; it is called from another thread, at once where the work
        was to stop already."""
        self._stop = stop
        if self._stopped:
            stop()

    def stop(self) -> None:
        """The work is wanted no more."""
        self._stopped = True
        if self._stop is not None:
            self._stop()


# The process that workers are copies of, and what a worker does.
#
# The template loads what cases need once: code, models, grammars, corpora. Workers are forked
# from it, so they begin within milliseconds and share that memory; the template itself computes
# nothing and has one thread. The page's process sends it the ends of pipes, and is answered by a
# worker over each.

LOG = logging.getLogger(__name__)
# Work of a worker: it yields steps and returns a result, both pickled.
Work = Callable[..., Iterator[Any]]
# After so many cases a worker gives freed memory back.
GIVES_BACK = 20


class WorkFailedError(Exception):
    """An unforeseen error in a worker; its log has the details."""


def be_template(
    control: Connection, given: Sequence[Path], home: Path | None, settings: OperatorSettings
) -> None:
    """Load all, say so over ``control``, and fork a worker for each handle of a pipe that comes over it."""
    # Of signals to end the page's process takes care: where it ends, so do the pipes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Workers that end are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    handler = logging.StreamHandler()
    handler.setFormatter(WithoutContent())
    logging.basicConfig(handlers=[handler])
    logging.getLogger("ui").setLevel(logging.INFO)
    share_arenas()
    compute_alone()
    from tqdm import tqdm

    # Workers run functions of these modules: imported here, all of them share the memory.
    from engine.verbs import answers, passages, questions  # noqa: F401
    from ui.investigate import updates  # noqa: F401
    from ui.server.warming import load
    from ui.shelf import Library

    # Its monitor is a thread, which a fork would leave behind in whatever it was doing.
    tqdm.monitor_interval = 0
    library = Library(given, home, settings)
    # What is loaded here all workers share.
    load(library, to_come=True)
    if threading.active_count() > 1:
        LOG.warning("threads besides the template's own: %s", threading.enumerate()[1:])
    control.send("ready")
    while True:
        try:
            handle = recv_handle(control)
        except (EOFError, OSError):
            return
        if os.fork() == 0:
            control.close()
            _be_worker(Connection(handle), library.opened)
        os.close(handle)


def compute_alone() -> None:
    """One thread of OpenMP and BLAS, whatever the environment says: what a second one was begun for here, a
    fork would wait for without end, since threads are not forked."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    # What is loaded already does not look there again.
    threadpool_limits(1)


def _be_worker(pipe: Connection, opened: Callable[[Path], Any]) -> None:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        gc.freeze()
        pipe.send(os.getpid())
        _serve(pipe, opened)
    except BaseException:
        LOG.exception("a worker ends")
    finally:
        # Nothing of what the template would clear away at its end is the worker's.
        sys.stderr.flush()
        os._exit(0)


def _serve(pipe: Connection, opened: Callable[[Path], Any]) -> None:
    """Do one piece of work after another, until the page's process lets go of the pipe."""
    waiting: queue.SimpleQueue[tuple[int, Work, tuple[Any, ...]]] = queue.SimpleQueue()
    rooms: dict[int, Room] = {}

    def listen() -> None:
        try:
            while True:
                number, work, given = pipe.recv()
                if work is not None:
                    rooms[number] = Room(opened)
                    waiting.put((number, work, given))
                elif number in rooms:
                    rooms[number].stop()
        except (EOFError, OSError):
            os._exit(0)

    threading.Thread(target=listen, name="orders", daemon=True).start()
    done = 0
    while True:
        number, work, given = waiting.get()
        began = time.process_time()
        kind, value = "done", None
        steps = work(rooms[number], *given)
        try:
            while True:
                try:
                    step = next(steps)
                except StopIteration as ended:
                    value = ended.value
                    break
                pipe.send(("step", step, time.process_time() - began))
        except RedstringError as error:
            kind, value = "error", error
        except Exception:
            LOG.exception("a case failed")
            kind, value = "error", WorkFailedError("the engine failed; the log has the details")
        del rooms[number]
        with contextlib.suppress(OSError):
            pipe.send((kind, value, time.process_time() - began, uses()))
        done += 1
        if done % GIVES_BACK == 0:
            give_back()


# Cases on their way from one process to another.
#
# What a case has found goes along; the corpus and its model do not: both processes have them, and
# the corpus must stand in the same state in both.


class StateChangedError(CorpusError):
    """The corpus is in another state than when the value was packed."""


def packed(value: object, corpus: Corpus) -> bytes:
    """A value in which a corpus and its model may stand, as bytes for ``unpacked``."""
    table: dict[type, Callable[[Any], Any]] = {
        **copyreg.dispatch_table,
        MappingProxyType: lambda view: (_view, (dict(view),)),
        threading.Event: lambda event: (threading.Event, ()),
        type(threading.Lock()): lambda lock: (threading.Lock, ()),
        type(corpus): lambda found: (_opened, state_of(found)),
    }
    # The model itself is not loaded for this.
    model = embedder(corpus.embedding) if corpus.embedding != NO_EMBEDDING else None
    if model is not None:
        table[type(model)] = lambda found: (embedder, (found.spec,))
    written = io.BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = table
    pickler.dump(value)
    return written.getvalue()


def unpacked(data: bytes, opened: Callable[[Path], Corpus]) -> Any:
    """The value; ``opened`` gives the corpus of a folder. Raises StateChangedError where that stands in
    another state than where the value was packed, and what ``opened`` raises."""
    return _Unpickler(data, opened).load()


def state_of(corpus: Corpus) -> tuple[Path | None, str]:
    """Return the folder of a corpus and its stamp: rows are the same while both are."""
    return corpus.folder, str(corpus.info().metadata["created"])


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, opened: Callable[[Path], Corpus]) -> None:
        super().__init__(io.BytesIO(data))
        self._open = opened

    def find_class(self, module: str, name: str) -> Any:
        if name == _opened.__name__ and module == __name__:
            return self._opened
        return super().find_class(module, name)

    def _opened(self, folder: Path, created: str) -> Corpus:
        corpus = self._open(folder)
        if state_of(corpus) != (folder, created):
            raise StateChangedError("the corpus has just been changed: ask again")
        return corpus


def _view(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _opened(folder: Path, created: str) -> Corpus:
    raise CorpusError(f"{folder}: a corpus is only unpacked where one is open")
