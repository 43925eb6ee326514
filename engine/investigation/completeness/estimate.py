"""The estimate of completeness of a pool: evidence, the calibrated model, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.investigation.completeness.calibrated import CalibratedModel, shipped_model
from engine.investigation.completeness.evidence import SHOWN, Evidence, evidence_of
from engine.investigation.facets import PHRASE
from engine.investigation.pool import Pool, Reading
from engine.model import AreaCoverage, AreaState, Completeness, EvidenceStatus
from engine.retrieval.scan import Scan

METHOD, WHOLE = "calibrated on gold questions", "the pool holds all of the corpus"


def find_completeness(
    found: Scan,
    pool: Pool,
    areas: Sequence[AreaCoverage],
    number: int,
    reading: Reading,
    model: CalibratedModel | None = None,
) -> Completeness | None:
    """Estimate the share of the relevant passages that the pool has after round ``number``.

    The estimate is the mean share of gold passages in pools with similar evidence, on questions like those of
    the gold sets; for eight in ten of them the share was in the interval. It is at most the share of required
    areas and sub-questions with evidence. None for an empty pool, without vectors, and unless the question
    was found.
    """
    evidence = evidence_of(found, pool, number, reading)
    if evidence is None:
        return None
    if len(pool) >= len(found.relevance.corpus):
        return Completeness(1.0, 1.0, 1.0, WHOLE)
    if evidence.status is not EvidenceStatus.FOUND or evidence.values["single"]:
        return None
    estimated = estimate_completeness(evidence, model or shipped_model())
    required = [area for area in areas if area.required and not area.id.startswith(PHRASE)]
    if not required:
        return estimated
    limit = sum(area.state is not AreaState.MISSING for area in required) / len(required)
    return replace(estimated, estimate=min(estimated.estimate, limit), low=min(estimated.low, limit))


def estimate_completeness(evidence: Evidence, model: CalibratedModel) -> Completeness:
    """Estimate completeness from evidence by a model."""
    estimate = model.estimate(evidence.values)
    low, high = model.interval.around(estimate)
    shown = evidence.finders[:SHOWN]
    return Completeness(
        estimate, low, high, METHOD, len(shown), sum(count == 1 for count in shown), dict(evidence.values)
    )
