"""Process untrusted data in child processes that may hang, crash or exhaust memory.

A child that exceeds its time is killed, and one that crashes or exceeds its memory is replaced. The pool
reports its task as failed, with the reason, and continues with the others.
"""

from __future__ import annotations

import gc
import io
import math
import multiprocessing
import os
import pickle
import resource
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Generic, Literal, TypeVar

from engine.errors import CorpusError, RedstringError, ResourceError
from engine.isolation.confining import deny_changes, die_with_parent

Task = TypeVar("Task")
Item = TypeVar("Item")

DEADLINE = 60.0
MEMORY = 1 << 30
# Bytes of sources per child: starting one takes as long as reading about this much.
WORTH_A_CHILD = 1 << 18
# Addresses that a process reserves without using them: arenas and stacks of threads.
_RESERVED = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a task: ``deadline`` in seconds of CPU time, ``memory`` in bytes in addition to the child's
    start.

    Its wall-clock time is limited to ``patience`` times the deadline, so that a busy computer accepts the
    same files and a blocked task ends.
    """

    deadline: float = DEADLINE
    memory: int = MEMORY
    patience: float = 5.0

    @property
    def longest(self) -> float:
        """Maximum wall-clock time of a task in seconds."""
        return self.patience * self.deadline


def children_for(size: int) -> int:
    """Return the number of children for this many bytes: at least 1, at most one per core."""
    return min(os.cpu_count() or 1, 1 + size // WORTH_A_CHILD)


@dataclass(frozen=True, slots=True)
class Produced(Generic[Task, Item]):
    """An item that a task has yielded."""

    task: Task
    item: Item


@dataclass(frozen=True, slots=True)
class Finished(Generic[Task]):
    """The end of a task. ``failure``: the reason, or None. ``seconds``: its duration."""

    task: Task
    failure: str | None
    seconds: float


Event = Produced[Task, Item] | Finished[Task]


@dataclass(slots=True)
class _Child(Generic[Task]):
    process: Any
    pipe: Connection
    task: Task | None = None
    started: float = 0.0
    overdue_at: float = 0.0
    # Start of waiting of its last message; waiting does not count against the child.
    held_since: float | None = None


class WorkerPool(Generic[Task, Item]):
    """Child processes that run ``work``, which yields items for a task.

    The data may be hostile, so a child has no network, writes only below ``writes``, and sends only plain
    values and instances of ``brings``. A context manager: children end with it. A forked child starts
    immediately and shares the memory of this process; a process with threads or connections that a child must
    not inherit uses a ``forkserver``.
    """

    def __init__(
        self,
        work: Callable[[Task], Iterator[Item]],
        size: int,
        limits: Limits,
        *,
        writes: Sequence[Path] = (),
        brings: Sequence[type] = (),
        start: Literal["fork", "forkserver"] = "fork",
    ) -> None:
        self._work, self._size, self._limits = work, size, limits
        self._start: Literal["fork", "forkserver"] = start
        self._scratch = TemporaryDirectory(prefix="redstring-child-")
        self._writes = [self._scratch.name, *(str(folder) for folder in writes)]
        self._brings = {(kind.__module__, kind.__qualname__): kind for kind in brings}
        self._children: list[_Child[Task]] = []

    def __enter__(self) -> WorkerPool[Task, Item]:
        return self

    def __exit__(self, *error: object) -> None:
        for child in self._children:
            _end(child.process)
            child.pipe.close()
        self._children.clear()
        self._scratch.cleanup()

    @property
    def is_free(self) -> bool:
        """True if a task could be started immediately."""
        return len(self._children) < self._size or any(child.task is None for child in self._children)

    @property
    def is_busy(self) -> bool:
        """True if a task is in progress."""
        return any(child.task is not None for child in self._children)

    def start(self, task: Task) -> None:
        """Start a task in a free child."""
        child = next((child for child in self._children if child.task is None), None)
        if child is None:
            child = self._new_child()
        child.task, child.started = task, monotonic()
        child.overdue_at, child.held_since = child.started + self._limits.longest, None
        try:
            child.pipe.send(task)
        except OSError:
            # The child ended while idle; another child gets the task.
            self._dismiss(child)
            self.start(task)

    def pipes(self) -> list[Connection]:
        """Return the pipes that signal the next events."""
        return [child.pipe for child in self._children if child.task is not None]

    def hold(self) -> None:
        """Pause: the next events will not be read yet, and the time of the children stops."""
        now = monotonic()
        for child in self._children:
            if child.task is not None and child.held_since is None:
                child.held_since = now

    def events(self) -> Iterator[Event[Task, Item]]:
        """Yield the events so far, including timeouts, without waiting.

        Raises ResourceError or CorpusError if a child could not write its output.
        """
        now = monotonic()
        for child in [child for child in self._children if child.task is not None]:
            if child.held_since is not None:
                child.overdue_at += now - child.held_since
                child.started += now - child.held_since
                child.held_since = None
            if child.pipe.poll():
                yield self._received(child)
            elif now > child.overdue_at:
                yield self._failed(child, f"stopped: it took longer than {self._limits.longest:g} seconds")

    def seconds_left(self) -> float:
        """Return the seconds until the next timeout; infinite if no task is in progress."""
        ends = [child.overdue_at for child in self._children if child.task is not None]
        return max(0.0, min(ends, default=math.inf) - monotonic())

    def _received(self, child: _Child[Task]) -> Event[Task, Item]:
        assert child.task is not None
        try:
            kind, content = _Received(io.BytesIO(child.pipe.recv_bytes()), self._brings).load()
        except (EOFError, OSError):
            child.process.join()
            if child.process.exitcode == -signal.SIGPROF:
                reason = f"stopped: it took longer than {self._limits.deadline:g} seconds of the processor"
                return self._failed(child, reason)
            return self._failed(child, _reason_of(child.process.exitcode))
        except (pickle.UnpicklingError, TypeError, ValueError):
            return self._failed(child, "crashed: the reading process brought what it may not")
        if kind in _UNWRITABLE:
            self._dismiss(child)
            raise _UNWRITABLE[kind](str(content))
        if kind == "item":
            return Produced(child.task, content)
        if kind == "failed":
            return self._failed(child, content)
        finished: Finished[Task] = Finished(child.task, None, monotonic() - child.started)
        child.task = None
        return finished

    def _failed(self, child: _Child[Task], reason: str) -> Finished[Task]:
        assert child.task is not None
        finished: Finished[Task] = Finished(child.task, reason, monotonic() - child.started)
        self._dismiss(child)
        return finished

    def _dismiss(self, child: _Child[Task]) -> None:
        _end(child.process)
        child.pipe.close()
        self._children.remove(child)

    def _new_child(self) -> _Child[Task]:
        context: Any = multiprocessing.get_context(self._start)
        ours, theirs = context.Pipe()
        others = [ours, *(child.pipe for child in self._children)] if self._start == "fork" else None
        arguments = (self._work, theirs, others, self._limits, self._writes)
        process = context.Process(target=_serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        child: _Child[Task] = _Child(process, ours)
        self._children.append(child)
        return child


class _Received(pickle.Unpickler):
    """Unpickles a message of a child; only permitted classes may be named."""

    def __init__(self, content: io.BytesIO, known: Mapping[tuple[str, str], type]) -> None:
        super().__init__(content)
        self._known = known

    def find_class(self, module_name: str, global_name: str) -> type:
        """Return a permitted class. Raises UnpicklingError for anything else."""
        if (module_name, global_name) not in self._known:
            raise pickle.UnpicklingError(f"{module_name}.{global_name}")
        return self._known[module_name, global_name]


# Reported by name: a child may not send exceptions.
_UNWRITABLE: dict[str, type[RedstringError]] = {kind.__name__: kind for kind in (ResourceError, CorpusError)}


def _serve(
    work: Callable[[Any], Iterator[Any]],
    pipe: Connection,
    others: Sequence[Connection] | None,
    limits: Limits,
    writes: Sequence[str],
) -> None:
    """Work on one task after the other until the parent ends.

    Closes the connections ``others``; if None, all files except the standard streams and ``pipe``.
    """
    for other in others or ():
        other.close()
    if others is None:
        # A fork server ends, and its children with it, when no other process has its pipe.
        os.closerange(3, pipe.fileno())
        os.closerange(pipe.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    _limit_memory(limits.memory)
    # The first folder is for temporary files of libraries.
    tempfile.tempdir = writes[0]
    deny_changes(writes)
    # Many objects and few cycles; objects from before the fork are not scanned, which would copy their pages.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    parent = os.getppid()
    while os.getppid() == parent:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        # The kernel ends a process that exceeds its CPU time (POSIX ``setitimer``).
        signal.setitimer(signal.ITIMER_PROF, limits.deadline)
        try:
            for item in work(task):
                pipe.send(("item", item))
            pipe.send(("done", None))
        except MemoryError:
            _send_failure(pipe, f"stopped: it needs more than {limits.memory >> 20} MiB of memory")
            return
        # If writing fails, other tasks would fail as well, and their output would be lost.
        except (ResourceError, CorpusError) as error:
            _send(pipe, (type(error).__name__, str(error)))
            return
        except RecursionError:
            _send_failure(pipe, "stopped: it is nested too deeply")
            return
        except BrokenPipeError:
            return
        # An error of a reader concerns one file only.
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            OSError,
        ) as error:
            _send_failure(pipe, f"failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}")
            return


def _send_failure(pipe: Connection, reason: str) -> None:
    _send(pipe, ("failed", reason))


def _send(pipe: Connection, message: tuple[str, object]) -> None:
    try:
        pipe.send(message)
    except OSError:
        return


def _limit_memory(memory: int) -> None:
    """Limit the memory that the process may add."""
    limit = _address_space() + memory
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _address_space() -> int:
    """Return the bytes of addresses in use."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        # If confined, /proc is hidden: use an upper estimate.
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) + _RESERVED
    return pages * os.sysconf("SC_PAGE_SIZE")


def _end(process: Any) -> None:
    process.kill()
    process.join()


def _reason_of(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"crashed: the reading process was ended by {name}"
    return f"crashed: the reading process ended with code {code}"
