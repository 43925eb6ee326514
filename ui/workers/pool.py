"""The pool of worker processes: and the line of cases that wait for one."""

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
from ui.workers.template import Room, StateChangedError, Work, be_template, packed, unpacked, used_elsewhere

# Who is served next: places for all visitors, shared fairly between those who wait for one.
#
# Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996), every case counting the same: a
# case is due one case after its visitor's last one, or now. Ten cases of one visitor come after
# the first of another who asks later, and nobody waits for ever.

Place = TypeVar("Place")


class Ticket(Generic[Place]):
    """A visitor's claim to a place. ``place`` is None until it is served, and where the line was closed."""

    def __init__(self, visitor: str, due: float, number: int) -> None:
        self.visitor, self.due, self.number = visitor, due, number
        self.place: Place | None = None
        self.called = threading.Event()

    @property
    def order(self) -> tuple[float, int]:
        """What is lowest is served first."""
        return self.due, self.number


class Line(Generic[Place]):
    """Free places and those who wait for one, at most ``longest`` of them. Safe for several threads."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._free: list[Place] = []
        self._waiting: list[Ticket[Place]] = []
        # When the next case of a visitor is due; that of whoever is not behind need not be known.
        self._next_due: dict[str, float] = {}
        self._now, self._number, self._closed = 0.0, 0, False
        self._lock = threading.Lock()
        self.taken = self.served = self.refused = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def free(self) -> int:
        """Places that nobody has."""
        return len(self._free)

    def join(self, visitor: str) -> Ticket[Place]:
        """Take a ticket, which may be served at once. Raises ResourceError where too many wait."""
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
        """How many are served before a ticket that waits, as things stand."""
        with self._lock:
            return sum(other.order < ticket.order for other in self._waiting)

    def add(self, place: Place) -> None:
        """There is one place more."""
        with self._lock:
            self._free.append(place)
            self._serve()

    def give_back(self, place: Place | None) -> None:
        """A place that a ticket had is free; None: it is there no more."""
        with self._lock:
            self.taken -= 1
        if place is not None:
            self.add(place)

    def leave(self, ticket: Ticket[Place]) -> None:
        """Wait no more. A place that was given meanwhile is free for others."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
            place, ticket.place = ticket.place, None
        if place is not None:
            self.give_back(place)

    def close(self) -> None:
        """There will be no place any more: whoever waits, or comes, is called without one."""
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


# Cases side by side: each in a worker, a process of its own, or in the page's own where there are
# none.
#
# Whoever asks waits in a fair line for a place. Work that no other process can do (with a
# language model, whose key and quota are in this one's memory) has places of its own here.

LOG = logging.getLogger(__name__)
Value = TypeVar("Value")
LONGEST_LINE = 64
# In one process more cases at once than cores only make one another slow.
HERE_AT_ONCE = max(2, os.cpu_count() or 1)
# How often whoever waits is told how many are before them, and how often a case is looked at whether it is
# still wanted, s.
TOLD_EVERY, LOOKED_EVERY = 1.0, 0.1
# So long a worker may take to let go of a case that nobody wants, and to be forked, s.
ENDS_SECONDS, FORK_SECONDS = 10.0, 20.0


# A template that ends is begun again so often; then something is wrong that does not pass by itself.
MOST_TEMPLATES = 5


class WorkerLostError(RedstringError):
    """A worker has ended in the middle of a case."""


class Worker:
    """One worker, as the page's process sees it. It does one piece of work at a time."""

    def __init__(self, pipe: Connection, pid: int) -> None:
        self.pid, self.process = pid, psutil.Process(pid)
        self.alive, self._busy = True, False
        # How its caches were used up to its last case.
        self.uses: tuple[Use, ...] = ()
        self._pipe, self._number = pipe, 0

    @property
    def is_there(self) -> bool:
        """Whether it waits for work: one that computes nothing tells nothing but its end."""
        return self.alive and not self._busy and not self._pipe.poll()

    def run(
        self, work: Work, given: tuple[Any, ...], stopped: Callable[[], bool]
    ) -> Generator[Any, None, Any]:
        """Have a piece of work done: yields its steps, returns its result; ``stopped``: it is to end early.

        Raises WorkerLostError where the worker ends meanwhile, and the RedstringError that the work raises.
        """
        self._number += 1
        self._busy, told, paid = True, False, 0.0
        try:
            self._pipe.send((self._number, work, given))
            while True:
                if not told and stopped():
                    told = self._stop()
                if not self._pipe.poll(LOOKED_EVERY if not told else None):
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
        """Have it leave work whose steps nobody reads any more; one that does not do so in time is ended."""
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
        """Let go of the pipe: a worker that computes nothing ends by that, and one that does at once."""
        self.alive = False
        self._pipe.close()


class Workers:
    """The places for cases. Without ``start`` all of them are in this process."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.here: Line[str] = Line(longest)
        for _ in range(HERE_AT_ONCE):
            self.here.add("here")
        self.there: Line[Worker] = Line(longest)
        self.wanted, self.lost, self.seconds = 0, 0, 0.0
        self._template: Any = None
        self._templates = 0
        self._starting: threading.Thread | None = None
        self._made_of: tuple[tuple[Path, ...], Path | None, OperatorSettings] | None = None
        self._control: Connection | None = None
        self._all: list[Worker] = []
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Workers], tuple[()]]:
        # In another process there are no workers of this one.
        return Workers, ()

    @property
    def ready(self) -> bool:
        """Whether a case that comes now need not wait for the workers to begin."""
        return not self.wanted or bool(self.pids)

    @property
    def pids(self) -> list[int]:
        """The processes that work now."""
        return [worker.pid for worker in self._all if worker.alive]

    @property
    def uses(self) -> list[Use]:
        """How the caches of all processes were used, those of one name together."""
        every = [*uses(), *(use for worker in self._all if worker.alive for use in worker.uses)]
        return sum_by_name(every)

    def start(
        self, wanted: int, given: Sequence[Path], home: Path | None, settings: OperatorSettings
    ) -> threading.Thread | None:
        """Begin so many workers over the corpora of a library, on a thread, which is returned; cases wait for
        them. Where they cannot be started, which the log tells, cases run in this process."""
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

    def done(
        self, visitor: str, function: Callable[[Case], Value], case: Case, *, here: bool = False
    ) -> Value:
        """What a function makes of a case in its turn, in a worker where there are any, unless ``here``.

        Raises what the function raises, ResourceError where too many wait, CancelledError where the case is
        cancelled while it waits, WorkerLostError.
        """
        here = here or case.corpus.folder is None
        ticket = _ended(self.waited(visitor, lambda: case.is_cancelled, here=here))
        with self.place(ticket) as worker:
            if worker is None:
                return function(case)
            data = packed((case, function), case.corpus)
            try:
                value: Value = _ended(worker.run(_whole, (data,), lambda: case.is_cancelled))
            except StateChangedError:
                # Its corpus has a new state meanwhile: the one that it began on is open here alone.
                return function(case)
            return value

    @contextmanager
    def place(self, ticket: Ticket[Any]) -> Iterator[Worker | None]:
        """Hold the place of a ticket that was called: a worker, or None for this process. A new worker takes
        the place of one that has ended."""
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
                # Whoever asked has left, maybe on the thread that serves everybody.
                threading.Thread(target=self._recover, args=(place,), name="recovery", daemon=True).start()

    def waited(
        self, visitor: str, stopped: Callable[[], bool] = bool, *, here: bool = False
    ) -> Generator[int, None, Ticket[Any]]:
        """Wait in line for a place: yields again and again how many are before, returns the ticket.

        ``here``: in this process. Raises ResourceError where too many wait, CancelledError once ``stopped``.
        """
        line: Line[Any] = self.here if here or not self.wanted else self.there
        ticket = line.join(visitor)
        told = 0.0
        try:
            while not ticket.called.wait(LOOKED_EVERY if told else 0.0):
                if stopped():
                    raise CancelledError("cancelled before its turn came")
                if time.monotonic() - told >= TOLD_EVERY:
                    yield line.ahead(ticket)
                    told = time.monotonic()
        except BaseException:
            line.leave(ticket)
            raise
        if ticket.place is None:
            # There are no workers any more.
            return (yield from self.waited(visitor, stopped, here=True))
        if isinstance(ticket.place, Worker) and not ticket.place.is_there:
            self._replace(ticket.place)
            return (yield from self.waited(visitor, stopped))
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
        """One worker more. Raises OSError, EOFError where the template gives none."""
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
        """Get a place back whose worker works on for nobody, or has ended."""
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
            # That of this worker alone, not whoever has its number now.
            ended.process.kill()
        try:
            self._fork()
            LOG.info("worker %d is replaced", ended.pid)
        except (EOFError, OSError) as error:
            if not self._begun_again() and not self.pids:
                self._give_up(error)

    def _begun_again(self) -> bool:
        """Whether workers come from a new template: the last one has ended, or forks no more."""
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
    """What comes of steps that nobody wants to see."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            value: Value = ended.value
            return value


def _whole(room: Room, data: bytes) -> Generator[None, None, Any]:
    """In a worker: what a function makes of a case."""
    case, function = unpacked(data, room.opened)
    room.stoppable(case.cancel)
    yield from ()
    return function(case)
