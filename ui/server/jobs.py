"""Jobs of visitors: their folders, states and order."""

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

# Corpora that are being changed, each by one job at a time.


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
        """Unlock a folder."""
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


# One job: its owner, its progress, and its end.

Payload = TypeVar("Payload")
UNEXPLAINED = "the {} ended without a word; the server's log has the details"


class State(StrEnum):
    """The state of a job. ``STOPPED``: ended early, with work left for later."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a job.

    Visitors are identified by a token that they choose themselves, so turns are also shared between
    addresses; the address is empty if unknown.
    """

    visitor: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a job that was neither cancelled nor failed.

    ``WAITING``: its turn is over, and it needs another one.
    """

    state: State = State.DONE
    message: str = ""


@dataclass(slots=True)
class Job(Generic[Payload]):
    """A job. ``payload`` is its input and its result; ``folder`` is the corpus that it changes.

    ``step``, ``done`` and ``total`` are its progress. Only ``Jobs`` changes ``state``.
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
    # Set to end the job: by the visitor, its deadline, or the shutdown of the server.
    stop: Event = field(default_factory=Event)
    overdue: str = ""
    # It is almost finished: the deadline no longer applies.
    unhurried: bool = False

    @property
    def over(self) -> bool:
        """Return whether the job has ended."""
        return self.state not in (State.WAITING, State.RUNNING)

    def tell(self, step: str, done: int, total: int) -> None:
        """Report progress. Raises CancelledError if the job should end."""
        self.step, self.done, self.total = step, done, total
        if self.stop.is_set():
            raise CancelledError(self.overdue or "cancelled")


# All jobs of one kind: waiting, running and remembered, and whose turn is next.

# Time for jobs to clean up when the server shuts down, s.
LAST_MOMENTS = 5.0
# Number of ended jobs that are remembered: the result of one may be megabytes.
MOST_OVER = 50


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits of a kind of job. ``noun`` is the name of one job.

    ``running`` jobs at the same time, ``waiting`` jobs in the queue, ``seconds`` for one job (0: no limit).
    Ended jobs are remembered for ``remembered`` seconds, so that a reloaded page can show their results,
    unless many others have ended since. ``of_visitor``: limit of running and waiting jobs of one visitor.
    """

    noun: str
    running: int
    waiting: int
    seconds: float = 0.0
    remembered: float = 1800.0
    of_visitor: int = 1

    @property
    def by_address(self) -> int:
        """Limit of running and waiting jobs of one address, so that others can always start one."""
        return max(1, (self.running + self.waiting) // 2)


class Jobs(Generic[Payload]):
    """Jobs of one kind, each on a thread of its own when its turn comes. Thread-safe.

    The next turn goes to the address with the fewest running jobs, then to the least recently served one,
    then by the same rules to its visitors. A visitor has one job at a time, unless the rules allow more.
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
        """Queue ``work``, which runs in its turn and reports progress through ``job``.

        ``folder`` is the corpus that it changes, ``name`` the visitor's name for it. ``cleanup`` is called
        once when the job is over or was refused. Raises InputError if the visitor already has a job, too many
        jobs wait, or the corpus is being changed.
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
        """Raise InputError if this owner could not start a job now."""
        with self._change:
            self._check(owner)

    def get(self, job_id: str, visitor: str) -> Job[Payload]:
        """Return a visitor's own job. Raises InputError for any other."""
        job = self._jobs.get(job_id)
        if job is None or job.owner.visitor != visitor:
            raise InputError(f"this {self.rules.noun} is not known (any more)")
        return job

    def going(self, visitor: str, folder: Path | None = None) -> Job[Payload] | None:
        """Return the visitor's waiting or running job, if any; with ``folder``, only one on that folder."""
        with self._change:
            mine = (job for job in self._going() if job.owner.visitor == visitor)
            return next((job for job in mine if folder is None or job.folder == folder), None)

    def last(self, visitor: str) -> Job[Payload] | None:
        """Return the visitor's latest job, active or ended, if it is remembered."""
        with self._change:
            mine = [job for job in self._jobs.values() if job.owner.visitor == visitor]
        return mine[-1] if mine else None

    def before(self, job: Job[Payload]) -> int:
        """Return the number of jobs before a waiting one, including running ones."""
        with self._change:
            waiting = self._in_turn()
            running = sum(one.state is State.RUNNING for one in self._jobs.values())
            return running + waiting.index(job) if job in waiting else 0

    def cancel(self, job_id: str, visitor: str) -> None:
        """Cancel a job; no-op if it is over."""
        self._stop(self.get(job_id, visitor))

    def wait(self, job: Job[Payload]) -> None:
        """Wait for the end of a job.

        Raises CancelledError, or InputError with the message of a failed job.
        """
        with self._change:
            self._change.wait_for(lambda: job.over)
        if job.state is State.CANCELLED:
            raise CancelledError("cancelled")
        if job.state is State.FAILED:
            raise InputError(job.message)

    def end_all(self) -> None:
        """Cancel all jobs when the server shuts down, and wait briefly for their cleanup."""
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
        """Return the waiting jobs in the order in which they will start if nothing changes."""
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
        # If there are several slots, one address never gets all of them.
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
        # An error without a branch below is a bug; Python writes it to the log.
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
            # The owner does not know the name of the folder of a corpus.
            message = words.replace(job.folder.name, job.name) if job.folder else words
            ended = Ended(State.FAILED, message)
        finally:
            if deadline is not None:
                deadline.cancel()
            if ended.state is not State.WAITING:
                self._end(job, ended)
            elif not self._requeue(job):
                self._end(job, Ended(State.CANCELLED))

    def _requeue(self, job: Job[Payload]) -> bool:
        """Queue a job again that wants another turn; not during shutdown."""
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
    """Return the address of a job's owner, or a key of the visitor's own if it is unknown."""
    return job.owner.address or f"visitor {job.owner.visitor}"
