"""An evaluation or an ablation as a job: what it asks, and what was measured so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.corpus.protocol import Corpus
from engine.evaluation import Question, QuestionResult, judged
from engine.evaluation.ablation import Ablation, ablation_steps
from engine.settings import InvestigationSettings
from ui.evaluate.limits import LONGEST, REMEMBERED, RUNNING, WAITING
from ui.jobs.job import Job
from ui.jobs.jobs import Rules

RULES = Rules("evaluation", RUNNING, WAITING, LONGEST, REMEMBERED)


@dataclass(slots=True)
class Evaluating:
    """One evaluation or ablation; ``header`` says of what. What is cancelled keeps what was measured until
    then. It holds no corpus: that may have been deleted long before this is forgotten."""

    header: Mapping[str, object]
    questions: Sequence[Question]
    settings: InvestigationSettings
    ablate: bool
    results: list[QuestionResult] = field(default_factory=list)
    ablation: Ablation | None = None


def evaluate(job: Job[Evaluating], corpus: Corpus) -> None:
    """The work of the job. Raises CancelledError, and what an evaluation raises."""
    asked = job.payload
    if not asked.ablate:
        for _, result in judged(corpus, asked.questions, asked.settings):
            asked.results.append(result)
            job.tell("questions", len(asked.results), len(asked.questions))
        return

    def progress(label: str, done: int, total: int) -> None:
        job.tell(label, done, total)

    for grown in ablation_steps(corpus, asked.questions, asked.settings, progress=progress):
        asked.ablation = grown
