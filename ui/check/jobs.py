"""Audits that visitors have ordered: each on a thread of its own, one at a time for a visitor."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from engine.answers.audit import Audit, Auditor, Checked
from engine.errors import CancelledError, InputError, RedstringError
from ui.check.limits import REMEMBERED, RUNNING

_FAULT = "the check ended without a word; the server's log has the details"


@dataclass(slots=True)
class Checking:
    """One audit. ``state``: running, done, failed or cancelled. What is cancelled keeps the claims
    checked."""

    id: str
    visitor: str
    text: str
    wanted: Event
    state: str = "running"
    step: str = "loading"
    done: int = 0
    total: int = 0
    message: str = ""
    claims: list[Checked] = field(default_factory=list)
    audit: Audit | None = None
    finished: float | None = None


class Checks:
    """All of them. Safe for several threads."""

    def __init__(self, running: int = RUNNING) -> None:
        self._running = running
        self._jobs: dict[str, Checking] = {}
        self._lock = Lock()

    def start(self, visitor: str, text: str, auditor: Auditor, wanted: Event) -> Checking:
        """Start one. Raises InputError where the visitor has one under way, or too many others have."""
        job = Checking(secrets.token_hex(8), visitor, text, wanted)
        with self._lock:
            self._forget_old()
            going = [other for other in self._jobs.values() if other.state == "running"]
            if any(other.visitor == visitor for other in going):
                raise InputError("another check of yours is under way; wait for it or cancel it")
            if len(going) >= self._running:
                raise InputError(f"{len(going)} checks of others are under way; try again in a minute")
            self._jobs[job.id] = job
        Thread(target=self._run, args=(job, auditor), name=f"check-{job.id}", daemon=True).start()
        return job

    def get(self, job_id: str, visitor: str) -> Checking:
        """A visitor's own audit. Raises InputError for any other."""
        job = self._jobs.get(job_id)
        if job is None or job.visitor != visitor:
            raise InputError("this check is not known (any more)")
        return job

    def going(self, visitor: str) -> Checking | None:
        """The visitor's audit that is under way, if there is one."""
        with self._lock:
            mine = (job for job in self._jobs.values() if job.visitor == visitor)
            return next((job for job in mine if job.state == "running"), None)

    def cancel(self, job_id: str, visitor: str) -> None:
        """End one after the claim it is at."""
        self.get(job_id, visitor).wanted.set()

    def _forget_old(self) -> None:
        long_ago = time.monotonic() - REMEMBERED
        for job in [job for job in self._jobs.values() if job.finished and job.finished < long_ago]:
            del self._jobs[job.id]

    def _run(self, job: Checking, auditor: Auditor) -> None:
        try:
            for step in auditor.steps(job.text):
                if isinstance(step, Audit):
                    job.audit = step
                    continue
                if step.checked is not None:
                    job.claims.append(step.checked)
                job.step, job.done, job.total = step.doing, step.done, step.total
            job.state = "done"
        except CancelledError:
            job.state = "cancelled"
        except RedstringError as error:
            job.message, job.state = str(error), "failed"
        finally:
            if job.state == "running":
                job.message, job.state = _FAULT, "failed"
            job.finished = time.monotonic()
