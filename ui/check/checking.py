"""An audit as a job: what it is about, and the claims checked so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.answers.audit import Audit, Auditor, Checked
from engine.corpus.protocol import Corpus
from ui.check.limits import LONGEST, REMEMBERED, RUNNING, WAITING
from ui.jobs.job import Job
from ui.jobs.jobs import Rules

RULES = Rules("check", RUNNING, WAITING, LONGEST, REMEMBERED)


@dataclass(slots=True)
class Checking:
    """An audit of a text against the ``corpus`` that the library has as ``name``. What is cancelled keeps the
    claims checked."""

    text: str
    name: str
    corpus: Corpus
    claims: list[Checked] = field(default_factory=list)
    audit: Audit | None = None


def check(job: Job[Checking], auditor: Auditor) -> None:
    """The work of the job. Raises CancelledError, and what the auditor raises."""
    for step in auditor.steps(job.payload.text):
        if isinstance(step, Audit):
            job.payload.audit = step
            continue
        if step.checked is not None:
            job.payload.claims.append(step.checked)
        job.tell(step.doing, step.done, step.total)
