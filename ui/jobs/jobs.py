"""Jobs of visitors: their folders, their states, their order."""

from __future__ import annotations

import atexit
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Condition, Event, Lock, Thread, Timer
from typing import Generic, TypeVar

from engine.errors import CancelledError, InputError, RedstringError, for_visitors

# Corpora that are being changed: by one job at a time, of whatever kind.


class Folders:
    """The folders that are being changed on this server. Thread-safe."""

    def __init__(self) -> None:
        self._taken: set[Path] = set()
        self._lock = Lock()

    def take(self, folder: Path, name: str) -> None:
        """Lock a folder. Raises InputError if it is locked; ``name`` is its name for visitors."""
        with self._lock:
            if folder in self._taken:
                raise InputError(f"{name!r} is being changed; wait until that is done")
            self._taken.add(folder)

    def give_back(self, folder: Path) -> None:
        """Let others change it."""
        with self._lock:
            self._taken.discard(folder)

    @contextmanager
    def taken(self, folder: Path, name: str) -> Iterator[None]:
        """Lock a folder within a context. Raises InputError if it is locked."""
        self.take(folder, name)
        try:
            yield
        finally:
            self.give_back(folder)


# One piece of ordered work: whose it is, how far it is, how it ended.

Payload = TypeVar("Payload")
UNEXPLAINED = "the {} ended without a word; the server's log has the details"


class State(StrEnum):
    """The state of a job. ``STOPPED``: ended before its end, with something left to do later."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who has ordered something. Visitors are told apart by a token that they make themselves, so turns
    are shared between the addresses that they come from, too; "" where it is not known."""

    visitor: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How work has ended that was neither cancelled nor failed. ``WAITING``: its turn is over, and it wants
    another."""

    state: State = State.DONE
    message: str = ""


@dataclass(slots=True)
class Job(Generic[Payload]):
    """``payload`` is what the work is about and what has come of it; ``folder`` the corpus that it changes.

    ``step``, ``done`` and ``total`` tell how far it is. Only ``Jobs`` changes ``state``.
    """

    id: str
    owner: Owner
    payload: Payload
    name: str = ""
    folder: Path | None = None
    state: State = State.WAITING
    step: str = ""
    done: int = 0
    total: int = 0
    message: str = ""
    turn: int = 0
    finished: float | None = None
    # Set to end the job: by the visitor, its deadline, the end of the server.
    stop: Event = field(default_factory=Event)
    overdue: str = ""
    # It is near its end: the deadline counts no more.
    unhurried: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state not in (State.WAITING, State.RUNNING)

    def tell(self, step: str, done: int, total: int) -> None:
        """Say how far the work is. Raises CancelledError once it is to end."""
        self.step, self.done, self.total = step, done, total
        if self.stop.is_set():
            raise CancelledError(self.overdue or "cancelled")


# All jobs of one kind: who waits, who runs, whose turn is next, what is forgotten.

# As the server ends, jobs have so long to leave everything as it was, s.
LAST_MOMENTS = 5.0
# Jobs that are over and remembered: what came of one may be megabytes.
MOST_OVER = 50


@dataclass(frozen=True, slots=True)
class Rules:
    """How much of a kind of work there may be. ``noun`` names one job of it.

    ``running`` at the same time, ``waiting`` for their turn, ``seconds`` for one at most (0: no end);
    ended jobs are remembered for ``remembered`` seconds, so that a page that comes back hears of them, unless
    many others have ended since. ``of_visitor``: how many jobs one visitor may have, running and waiting.
    """

    noun: str
    running: int
    waiting: int
    seconds: float = 0.0
    remembered: float = 1800.0
    of_visitor: int = 1

    @property
    def by_address(self) -> int:
        """Limit of running and waiting jobs of one address: others always find a place."""
        return max(1, (self.running + self.waiting) // 2)


class Jobs(Generic[Payload]):
    """Jobs of one kind, each on a thread of its own once its turn has come. Safe for several threads.

    Turns go to the address that has the fewest jobs running, then to the one that was served least
    recently, then likewise to its visitors; a visitor has one job at a time, unless the rules say more.
    """

    def __init__(self, rules: Rules, folders: Folders | None = None) -> None:
        self.rules = rules
        self._folders = folders or Folders()
        self._jobs: dict[str, Job[Payload]] = {}
        self._work: dict[str, tuple[Callable[[Job[Payload]], Ended | None], Callable[[], None] | None]] = {}
        self._change = Condition()
        self._turns = 0
        self._ending = False
        atexit.register(self.end_all)

    def start(
        self,
        owner: Owner,
        payload: Payload,
        work: Callable[[Job[Payload]], Ended | None],
        *,
        folder: Path | None = None,
        name: str = "",
        cleanup: Callable[[], None] | None = None,
    ) -> Job[Payload]:
        """Order ``work``, which runs when its turn has come and tells by ``job`` how far it is.

        ``folder`` is the corpus that it changes, ``name`` what the visitor calls that. ``cleanup`` is
        called once when the job is over, or was never taken. Raises InputError where the visitor has one
        under way, too many wait, or the corpus is being changed.
        """
        job = Job(secrets.token_hex(8), owner, payload, name, folder)
        try:
            with self._change:
                self._forget()
                self._check(owner)
                if folder is not None:
                    self._folders.take(folder, name)
                self._jobs[job.id] = job
                self._work[job.id] = work, cleanup
        except InputError:
            if cleanup is not None:
                cleanup()
            raise
        self._begin_next()
        return job

    def check(self, owner: Owner) -> None:
        """Raises InputError where this owner could not start a job now."""
        with self._change:
            self._check(owner)

    def get(self, job_id: str, visitor: str) -> Job[Payload]:
        """A visitor's own job. Raises InputError for any other."""
        job = self._jobs.get(job_id)
        if job is None or job.owner.visitor != visitor:
            raise InputError(f"this {self.rules.noun} is not known (any more)")
        return job

    def going(self, visitor: str, folder: Path | None = None) -> Job[Payload] | None:
        """The visitor's job that is under way, if there is one; where given, only one on ``folder``."""
        with self._change:
            mine = (job for job in self._going() if job.owner.visitor == visitor)
            return next((job for job in mine if folder is None or job.folder == folder), None)

    def last(self, visitor: str) -> Job[Payload] | None:
        """The last job that a visitor has ordered, under way or over, if it is remembered."""
        with self._change:
            mine = [job for job in self._jobs.values() if job.owner.visitor == visitor]
        return mine[-1] if mine else None

    def before(self, job: Job[Payload]) -> int:
        """How many jobs have their turn before a waiting one, those that run included."""
        with self._change:
            waiting = self._in_turn()
            running = sum(one.state is State.RUNNING for one in self._jobs.values())
            return running + waiting.index(job) if job in waiting else 0

    def cancel(self, job_id: str, visitor: str) -> None:
        """End a job; nothing happens where it is over."""
        self._stop(self.get(job_id, visitor))

    def wait(self, job: Job[Payload]) -> None:
        """Wait until a job is over. Raises CancelledError, and InputError in the words of one that failed."""
        with self._change:
            self._change.wait_for(lambda: job.over)
        if job.state is State.CANCELLED:
            raise CancelledError("cancelled")
        if job.state is State.FAILED:
            raise InputError(job.message)

    def end_all(self) -> None:
        """End every job, as the server itself ends, and wait a little for what each has to put in order."""
        with self._change:
            self._ending = True
            going = list(self._going())
        for job in going:
            self._stop(job)
        with self._change:
            self._change.wait_for(lambda: not any(True for _ in self._going()), LAST_MOMENTS)

    def _check(self, owner: Owner) -> None:
        going, noun = list(self._going()), self.rules.noun
        if self._ending:
            raise InputError("this server is ending; try again in a minute")
        if sum(job.owner.visitor == owner.visitor for job in going) >= self.rules.of_visitor:
            raise InputError(f"another {noun} of yours is under way; wait for it or cancel it")
        of_address = sum(bool(owner.address) and job.owner.address == owner.address for job in going)
        if of_address >= self.rules.by_address or len(going) >= self.rules.running + self.rules.waiting:
            raise InputError(f"too many {noun}s are at work or waiting; try again in a few minutes")

    def _going(self) -> Iterable[Job[Payload]]:
        return (job for job in self._jobs.values() if not job.over)

    def _forget(self) -> None:
        long_ago = time.monotonic() - self.rules.remembered
        over = sorted((job.finished, job.id) for job in self._jobs.values() if job.finished)
        for number, (finished, job_id) in enumerate(over, 1 - len(over)):
            if finished < long_ago or number <= -MOST_OVER:
                del self._jobs[job_id]

    def _in_turn(self) -> list[Job[Payload]]:
        """Those that wait, in the order in which they will begin if nothing changes."""
        waiting = [job for job in self._jobs.values() if job.state is State.WAITING]
        load = Counter(_address(job) for job in self._jobs.values() if job.state is State.RUNNING)
        served: dict[str, int] = {}
        for job in self._jobs.values():
            for key in (_address(job), job.owner.visitor):
                served[key] = max(served.get(key, 0), job.turn)

        def claim(job: Job[Payload]) -> tuple[int, int, int]:
            address = _address(job)
            return load[address], served[address], served[job.owner.visitor]

        ordered: list[Job[Payload]] = []
        while waiting:
            first = min(waiting, key=claim)
            waiting.remove(first)
            ordered.append(first)
            load[_address(first)] += 1
            served[_address(first)] = served[first.owner.visitor] = self._turns + len(ordered)
        return ordered

    def _begin_next(self) -> None:
        with self._change:
            while (job := self._next()) is not None:
                self._turns += 1
                job.state, job.turn = State.RUNNING, self._turns
                Thread(target=self._run, args=(job,), name=f"{self.rules.noun}-{job.id}", daemon=True).start()

    def _next(self) -> Job[Payload] | None:
        running = [job for job in self._jobs.values() if job.state is State.RUNNING]
        if len(running) >= self.rules.running:
            return None
        # Where there are several places one address never has them all.
        most = max(1, self.rules.running - 1)
        full = {one for one, count in Counter(map(_address, running)).items() if count >= most}
        return next((job for job in self._in_turn() if _address(job) not in full), None)

    def _stop(self, job: Job[Payload]) -> None:
        with self._change:
            job.stop.set()
            never_began = job.state is State.WAITING
            if never_began:
                job.state = State.CANCELLED
        if never_began:
            self._end(job, Ended(State.CANCELLED))

    def _run(self, job: Job[Payload]) -> None:
        work, _ = self._work[job.id]
        # What no branch below explains is a fault of the program, which Python writes to the log.
        ended = Ended(State.FAILED, UNEXPLAINED.format(self.rules.noun))
        deadline = Timer(self.rules.seconds, self._expire, (job,)) if self.rules.seconds else None
        try:
            if deadline is not None:
                deadline.daemon = True
                deadline.start()
            ended = work(job) or Ended()
        except CancelledError:
            ended = Ended(State.FAILED, job.overdue) if job.overdue else Ended(State.CANCELLED)
        except RedstringError as error:
            words = for_visitors(error)
            # The folder of a corpus has a name that its owner never saw.
            message = words.replace(job.folder.name, job.name) if job.folder else words
            ended = Ended(State.FAILED, message)
        finally:
            if deadline is not None:
                deadline.cancel()
            if ended.state is not State.WAITING:
                self._end(job, ended)
            elif not self._again(job):
                self._end(job, Ended(State.CANCELLED))

    def _again(self, job: Job[Payload]) -> bool:
        """Let a job that has had its turn, and wants another, wait behind the others; not at the end."""
        with self._change:
            if self._ending:
                return False
            job.stop.clear()
            job.state, job.overdue = State.WAITING, ""
        self._begin_next()
        return True

    def _expire(self, job: Job[Payload]) -> None:
        if job.unhurried:
            return
        job.overdue = (
            f"stopped: it took longer than the {self.rules.seconds / 60:g} minutes that there are for one "
            f"{self.rules.noun}; order less at a time"
        )
        job.stop.set()

    def _end(self, job: Job[Payload], ended: Ended) -> None:
        _, cleanup = self._work.pop(job.id)
        try:
            if cleanup is not None:
                cleanup()
        finally:
            if job.folder is not None:
                self._folders.give_back(job.folder)
            with self._change:
                job.finished = time.monotonic()
                job.state, job.message = ended.state, ended.message
                self._change.notify_all()
            self._begin_next()


def _address(job: Job[Payload]) -> str:
    """Visitors whose address is not known are each taken for one of their own."""
    return job.owner.address or f"visitor {job.owner.visitor}"
