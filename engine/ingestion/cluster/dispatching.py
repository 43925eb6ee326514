"""Which worker does which task, and what becomes of the tasks of one that dies, hangs or is somebody else's.

Each task is sent to one worker, chosen here, so that it is known whose it was. A worker that is gone, that
has not been heard of for a while, or that has had a task for longer than its limits allow, loses its tasks to
others. A task that had begun on it may have been the cause: it runs alone from then on, and is given up once
it has cost ``MOST_STRIKES`` workers.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from secrets import token_hex
from time import monotonic
from typing import Any

from engine.errors import ClusterError, CorpusError, ResourceError
from engine.ingestion.cluster.messages import (
    Answer,
    Body,
    Broken,
    Lacking,
    Lacks,
    Mismatch,
    Request,
    Setup,
    Unusable,
)
from engine.ingestion.cluster.tasks import end_run, perform, topic_of
from engine.ingestion.cluster.versions import difference, versions_here
from engine.ingestion.ledger import makers

# Workers that a task may cost before it is given up.
MOST_STRIKES = 3
# A worker says several times in so many seconds that it is there, a scheduler answers within them.
SILENCE = 30.0
# Seconds to wait for a worker where there is none any more: they may be started anew.
NO_WORKER = 60.0
# How often the scheduler is asked which workers it has, in seconds.
_LOOK = 0.5
# Seconds for the result of a finished task to arrive here; its worker may be gone meanwhile.
_ARRIVAL = 60.0
# Seconds for workers to end what they do for an ingestion that is over.
_FAREWELL = 10.0


@dataclass(slots=True)
class _Worker:
    """A worker as it was last heard of. ``calls``: keys of what it was asked and has not answered; ``setup``:
    the one that it was told last."""

    address: str
    threads: int
    beat: float
    heard: float
    calls: set[str] = field(default_factory=set)
    setup: Setup | None = None
    is_gone: bool = False
    hangs: bool = False
    is_held_alone: bool = False

    @property
    def is_usable(self) -> bool:
        return not self.is_gone and not self.hangs and monotonic() < self.heard + SILENCE


@dataclass(slots=True, eq=False)
class Call:
    """A request on its way: ``body`` makes it, ``answered`` gets what comes back, ``lost`` hears why nothing
    will come. ``only``: the one worker that can do it. ``strikes``: workers that it may have cost."""

    body: Callable[[], Body]
    answered: Callable[[Answer, str], None]
    lost: Callable[[str], None]
    only: str | None = None
    strikes: int = 0
    priority: int = 0
    worker: str | None = None
    began: float | None = None
    future: Any = None


class Dispatcher:
    """Sends calls to workers and hands back what they answer; used by one thread. ``wake`` can be read from
    where something has happened."""

    def __init__(self, client: Any, setup: Setup) -> None:
        self._client, self._setup = client, setup
        self._run = token_hex(16)
        self._workers: dict[str, _Worker] = {}
        self._waiting: deque[Call] = deque()
        self._calls: dict[str, Call] = {}
        self._begun: deque[str] = deque()
        self._arrived: deque[tuple[str, bytes | BaseException]] = deque()
        self._fetching = ThreadPoolExecutor(4, "redstring-cluster")
        self._seen: tuple[float, dict[str, Any]] = (monotonic(), {})
        self._none_since: float | None = None
        self._ended, self._ringing = threading.Event(), threading.Lock()
        self.wake, self._waker = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(self._waker, False)
        client.subscribe_topic(topic_of(self._run), self._heard)
        self._look()
        self._note_workers()
        threading.Thread(target=self._watch, daemon=True, name="redstring-workers").start()

    @property
    def threads(self) -> int:
        """Of all workers that can be used, at least one."""
        return max(1, sum(worker.threads for worker in self._workers.values() if worker.is_usable))

    def tell(self, corpus: bytes) -> None:
        """Let each worker know the corpus with the next request that it gets."""
        self._setup = replace(self._setup, corpus=corpus)

    def send(self, call: Call) -> None:
        """Have a worker do something, from the next ``assign`` on as soon as one is free."""
        self._waiting.append(call)

    def turn(self) -> None:
        """Everything that has happened, and what is to be done about it. Does not wait.

        Raises ClusterError where the cluster cannot go on, CorpusError or ResourceError where a worker cannot
        write what it has to.
        """
        with suppress(BlockingIOError):
            os.read(self.wake, 1 << 16)
        while self._begun:
            call = self._calls.get(self._begun.popleft())
            if call is not None:
                call.began = call.began or monotonic()
        while self._arrived:
            self._take(*self._arrived.popleft())
        self._note_workers()
        self._give_up_overdue()
        self.assign()

    def close(self) -> None:
        """End everything that workers do for this ingestion, and what is done here."""
        with self._ringing:
            self._ended.set()
        futures = [call.future for call in self._calls.values()]
        self._calls.clear()
        told = [worker.address for worker in self._workers.values() if worker.setup and worker.is_usable]

        def farewell() -> None:
            # Where the scheduler is gone there is nothing to be said to anybody.
            with suppress(Exception):
                self._client.unsubscribe_topic(topic_of(self._run))
                self._client.cancel(futures, force=True)
                if told:
                    self._client.run(end_run, self._run, workers=told, on_error="ignore")

        if self._client.status == "running":
            thread = threading.Thread(target=farewell, daemon=True)
            thread.start()
            thread.join(_FAREWELL)
        self._fetching.shutdown(wait=False, cancel_futures=True)
        with suppress(Exception):
            self._client.close(timeout=2)
        os.close(self.wake)
        os.close(self._waker)

    def _heard(self, event: tuple[float, Any]) -> None:
        self._begun.append(str(event[1]))
        self._ring()

    def _ring(self) -> None:
        with self._ringing:
            if not self._ended.is_set():
                with suppress(BlockingIOError):
                    os.write(self._waker, b"x")

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK):
            with suppress(Exception):
                self._look()

    def _look(self) -> None:
        before = self._seen[1]
        found: dict[str, Any] = self._client.scheduler_info(n_workers=-1)
        # The client answers from memory where the scheduler does not; it may have been told totals meanwhile.
        if found is not before and len(found["workers"]) >= found["n_workers"]:
            self._seen = (monotonic(), found)

    def _note_workers(self) -> None:
        at, found = self._seen
        if monotonic() > at + SILENCE:
            raise ClusterError(f"the scheduler has not answered for {SILENCE:g} seconds")
        there: dict[str, Any] = found.get("workers", {})
        for address, about in there.items():
            worker = self._workers.get(address)
            if worker is None or worker.is_gone:
                worker = self._workers[address] = _Worker(address, about["nthreads"], 0.0, monotonic())
            if about["last_seen"] != worker.beat:
                worker.beat, worker.heard = about["last_seen"], monotonic()
        for worker in self._workers.values():
            if worker.address not in there and not worker.is_gone:
                worker.is_gone = True
                self._lose_all(worker, "its worker was lost")
            elif worker.calls and not worker.is_gone and monotonic() > worker.heard + SILENCE:
                self._lose_all(worker, f"its worker was not heard of for {SILENCE:g} seconds")

    def _lose_all(self, worker: _Worker, reason: str) -> None:
        for key in list(worker.calls):
            self._lose(key, reason)

    def _lose(self, key: str, reason: str, *, is_struck: bool | None = None) -> None:
        """Take a call back from its worker. It is struck where it had begun there."""
        call = self._forget(key)
        call.future.cancel(force=True)
        call.strikes += (call.began is not None) if is_struck is None else is_struck
        call.lost(reason)

    def _forget(self, key: str) -> Call:
        call = self._calls.pop(key)
        worker = self._workers[str(call.worker)]
        worker.calls.discard(key)
        worker.is_held_alone = False
        return call

    def _give_up_overdue(self) -> None:
        longest = self._setup.limits.longest + self._setup.margin
        for key, call in list(self._calls.items()):
            if key in self._calls and call.began is not None and monotonic() > call.began + longest:
                worker = self._workers[str(call.worker)]
                worker.hangs = True
                self._lose(key, f"it took longer than {longest:g} seconds")
                for other in list(worker.calls):
                    self._lose(other, "its worker hangs", is_struck=False)

    def _take(self, key: str, arrived: bytes | BaseException) -> None:
        call = self._calls.get(key)
        if call is None:
            return
        worker = self._workers[str(call.worker)]
        if isinstance(arrived, BaseException):
            if not _is_of_the_way(arrived):
                raise ClusterError(
                    f"the worker at {worker.address} cannot make blocks ({type(arrived).__name__}:"
                    f" {' '.join(str(arrived).split())[:200]}); it needs the same engine as this machine"
                ) from arrived
            self._lose(key, f"its worker was lost ({type(arrived).__name__})")
            return
        answer: Answer = pickle.loads(arrived)
        match answer:
            case Mismatch():
                raise ClusterError(
                    f"the worker at {worker.address} would make other blocks than this machine"
                    f" ({difference(versions_here(), answer.has)}); install the same there and here"
                )
            case Unusable():
                kind = ResourceError if answer.error == ResourceError.__name__ else CorpusError
                raise kind(f"the worker at {worker.address}: {answer.reason}")
            case Broken():
                self._lose(key, answer.reason, is_struck=True)
            case Lacks(Lacking.SETUP):
                worker.setup = None
                self._forget(key)
                call.future.release()
                self._waiting.appendleft(call)
            case _:
                self._forget(key)
                call.future.release()
                call.answered(answer, worker.address)

    def assign(self) -> None:
        """Hand out what waits to workers that are free. Raises ClusterError where there has been none."""
        for call in sorted(self._waiting, key=lambda call: -call.priority):
            if call.only is not None and not self._workers[call.only].is_usable:
                self._waiting.remove(call)
                call.began = None
                call.lost("its worker was lost")
                continue
            worker = self._workers[call.only] if call.only else self._choice(call)
            if worker is not None:
                self._waiting.remove(call)
                self._submit(call, worker)
        if any(worker.is_usable for worker in self._workers.values()):
            self._none_since = None
        elif self._none_since is None:
            self._none_since = monotonic()
        elif monotonic() > self._none_since + NO_WORKER:
            raise ClusterError(f"no worker of the cluster has answered for {NO_WORKER:g} seconds")

    def _choice(self, call: Call) -> _Worker | None:
        """The worker with the least to do; one more call than it has threads, so that none of them waits."""
        usable = [one for one in self._workers.values() if one.is_usable and not one.is_held_alone]
        if call.strikes:
            return next((one for one in usable if not one.calls), None)
        free = [one for one in usable if len(one.calls) <= one.threads]
        return min(free, key=lambda one: len(one.calls) / one.threads, default=None)

    def _submit(self, call: Call, worker: _Worker) -> None:
        key = f"redstring-{self._run[:8]}-{token_hex(8)}"
        setup = None if worker.setup is self._setup else self._setup
        worker.setup = self._setup
        payload = pickle.dumps(Request(self._run, setup, call.body()), pickle.HIGHEST_PROTOCOL)
        call.worker, call.began = worker.address, None
        worker.calls.add(key)
        worker.is_held_alone = bool(call.strikes)
        self._calls[key] = call
        call.future = self._client.submit(
            pickle.loads,
            pickle.dumps(_Asked(makers(), key, payload)),
            key=key,
            workers=[worker.address],
            allow_other_workers=False,
            priority=call.priority,
            pure=False,
        )
        call.future.add_done_callback(lambda future: self._fetch(key, future))

    def _fetch(self, key: str, future: Any) -> None:
        if key in self._calls and not self._ended.is_set():
            with suppress(RuntimeError):
                self._fetching.submit(self._fetched, key, future)

    def _fetched(self, key: str, future: Any) -> None:
        arrived: bytes | BaseException
        try:
            arrived = future.result(timeout=_ARRIVAL)
        # Judged by the thread that takes it; some cancellations are no Exception.
        except BaseException as error:
            arrived = error
        self._arrived.append((key, arrived))
        self._ring()


class _Asked:
    """A task that is called as it is unpickled, so that a scheduler passes it on as bytes,
    needing no engine, and a worker without one fails in the task and can say so."""

    def __init__(self, *arguments: str | bytes) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Callable[..., bytes], tuple[str | bytes, ...]]:
        return perform, self._arguments


def _is_of_the_way(error: BaseException) -> bool:
    """Whether an error tells that a worker, or the way to it, is gone, and not that it cannot do the work."""
    is_cancelled = type(error).__name__.endswith("CancelledError")
    is_dask = type(error).__module__.startswith("distributed")
    return is_cancelled or is_dask or isinstance(error, OSError | TimeoutError)
