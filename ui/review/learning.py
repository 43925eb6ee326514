"""Learning from verdicts as a job: judged questions are asked again where cases run, one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.ranking.additive import Experience
from engine.review.learning.choosing import Choice, learned_from
from engine.review.learning.observing import Labels, Observed, described
from engine.review.teaching import Said, figures_of, taught
from engine.review.weights_places import Place
from engine.settings import preset
from ui.jobs.job import Job
from ui.jobs.jobs import Rules
from ui.workers.pool import Workers

# One at a time, and one of a person: it takes places from those who ask.
RULES = Rules("learning", running=1, waiting=8, seconds=900.0)
# What is learned from at most, the newest first: beyond that the command line learns.
MOST_QUESTIONS, MOST_PASSAGES = 300, 3_000
PRESET = "balanced"


@dataclass(slots=True)
class Learning:
    """What is learned of, for whom, and what has come of it: the id of what was kept, empty where it teaches
    nothing, and the figures that it is shown with. It holds no words of a question."""

    matter: str
    corpus: str
    of: str
    weights: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


def learn(
    job: Job[Learning], place: Place, corpus: Corpus, said: Said, workers: Workers, visitor: str, who: str
) -> None:
    """The work of the job; ``visitor`` is who waits in the line where cases run. Raises CancelledError, and
    what asking and learning raise."""
    settings = preset(PRESET)

    def done(question: str, work: Callable[[Case], Any]) -> Any:
        return workers.done(visitor, work, Case(corpus, question, settings, weights=""))

    def ask(labels: Labels) -> Observed | None:
        found: Observed | None = done(labels.question, partial(_observed, labels=labels))
        return found

    def learned(seen: Sequence[Observed], name: str) -> tuple[Experience, Choice]:
        work = partial(_learned, seen=tuple(seen), name=name)
        found: tuple[Experience, Choice] = done(said.labels[0].question, work)
        return found

    experience, choice = taught(corpus, said, settings, ask=ask, learn=learned, told=job.tell)
    # Whoever cancels now wants nothing of it.
    job.tell("keeping", 1, 1)
    if choice.strength:
        place.keep(experience, choice, said.cases, who)
        job.payload.weights = experience.id
    job.payload.figures = figures_of(choice, said.cases)


def _observed(case: Case, labels: Labels) -> Observed | None:
    for _ in case.run():
        continue
    return described(case, labels)


def _learned(case: Case, seen: Sequence[Observed], name: str) -> tuple[Experience, Choice]:
    """The case stands in the line for it and never runs."""
    return learned_from(seen, case.corpus, name)
