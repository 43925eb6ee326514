"""The pool of worker processes, and the fair queue of cases that wait for one."""

from __future__ import annotations

import logging
import multiprocessing
import os
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any, Generic, TypeVar

import psutil

from engine.caching import Use, sum_by_name, uses
from engine.errors import CancelledError, RedstringError, ResourceError
from engine.investigation import Case
from engine.operator_settings import OperatorSettings
from ui.server.template import Room, StateChangedError, Work, be_template, packed, unpacked, used_elsewhere

# A fair queue for worker slots.
#
# Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with equal cost for every case: a case is due
# one case after its visitor's previous one, or now. Ten cases of one visitor come after the first case of a
# later visitor, and every visitor is served in the end.

Place = TypeVar("Place")


class Ticket(Generic[Place]):
    """A visitor's request for a place. ``place`` is None until it is served, or if the queue was closed."""

    def __init__(self, visitor: str, due: float, number: int) -> None:
        self.visitor, self.due, self.number = visitor, due, number
        self.place: Place | None = None
        self.called = threading.Event()

    @property
    def order(self) -> tuple[float, int]:
        """Sort key: the lowest is served first."""
        return self.due, self.number


class FairQueue(Generic[Place]):
    """Free places, and at most ``longest`` waiting tickets. Thread-safe."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._free: list[Place] = []
        self._waiting: list[Ticket[Place]] = []
        # When the next case of a visitor is due, if later than now.
        self._next_due: dict[str, float] = {}
        self._now, self._number, self._closed = 0.0, 0, False
        self._lock = threading.Lock()
        self.taken = self.served = self.refused = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def free(self) -> int:
        """Number of free places."""
        return len(self._free)

    def join(self, visitor: str) -> Ticket[Place]:
        """Take a ticket, which may be served at once. Raises ResourceError if too many are waiting."""
        with self._lock:
            if len(self._waiting) >= self._longest:
                self.refused += 1
                raise ResourceError(
                    f"{len(self._waiting)} cases wait for their turn already; ask again in a moment"
                )
            self._number += 1
            ticket = Ticket[Place](visitor, max(self._now, self._next_due.get(visitor, 0.0)), self._number)
            self._next_due[visitor] = ticket.due + 1
            self._waiting.append(ticket)
            self._serve()
        return ticket

    def ahead(self, ticket: Ticket[Place]) -> int:
        """Return the number of tickets before a waiting one."""
        with self._lock:
            return sum(other.order < ticket.order for other in self._waiting)

    def add(self, place: Place) -> None:
        """Add a place."""
        with self._lock:
            self._free.append(place)
            self._serve()

    def give_back(self, place: Place | None) -> None:
        """Return the place of a ticket; None if the place no longer exists."""
        with self._lock:
            self.taken -= 1
        if place is not None:
            self.add(place)

    def leave(self, ticket: Ticket[Place]) -> None:
        """Cancel a ticket. If it has just been served, its place is free again."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
            place, ticket.place = ticket.place, None
        if place is not None:
            self.give_back(place)

    def close(self) -> None:
        """Close the queue: waiting and new tickets are called without a place."""
        with self._lock:
            self._closed = True
            self._serve()

    def _serve(self) -> None:
        while self._waiting and (self._free or self._closed):
            ticket = min(self._waiting, key=lambda one: one.order)
            self._waiting.remove(ticket)
            self._now = max(self._now, ticket.due)
            self._next_due = {name: due for name, due in self._next_due.items() if due > self._now}
            ticket.place = None if self._closed else self._free.pop()
            self.served += 1
            self.taken += not self._closed
            ticket.called.set()


# Cases in parallel: each in a worker process, or in this process if there are no workers.
#
# Work with a language model runs in this process, which holds the key and the quota in memory. It has slots
# of its own.

LOG = logging.getLogger(__name__)
Value = TypeVar("Value")
LONGEST_LINE = 64
# In a single process, more cases than cores only slow each other down.
HERE_AT_ONCE = max(2, os.cpu_count() or 1)
# Intervals of reports of the position in the queue, and of checks for cancellation, s.
REPORT_EVERY, CHECK_EVERY = 1.0, 0.1
# Timeouts for cancelling a case and for forking a worker, s.
ENDS_SECONDS, FORK_SECONDS = 10.0, 20.0


# Limit of restarts of the template. After that, another restart would not help.
MOST_TEMPLATES = 5


class WorkerLostError(RedstringError):
    """A worker ended in the middle of a case."""


class Worker:
    """A worker process, seen from this process. It runs one task at a time."""

    def __init__(self, pipe: Connection, pid: int) -> None:
        self.pid, self.process = pid, psutil.Process(pid)
        self.alive, self._busy = True, False
        # Cache statistics up to its last case.
        self.uses: tuple[Use, ...] = ()
        self._pipe, self._number = pipe, 0

    @property
    def is_there(self) -> bool:
        """Return whether it is alive and idle. Data from an idle worker means that it has ended."""
        return self.alive and not self._busy and not self._pipe.poll()

    def run(
        self, work: Work, given: tuple[Any, ...], stopped: Callable[[], bool]
    ) -> Generator[Any, None, Any]:
        """Run a task: yields its steps, returns its result. ``stopped`` returns whether it was cancelled.

        Raises WorkerLostError if the worker ends first, and the RedstringError that the task raises.
        """
        self._number += 1
        self._busy, is_stopped, paid = True, False, 0.0
        try:
            self._pipe.send((self._number, work, given))
            while True:
                if not is_stopped and stopped():
                    is_stopped = self._stop()
                if not self._pipe.poll(CHECK_EVERY if not is_stopped else None):
                    continue
                kind, value, seconds, *uses = self._pipe.recv()
                used_elsewhere(seconds - paid)
                paid = seconds
                if kind == "step":
                    yield value
                    continue
                self._busy, self.uses = False, tuple(uses[0])
                if kind == "error":
                    raise value
                return value
        except (EOFError, OSError) as error:
            self.end()
            LOG.warning("worker %d ended in the middle of a case", self.pid)
            raise WorkerLostError("the process that worked on this case has ended: ask again") from error

    def _stop(self) -> bool:
        self._pipe.send((self._number, None, ()))
        return True

    def let_go(self) -> None:
        """Cancel a task whose steps are no longer read; kill the worker if it does not stop in time."""
        until = time.monotonic() + ENDS_SECONDS
        try:
            if self.alive and self._busy:
                self._stop()
            while self.alive and self._busy:
                if not self._pipe.poll(max(0.0, until - time.monotonic())):
                    self.end()
                    return
                self._busy = self._pipe.recv()[0] == "step"
        except (EOFError, OSError):
            self.end()

    def end(self) -> None:
        """Close the pipe; the worker then ends."""
        self.alive = False
        self._pipe.close()


class Workers:
    """The slots for cases. Before ``start`` all of them are in this process."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.here: FairQueue[str] = FairQueue(longest)
        for _ in range(HERE_AT_ONCE):
            self.here.add("here")
        self.there: FairQueue[Worker] = FairQueue(longest)
        self.wanted, self.lost, self.seconds = 0, 0, 0.0
        self._template: Any = None
        self._templates = 0
        self._starting: threading.Thread | None = None
        self._made_of: tuple[tuple[Path, ...], Path | None, OperatorSettings] | None = None
        self._control: Connection | None = None
        self._all: list[Worker] = []
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Workers], tuple[()]]:
        # A forked process does not have this one's workers.
        return Workers, ()

    @property
    def ready(self) -> bool:
        """Return whether the workers have started, or none are configured."""
        return not self.wanted or bool(self.pids)

    @property
    def pids(self) -> list[int]:
        """Return the process ids of the live workers."""
        return [worker.pid for worker in self._all if worker.alive]

    @property
    def uses(self) -> list[Use]:
        """Return the cache statistics of all processes, summed by name."""
        every = [*uses(), *(use for worker in self._all if worker.alive for use in worker.uses)]
        return sum_by_name(every)

    def start(
        self, wanted: int, given: Sequence[Path], home: Path | None, settings: OperatorSettings
    ) -> threading.Thread | None:
        """Start workers for the corpora of a library on a thread, which is returned; cases wait for them.

        If they cannot be started, cases run in this process, and the log has a warning.
        """
        if wanted < 1:
            return None
        self.wanted = wanted
        self._made_of = (tuple(given), home, settings)
        self._starting = self._start_template()
        return self._starting

    def stop(self) -> None:
        """End all workers."""
        self.wanted = 0
        self.there.close()
        if self._control is not None:
            self._control.close()
        for worker in self._all:
            worker.end()
        if self._template is not None:
            self._template.join(ENDS_SECONDS)

    def run_function(
        self, visitor: str, function: Callable[[Case], Value], case: Case, *, here: bool = False
    ) -> Value:
        """Return the result of a function of a case, computed in a worker unless ``here`` or there is none.

        Raises what the function raises, ResourceError if too many are waiting, CancelledError if the case is
        cancelled while it waits, WorkerLostError.
        """
        here = here or case.corpus.folder is None
        ticket = _ended(self.wait(visitor, lambda: case.is_cancelled, here=here))
        with self.place(ticket) as worker:
            if worker is None:
                return function(case)
            data = packed((case, function), case.corpus)
            try:
                value: Value = _ended(worker.run(_run_function, (data,), lambda: case.is_cancelled))
            except StateChangedError:
                # The corpus has changed since: only this process still has the old state open.
                return function(case)
            return value

    @contextmanager
    def place(self, ticket: Ticket[Any]) -> Iterator[Worker | None]:
        """Hold the place of a served ticket: a worker, or None for this process.

        Replaces a worker that has ended.
        """
        place, began = ticket.place, time.monotonic()
        try:
            yield place if isinstance(place, Worker) else None
        finally:
            self.seconds += time.monotonic() - began
            if not isinstance(place, Worker):
                self.here.give_back(place)
            elif place.is_there:
                self.there.give_back(place)
            else:
                # The caller has left, possibly on the event loop's thread, which must not block.
                threading.Thread(target=self._recover, args=(place,), name="recovery", daemon=True).start()

    def wait(
        self, visitor: str, stopped: Callable[[], bool] = bool, *, here: bool = False
    ) -> Generator[int, None, Ticket[Any]]:
        """Wait for a place: yields the number of tickets before this one, returns the served ticket.

        ``here``: in this process. Raises ResourceError if too many are waiting, CancelledError once
        ``stopped``.
        """
        line: FairQueue[Any] = self.here if here or not self.wanted else self.there
        ticket = line.join(visitor)
        reported = 0.0
        try:
            while not ticket.called.wait(CHECK_EVERY if reported else 0.0):
                if stopped():
                    raise CancelledError("cancelled before its turn came")
                if time.monotonic() - reported >= REPORT_EVERY:
                    yield line.ahead(ticket)
                    reported = time.monotonic()
        except BaseException:
            line.leave(ticket)
            raise
        if ticket.place is None:
            # All workers were stopped.
            return (yield from self.wait(visitor, stopped, here=True))
        if isinstance(ticket.place, Worker) and not ticket.place.is_there:
            self._replace(ticket.place)
            return (yield from self.wait(visitor, stopped))
        return ticket

    def _start_template(self) -> threading.Thread | None:
        given = self._made_of
        assert given is not None
        context = multiprocessing.get_context("spawn")
        self._control, other = context.Pipe()
        self._template = context.Process(
            target=be_template, args=(other, *given), name="template", daemon=True
        )
        try:
            self._template.start()
        except OSError as error:
            self._give_up(error)
            return None
        other.close()
        starting = threading.Thread(target=self._begin, name="workers", daemon=True)
        starting.start()
        return starting

    def _begin(self) -> None:
        try:
            assert self._control is not None
            self._control.recv()
            while len(self.pids) < self.wanted:
                self._fork()
        except (EOFError, OSError) as error:
            self._give_up(error)
            return
        LOG.info("%d workers, one case at a time each", self.wanted)

    def _fork(self) -> None:
        """Fork a worker. Raises OSError or EOFError if the template fails."""
        assert self._control is not None
        ours, theirs = socket.socketpair()
        pipe = Connection(ours.detach())
        with theirs, self._lock:
            send_handle(self._control, theirs.fileno(), self._template.pid)
        if not pipe.poll(FORK_SECONDS):
            raise OSError("no worker came")
        try:
            worker = Worker(pipe, pipe.recv())
        except psutil.NoSuchProcess as error:
            raise OSError("a worker ended at once") from error
        self._all = [*(one for one in self._all if one.alive), worker]
        self.there.add(worker)

    def _recover(self, worker: Worker) -> None:
        """Recover the place of a worker that runs cancelled work, or has ended."""
        worker.let_go()
        if worker.is_there:
            self.there.give_back(worker)
        else:
            self._replace(worker)

    def _replace(self, ended: Worker) -> None:
        self.there.give_back(None)
        self.lost += 1
        ended.end()
        with suppress(psutil.NoSuchProcess):
            # Kill only this worker's process, not a new one with the same id.
            ended.process.kill()
        try:
            self._fork()
            LOG.info("worker %d is replaced", ended.pid)
        except (EOFError, OSError) as error:
            if not self._restart_template() and not self.pids:
                self._give_up(error)

    def _restart_template(self) -> bool:
        """Start a new template after the last one has failed; returns whether that succeeded."""
        with self._lock:
            if self._starting is not None and self._starting.is_alive():
                return True
            if not self.wanted or self._templates >= MOST_TEMPLATES:
                return False
            LOG.warning("the process that workers are forked from has ended, and is begun again")
            self._templates += 1
            self._template.kill()
            self._starting = self._start_template()
            return self._starting is not None

    def _give_up(self, error: Exception) -> None:
        LOG.warning("no workers, cases run in the page's process: %s", str(error) or type(error).__name__)
        self.wanted = 0
        self.there.close()


def _ended(steps: Generator[Any, None, Value]) -> Value:
    """Drain the remaining steps and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            value: Value = ended.value
            return value


def _run_function(room: Room, data: bytes) -> Generator[None, None, Any]:
    """In a worker: return the result of a function of a case."""
    case, function = unpacked(data, room.opened)
    room.stoppable(case.cancel)
    yield from ()
    return function(case)
