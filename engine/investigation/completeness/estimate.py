"""The estimate of completeness of a pool: evidence, the calibrated model, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.investigation.completeness.calibrated import CalibratedModel, shipped_model
from engine.investigation.completeness.evidence import SHOWN, Evidence, evidence_of
from engine.investigation.pool import Pool, Reading
from engine.model import AreaCoverage, AreaState, Completeness, EvidenceStatus
from engine.retrieval.scan import Scan

METHOD, WHOLE = "calibrated on gold questions", "the pool holds all of the corpus"


def completeness_of(
    found: Scan,
    pool: Pool,
    areas: Sequence[AreaCoverage],
    number: int,
    reading: Reading,
    model: CalibratedModel | None = None,
) -> Completeness | None:
    """The share of what is relevant that the pool holds after round ``number``; None for an empty pool, and
    where it cannot be told: without vectors, and where the question was not found, or in part only.

    It is the mean share of the gold that pools with such evidence held on questions like those of the gold
    sets; the interval held eight in ten of them. The estimate is never above the share of the required areas
    that something was found on.
    """
    evidence = evidence_of(found, pool, number, reading)
    if evidence is None:
        return None
    if len(pool) >= len(found.relevance.corpus):
        return Completeness(1.0, 1.0, 1.0, WHOLE)
    if evidence.status is not EvidenceStatus.FOUND or evidence.values["single"]:
        return None
    said = told(evidence, model or shipped_model())
    required = [area for area in areas if area.required]
    if not required:
        return said
    most = sum(area.state is not AreaState.MISSING for area in required) / len(required)
    return replace(said, estimate=min(said.estimate, most), low=min(said.low, most))


def told(evidence: Evidence, model: CalibratedModel) -> Completeness:
    """What a model says of some evidence."""
    estimate = model.estimate(evidence.values)
    low, high = model.interval.around(estimate)
    shown = evidence.finders[:SHOWN]
    return Completeness(
        estimate, low, high, METHOD, len(shown), sum(count == 1 for count in shown), dict(evidence.values)
    )
