"""Send requests to a cluster as Dask tasks, and take the answers.

Dask chooses the workers and gives the tasks of a lost worker to others. A task that Dask gives up runs once
more, alone: another task of the same workers may have been the cause.
"""

from __future__ import annotations

import pickle
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pickle import PickleBuffer
from time import monotonic
from typing import Any

from engine.errors import ClusterError, FileRefusedError, RedstringError
from engine.ingestion.cluster.worker import Answer, Job, end_ingestion, get_versions, perform

# Seconds without an answer of the scheduler, and without a worker, until the ingestion ends.
SILENCE, NO_WORKER = 30.0, 60.0
# Seconds between two looks at the workers, for a result to arrive, and for workers to end their processes.
_LOOK, _ARRIVAL, _FAREWELL = 0.5, 60.0, 10.0


@dataclass(slots=True, eq=False)
class Call:
    """A request: ``make`` returns the method of Ingestion and its arguments, ``take`` gets the answer or
    ``lose`` the reason why there is none. ``only``: the worker that has to answer."""

    make: Callable[[], tuple[str, tuple[Any, ...]]]
    take: Callable[[Answer], None]
    lose: Callable[[str], None]
    only: str | None = None
    is_suspect: bool = False
    sent: float = 0.0
    future: Any = None


class _Task:
    """A task that runs when it is unpickled: a scheduler needs no engine, and a worker without one says so."""

    def __init__(self, *arguments: object) -> None:
        self._arguments = arguments

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return perform, self._arguments


class Sender:
    """Sends calls and takes their answers, in one thread. ``bell`` is readable when an answer has come."""

    def __init__(self, client: Any, job: Job) -> None:
        self._client, self._job, self._corpus = client, job, None
        self._calls: set[Call] = set()
        self._waiting: deque[Call] = deque()
        self._suspects: deque[Call] = deque()
        self._arrived: deque[tuple[Call, Any, Any]] = deque()
        # When the scheduler answered last, and the threads of each worker.
        self._seen: tuple[float, dict[str, int]] = monotonic(), client.nthreads()
        self._had_worker = self._heard = monotonic()
        self._ended = threading.Event()
        self.bell, self._ringer = socket.socketpair()
        self.bell.setblocking(False)
        self._ringer.setblocking(False)
        threading.Thread(target=self._watch, daemon=True, name="redstring-workers").start()

    @property
    def threads(self) -> int:
        """The number of threads of all workers, at least 1."""
        return max(1, sum(self._seen[1].values()))

    def share(self, corpus: bytes) -> None:
        """Make the corpus an argument of the calls that follow. Dask brings it to each worker once."""
        self._corpus = self._client.submit(bytes, corpus, pure=False)

    def send(self, call: Call) -> None:
        """Send a call as soon as no suspect runs."""
        self._waiting.append(call)
        self._submit_waiting()

    def turn(self) -> None:
        """Handle what has happened, without waiting. Raises ClusterError, and what a worker raises."""
        with suppress(BlockingIOError):
            self.bell.recv(1 << 16)
        now, (at, workers) = monotonic(), self._seen
        self._had_worker = now if workers else self._had_worker
        if now > at + SILENCE:
            raise ClusterError(f"the scheduler has not answered for {SILENCE:g} seconds")
        if now > self._had_worker + NO_WORKER:
            raise ClusterError(f"the cluster has had no worker for {NO_WORKER:g} seconds")
        while self._arrived:
            self._heard = now
            self._take(*self._arrived.popleft())
        patience = 2 * (self._job.limits.longest + self._job.margin)
        for call in list(self._calls):
            if call.only is not None and call.sent < at and call.only not in workers:
                self._forget(call)
                self._waiting.append(call)
            elif now > max(self._heard, call.sent) + patience:
                self._lose(call, f"no worker answered within {patience:g} seconds")
        self._submit_waiting()

    def close(self) -> None:
        """End all work for this ingestion. May be called again."""
        if self._ended.is_set():
            return
        self._ended.set()
        futures = [call.future for call in self._calls]
        self._calls.clear()

        def farewell() -> None:
            # Without a scheduler, no worker can be reached.
            with suppress(Exception):
                self._client.cancel(futures, force=True)
                self._client.run(end_ingestion, self._job.id, on_error="ignore")
                self._client.close(timeout=2)

        thread = threading.Thread(target=farewell, daemon=True)
        thread.start()
        thread.join(_FAREWELL)
        self.bell.close()
        self._ringer.close()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK):
            with suppress(Exception):
                self._seen = monotonic(), self._client.nthreads()

    def _submit_waiting(self) -> None:
        while self._waiting and not any(call.is_suspect for call in self._calls):
            self._submit(self._waiting.popleft())
        if self._suspects and not self._calls:
            self._submit(self._suspects.popleft())

    def _submit(self, call: Call) -> None:
        try:
            method, arguments = call.make()
        except (OSError, FileRefusedError) as error:
            call.lose(f"cannot be read ({error})")
            return
        # The corpus, a task of its own, takes the place of an out-of-band buffer (PEP 574).
        buffers = [] if self._corpus is None else [self._corpus]
        payload = pickle.dumps((self._job, method, arguments), pickle.HIGHEST_PROTOCOL)
        task = _Task(get_versions(), payload, *(PickleBuffer(b"") for _ in buffers))
        call.sent = monotonic()
        call.future = self._client.submit(
            pickle.loads,
            pickle.dumps(task, pickle.HIGHEST_PROTOCOL, buffer_callback=lambda buffer: None),
            buffers=buffers,
            workers=call.only,
            priority=int(method == "read"),
            pure=False,
        )
        self._calls.add(call)
        call.future.add_done_callback(lambda future: self._fetch(call, future))

    def _fetch(self, call: Call, future: Any) -> None:
        try:
            arrived = future.result(timeout=_ARRIVAL)
        # Some cancellations are no Exception.
        except BaseException as error:
            arrived = error
        self._arrived.append((call, future, arrived))
        with suppress(OSError):
            self._ringer.send(b"x")

    def _take(self, call: Call, future: Any, arrived: Any) -> None:
        if call not in self._calls or call.future is not future:
            return
        if isinstance(arrived, BaseException):
            reason = f"{type(arrived).__name__}: {' '.join(str(arrived).split())[:200]}"
            is_loss = type(arrived).__module__.startswith("distributed") or isinstance(arrived, OSError)
            if not is_loss and "Cancelled" not in reason:
                advice = "it needs the same engine as this machine"
                raise ClusterError(f"a worker cannot make blocks ({reason}); {advice}") from arrived
            self._lose(call, reason)
            return
        answer: Answer | RedstringError = pickle.loads(arrived)
        if isinstance(answer, RedstringError):
            raise answer
        self._forget(call)
        call.is_suspect = False
        call.take(answer)

    def _forget(self, call: Call) -> None:
        call.only = None
        self._calls.discard(call)
        call.future.cancel(force=True)

    def _lose(self, call: Call, reason: str) -> None:
        self._forget(call)
        if call.is_suspect:
            call.lose(f"stopped: the workers that tried it were lost ({reason})")
        else:
            call.is_suspect = True
            self._suspects.append(call)
