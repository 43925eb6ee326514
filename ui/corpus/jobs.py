"""Ingestions that visitors have ordered: who waits, who runs, what each has told so far."""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import orjson

from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from ui.corpus.orders import Order

LOG = logging.getLogger(__name__)
PROJECT = Path(__file__).resolve().parent.parent.parent
MOST_LINES = 20_000
# Finished jobs are remembered this long, s, so that a page that comes back still hears of them.
REMEMBERED = 3600.0
_FAULT = "the ingestion ended without a word; the server's log has the details"


@dataclass(slots=True)
class Job:
    """One ingestion. ``state``: waiting, running, done, failed or cancelled."""

    id: str
    visitor: str
    corpus: str
    order: Order
    workspace: Path
    state: str = "waiting"
    lines: list[str] = field(default_factory=list)
    step: str = ""
    done: int = 0
    total: int = 0
    message: str = ""
    report: Mapping[str, Any] | None = None
    finished: float | None = None
    process: subprocess.Popen[bytes] | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state not in ("waiting", "running")


class Jobs:
    """All jobs. Safe for several threads. ``done`` is called with each job that has ended well."""

    def __init__(self, settings: OperatorSettings, done: Callable[[Job], None] = lambda job: None) -> None:
        self._settings = settings
        self._done = done
        self._jobs: dict[str, Job] = {}
        self._turn = Condition()
        atexit.register(self.end_all)

    def start(self, visitor: str, corpus: str, order: Order, workspace: Path) -> Job:
        """Take an order. Raises InputError where the queue is full or the corpus is being changed.

        ``workspace`` holds the documents and is removed when the job is over.
        """
        job = Job(secrets.token_hex(8), visitor, corpus, order, workspace)
        with self._turn:
            self._forget_old()
            going = [other for other in self._jobs.values() if not other.over]
            if any(other.order.folder == order.folder for other in going):
                raise InputError(f"{corpus!r} is being changed already; wait until that is done")
            if visitor and any(other.visitor == visitor for other in going):
                raise InputError("another ingestion of yours is under way; wait until it is done")
            if len(going) >= self._settings.jobs + self._settings.waiting:
                raise InputError(
                    f"{len(going)} ingestions are at work or waiting, the most there may be; try again later"
                )
            if len(going) >= self._settings.jobs:
                job.lines.append("waiting for another ingestion to end")
            self._jobs[job.id] = job
        Thread(target=self._run, args=(job,), name=f"job-{job.id}", daemon=True).start()
        return job

    def get(self, job_id: str, visitor: str) -> Job:
        """A visitor's own job. Raises InputError for any other."""
        job = self._jobs.get(job_id)
        if job is None or job.visitor != visitor:
            raise InputError("this ingestion is not known (any more)")
        return job

    def going(self, visitor: str) -> Job | None:
        """The visitor's job that is under way, if there is one."""
        with self._turn:
            mine = (job for job in self._jobs.values() if job.visitor == visitor and not job.over)
            return next(mine, None)

    def busy(self, folder: Path) -> bool:
        """Whether a job is changing the corpus in a folder, or about to."""
        with self._turn:
            return any(job.order.folder == folder and not job.over for job in self._jobs.values())

    def cancel(self, job_id: str, visitor: str) -> None:
        """End a job; the corpus stays as it was. Nothing happens where it is over."""
        job = self.get(job_id, visitor)
        with self._turn:
            if job.over:
                return
            job.state, job.message = "cancelled", "Cancelled; the corpus is as it was."
            self._turn.notify_all()
            _end(job.process)

    def end_all(self) -> None:
        """End every process, as the server itself ends."""
        with self._turn:
            for job in self._jobs.values():
                _end(job.process)

    def _forget_old(self) -> None:
        long_ago = time.monotonic() - REMEMBERED
        for job in [job for job in self._jobs.values() if job.finished and job.finished < long_ago]:
            del self._jobs[job.id]

    @contextmanager
    def _its_turn(self, job: Job) -> Iterator[bool]:
        """Wait until fewer than the most allowed run; False where the job was cancelled meanwhile."""

        def ready() -> bool:
            first = [other for other in self._jobs.values() if not other.over][: self._settings.jobs]
            return job.over or job in first

        with self._turn:
            self._turn.wait_for(ready)
            goes = not job.over
            if goes:
                job.state = "running"
        try:
            yield goes
        finally:
            with self._turn:
                job.finished = time.monotonic()
                if not job.over:
                    job.state, job.message = "failed", _FAULT
                self._turn.notify_all()

    def _run(self, job: Job) -> None:
        try:
            with self._its_turn(job) as goes:
                if goes:
                    self._work(job)
        finally:
            shutil.rmtree(job.workspace, ignore_errors=True)

    def _work(self, job: Job) -> None:
        with _process(job) as process:
            with self._turn:
                job.process = process
                if job.over:
                    _end(process)
            assert process.stdout is not None
            for line in process.stdout:
                self._hear(job, orjson.loads(line))
            process.wait()
        if job.report is not None:
            self._done(job)
        with self._turn:
            job.process = None
            if job.report is not None:
                # The corpus is written: a wish to cancel that came later came too late.
                job.state, job.message = "done", ""

    def _hear(self, job: Job, event: Mapping[str, Any]) -> None:
        with self._turn:
            if job.over:
                return
            if "line" in event and len(job.lines) < MOST_LINES:
                job.lines.append(str(event["line"]))
            if "step" in event:
                job.step, job.done, job.total = event["step"], event["done"], event["total"]
            if "error" in event:
                job.state, job.message = "failed", str(event["error"])
            if "report" in event:
                job.report = event["report"]


@contextmanager
def _process(job: Job) -> Iterator[subprocess.Popen[bytes]]:
    """The worker, with its order handed over. A session of its own, so that its children end with it."""
    paths = [str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        # -P: a document called "numpy.py" must not be taken for a module.
        [sys.executable, "-P", "-m", "ui.corpus.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=job.workspace,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"},
        start_new_session=True,
    )
    assert process.stdin is not None
    try:
        # Passwords travel through the pipe alone: a command line can be read by everybody.
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(job.order.model_dump_json().encode())
        yield process
    finally:
        _end(process)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None and process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
