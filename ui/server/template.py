"""The template process that workers are forked from, and serialization between processes."""

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

# Processor time of a thread, including what workers have computed for it.

_ELSEWHERE = threading.local()


def used() -> float:
    """Return the processor time of this thread and of the workers that computed for it, s."""
    return time.thread_time() + float(getattr(_ELSEWHERE, "seconds", 0.0))


def used_elsewhere(seconds: float) -> None:
    """Add processor time that another process has used for this thread."""
    _ELSEWHERE.seconds = float(getattr(_ELSEWHERE, "seconds", 0.0)) + seconds


# The context of a task: the open corpora, and whether it was cancelled.


class Room:
    """The context of a task. ``opened`` returns the corpus of a folder in its current state."""

    def __init__(self, opened: Callable[[Path], Corpus]) -> None:
        self.opened = opened
        self._stop: Callable[[], None] | None = None
        self._stopped = False

    def stoppable(self, stop: Callable[[], None]) -> None:
        """Register a function that ends the task early.

        It is called from another thread, or at once if the task was already cancelled.
        """
        self._stop = stop
        if self._stopped:
            stop()

    def stop(self) -> None:
        """Cancel the task."""
        self._stopped = True
        if self._stop is not None:
            self._stop()


# The process that workers are forked from, and the loop of a worker.
#
# The template loads once what cases need: code, models, grammars, corpora. Forked workers start within
# milliseconds and share that memory. The template itself computes nothing and has one thread. The page's
# process sends it pipe handles, and a worker answers on each pipe.

LOG = logging.getLogger(__name__)
# A task of a worker: it yields steps and returns a result, both pickled.
Work = Callable[..., Iterator[Any]]
# A worker frees unused memory after this number of cases.
GIVES_BACK = 20


class WorkFailedError(Exception):
    """An unexpected error in a worker; its log has the details."""


def be_template(
    control: Connection, given: Sequence[Path], home: Path | None, settings: OperatorSettings
) -> None:
    """Load everything, report it over ``control``, and fork a worker for each pipe handle that arrives."""
    # The page's process handles termination signals. When it ends, the pipes close.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Let the system reap workers that end.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    handler = logging.StreamHandler()
    handler.setFormatter(WithoutContent())
    logging.basicConfig(handlers=[handler])
    logging.getLogger("ui").setLevel(logging.INFO)
    share_arenas()
    compute_alone()
    from tqdm import tqdm

    # Workers run functions of these modules; importing them here shares their memory.
    from engine.verbs import answers, passages, questions  # noqa: F401
    from ui.investigate import updates  # noqa: F401
    from ui.server.warming import load
    from ui.shelf import Library

    # The monitor of tqdm is a thread; a fork could copy it in an inconsistent state.
    tqdm.monitor_interval = 0
    library = Library(given, home, settings)
    # All workers share what is loaded here.
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
    """Limit OpenMP and BLAS to one thread, whatever the environment sets.

    Threads are not forked: a worker would wait forever for a thread that was started in the template.
    """
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    # Libraries that are already loaded do not read the environment again.
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
        # The worker must not run the template's exit handlers.
        sys.stderr.flush()
        os._exit(0)


def _serve(pipe: Connection, opened: Callable[[Path], Any]) -> None:
    """Run one task after another until the page's process closes the pipe."""
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


# Serialization of cases between processes.
#
# The findings of a case are sent, but the corpus and its model are not. Both processes have them, and the
# corpus must be in the same state in both.


class StateChangedError(CorpusError):
    """The corpus is in another state than when the value was packed."""


def packed(value: object, corpus: Corpus) -> bytes:
    """Serialize a value that may refer to a corpus and its model, as bytes for ``unpacked``."""
    table: dict[type, Callable[[Any], Any]] = {
        **copyreg.dispatch_table,
        MappingProxyType: lambda view: (_view, (dict(view),)),
        threading.Event: lambda event: (threading.Event, ()),
        type(threading.Lock()): lambda lock: (threading.Lock, ()),
        type(corpus): lambda found: (_opened, state_of(found)),
    }
    # This does not load the model itself.
    model = embedder(corpus.embedding) if corpus.embedding != NO_EMBEDDING else None
    if model is not None:
        table[type(model)] = lambda found: (embedder, (found.spec,))
    written = io.BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = table
    pickler.dump(value)
    return written.getvalue()


def unpacked(data: bytes, opened: Callable[[Path], Corpus]) -> Any:
    """Deserialize a value. ``opened`` returns the corpus of a folder.

    Raises StateChangedError if the corpus is in another state than when the value was packed, and what
    ``opened`` raises.
    """
    return _Unpickler(data, opened).load()


def state_of(corpus: Corpus) -> tuple[Path | None, str]:
    """Return the folder of a corpus and its stamp. If both are equal, so are the rows."""
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
