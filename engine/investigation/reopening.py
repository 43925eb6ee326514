"""A case that came to its end some other day, to be looked at."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.investigation.case import Case
from engine.investigation.record import Investigation


def reopened(found: Investigation, corpus: Corpus) -> Case:
    """A case as it stood when it was kept. It knows what was found, not the scan that found it: whoever goes
    on with it has to run it anew (``engine.records.replaying``). Raises as ``Case``."""
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
