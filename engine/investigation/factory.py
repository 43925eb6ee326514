"""Open, run and reopen cases: the one place that makes a ``Case`` for everything above this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import TypedDict, Unpack

from engine.corpus.protocol import Corpus
from engine.investigation.case import Case
from engine.investigation.pool import Pool
from engine.investigation.ranking.additive import Experience
from engine.investigation.record import Event, Investigation
from engine.llm import LanguageModel, Usage
from engine.model import QueryPlan
from engine.settings import InvestigationSettings, Preset, preset


class CaseOptions(TypedDict, total=False):
    """Options of a case, as ``Case`` describes them."""

    pool: Pool | None
    plan: QueryPlan | None
    day: date | None
    model: LanguageModel | None
    used: Mapping[str, Usage]
    weights: str | Experience | None


def make_case(
    corpus: Corpus,
    question: str,
    settings: InvestigationSettings | None = None,
    **options: Unpack[CaseOptions],
) -> Case:
    """Return a case that is ready to run, with the balanced preset unless there are settings.

    Raises as ``Case``.
    """
    return Case(corpus, question, settings or preset(Preset.BALANCED), **options)


def run_case(
    corpus: Corpus,
    question: str,
    settings: InvestigationSettings | None = None,
    *,
    on_event: Callable[[Event], None] | None = None,
    **options: Unpack[CaseOptions],
) -> Case:
    """Open a case, run it to its end and return it; ``on_event`` receives each event. Raises as ``Case``."""
    case = make_case(corpus, question, settings, **options)
    for event in case.run():
        if on_event is not None:
            on_event(event)
    return case


def reopen_case(found: Investigation, corpus: Corpus) -> Case:
    """Return a saved case as it was at its end, to look at.

    It has the results and not the scan: to continue it, run it again (``engine.records.replaying``).
    Raises as ``Case``.
    """
    case = Case(
        corpus, found.question, found.settings, pool=found.pool, day=found.day, used=found.usage, weights=""
    )
    vars(case).update(
        plan=found.plan,
        rounds=list(found.rounds),
        areas=found.areas,
        stop=found.stop,
        ranking=found.passages,
        notes=found.notes,
        started=found.started,
        evidence=found.evidence,
        metrics=found.metrics,
        transaction=found.transaction,
        found=found.found,
        weights=found.weights,
    )
    vars(case)["_spending"].milliseconds = found.milliseconds
    return case
