"""The estimate of completeness of a pool: evidence, the calibrated model, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.investigation.completeness.calibrated import CalibratedModel, learned
from engine.investigation.completeness.evidence import SHOWN, Evidence, evidence_of
from engine.investigation.pool import Pool
from engine.model import AreaCoverage, Completeness
from engine.retrieval.scan import Scan

METHOD, WHOLE = "calibrated on gold questions", "the pool holds all of the corpus"


def completeness_of(
    found: Scan, pool: Pool, areas: Sequence[AreaCoverage], number: int, model: CalibratedModel | None = None
) -> Completeness | None:
    """The share of what is relevant that the pool holds after round ``number``; None for an empty pool.

    It is the mean share of the gold that pools with such evidence held on questions like those of the gold
    sets; the interval held eight in ten of them.
    """
    evidence = evidence_of(found, pool, areas, number)
    if evidence is not None and len(pool) >= len(found.relevance.corpus):
        return Completeness(1.0, 1.0, 1.0, WHOLE)
    return None if evidence is None else told(evidence, model or learned())


def told(evidence: Evidence, model: CalibratedModel) -> Completeness:
    """What a model says of some evidence."""
    estimate = model.estimate(evidence.values)
    low, high = model.interval.around(estimate)
    shown = evidence.finders[:SHOWN]
    return Completeness(
        estimate, low, high, METHOD, len(shown), sum(count == 1 for count in shown), dict(evidence.values)
    )
