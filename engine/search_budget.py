"""The search budget of a case, derived from the limit of its pool: scan, seeds, round budgets, gate.

Values between the points are interpolated. The points up to a pool of 1,000 were chosen on the gold sets one
by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.settings import InvestigationSettings

# The share of candidates of the scan and of the depth of each list, by query strategy.
SHARES: Mapping[str, float] = {"precision": 0.8, "balanced": 1.0, "recall": 1.5}
DEEPEST_SCAN, DEEPEST_LIST = 1_500, 3_000


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """Limits of a search.

    ``scan``: candidates of the scan admitted to the pool; ``depth``: hits taken from each retriever for each
    view. In a round: ``seeds``, ``hops`` (references followed in sequence from a seed), admitted leads
    ``per_strategy`` (of a fully trusted one; others get their share), ``per_document`` and ``per_relation``,
    the lowest score at the ``gate``, and the relative growth of the pool required for another round,
    ``gain``.
    """

    scan: int
    depth: int
    seeds: int
    hops: int
    per_strategy: int
    per_document: int
    per_relation: int
    gate: float
    gain: float


# By the limit of the pool, in passages.
POINTS: Mapping[int, SearchBudget] = {
    10: SearchBudget(8, 500, 5, 2, 5, 5, 10, 0.14, 0.01),
    200: SearchBudget(100, 500, 10, 2, 18, 15, 30, 0.14, 0.01),
    500: SearchBudget(100, 500, 10, 2, 18, 15, 30, 0.14, 0.01),
    1_000: SearchBudget(300, 500, 15, 2, 50, 25, 80, 0.10, 0.01),
    2_000: SearchBudget(1_000, 2_000, 40, 3, 300, 120, 400, 0.0, 0.0),
}


def budget_for(settings: InvestigationSettings, strategy: str | None = None) -> SearchBudget:
    """Return the budget of a case; ``strategy``: the query strategy if a plan overrides the settings'."""
    found = _between(settings.pool_size)
    share = SHARES[strategy or settings.query_strategy]
    return replace(
        found,
        scan=max(1, min(DEEPEST_SCAN, round(share * found.scan))),
        depth=min(DEEPEST_LIST, round(share * found.depth)),
    )


def _between(size: int) -> SearchBudget:
    points = list(POINTS)

    def at(name: str) -> float:
        return float(np.interp(size, points, [getattr(POINTS[point], name) for point in points]))

    def as_int(name: str) -> int:
        return round(at(name))

    return SearchBudget(
        scan=as_int("scan"),
        depth=as_int("depth"),
        seeds=as_int("seeds"),
        hops=int(at("hops")),
        per_strategy=as_int("per_strategy"),
        per_document=as_int("per_document"),
        per_relation=as_int("per_relation"),
        gate=at("gate"),
        gain=at("gain"),
    )
