"""Evaluations that visitors have ordered: each on a thread of its own, one at a time for a visitor."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError
from engine.evaluation import Question, QuestionResult, judged
from engine.evaluation.ablation import Ablation, ablation_steps
from engine.settings import InvestigationSettings
from ui.evaluate.limits import REMEMBERED, RUNNING

_FAULT = "the evaluation ended without a word; the server's log has the details"


class _CancelledError(RedstringError):
    """The visitor wants no more."""


@dataclass(slots=True)
class Evaluating:
    """One evaluation or ablation. ``state``: running, done, failed or cancelled.

    What is cancelled keeps what was measured until then.
    """

    id: str
    visitor: str
    corpus: Corpus
    questions: Sequence[Question]
    settings: InvestigationSettings
    ablate: bool
    state: str = "running"
    step: str = "loading"
    done: int = 0
    message: str = ""
    results: list[QuestionResult] = field(default_factory=list)
    ablation: Ablation | None = None
    wanted: Event = field(default_factory=Event)
    finished: float | None = None


class Evaluations:
    """All of them. Safe for several threads."""

    def __init__(self, running: int = RUNNING) -> None:
        self._running = running
        self._jobs: dict[str, Evaluating] = {}
        self._lock = Lock()

    def start(
        self,
        visitor: str,
        corpus: Corpus,
        questions: Sequence[Question],
        settings: InvestigationSettings,
        *,
        ablate: bool = False,
    ) -> Evaluating:
        """Start one. Raises InputError where the visitor has one under way, or too many others have."""
        job = Evaluating(secrets.token_hex(8), visitor, corpus, questions, settings, ablate)
        with self._lock:
            self._forget_old()
            going = [other for other in self._jobs.values() if other.state == "running"]
            if any(other.visitor == visitor for other in going):
                raise InputError("another evaluation of yours is under way; wait for it or cancel it")
            if len(going) >= self._running:
                raise InputError(f"{len(going)} evaluations of others are under way; try again in a minute")
            self._jobs[job.id] = job
        Thread(target=self._run, args=(job,), name=f"evaluation-{job.id}", daemon=True).start()
        return job

    def get(self, job_id: str, visitor: str) -> Evaluating:
        """A visitor's own evaluation. Raises InputError for any other."""
        job = self._jobs.get(job_id)
        if job is None or job.visitor != visitor:
            raise InputError("this evaluation is not known (any more)")
        return job

    def going(self, visitor: str) -> Evaluating | None:
        """The visitor's evaluation that is under way, if there is one."""
        with self._lock:
            mine = (job for job in self._jobs.values() if job.visitor == visitor)
            return next((job for job in mine if job.state == "running"), None)

    def cancel(self, job_id: str, visitor: str) -> None:
        """End one after the question it is at; what it measured stays."""
        self.get(job_id, visitor).wanted.set()

    def _forget_old(self) -> None:
        long_ago = time.monotonic() - REMEMBERED
        for job in [job for job in self._jobs.values() if job.finished and job.finished < long_ago]:
            del self._jobs[job.id]

    def _run(self, job: Evaluating) -> None:
        try:
            (_ablating if job.ablate else _evaluating)(job)
            job.state = "done"
        except _CancelledError:
            job.state = "cancelled"
        except RedstringError as error:
            job.message, job.state = str(error), "failed"
        finally:
            if job.state == "running":
                job.message, job.state = _FAULT, "failed"
            job.finished = time.monotonic()


def _evaluating(job: Evaluating) -> None:
    for _, result in judged(job.corpus, job.questions, job.settings):
        job.results.append(result)
        _told(job, "questions", len(job.results))


def _ablating(job: Evaluating) -> None:
    def progress(label: str, done: int, total: int) -> None:
        _told(job, label, done)

    for grown in ablation_steps(job.corpus, job.questions, job.settings, progress=progress):
        job.ablation = grown


def _told(job: Evaluating, step: str, done: int) -> None:
    job.step, job.done = step, done
    if job.wanted.is_set():
        raise _CancelledError("cancelled")
