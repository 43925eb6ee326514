"""How broad a case goes: what the limit of its pool makes of the scan, the seeds, the budgets and the gate.

One number, so that a larger pool is filled and a smaller one holds the best: the values between the points
are interpolated. The points up to a pool of 1,000 were set on the gold sets one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.settings import InvestigationSettings

# How many candidates the scan keeps and how deep each list is read, by how the question is seen.
SHARES: Mapping[str, float] = {"precision": 0.8, "balanced": 1.0, "recall": 1.5}
DEEPEST_SCAN, DEEPEST_LIST = 1_500, 3_000


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """``scan``: candidates of the broad scan that enter the pool; ``depth``: hits taken of each retriever for
    each view. Of a round: ``seeds``, ``hops`` (references followed in a row from a seed), the leads that are
    admitted ``per_strategy`` (of a fully trusted one; others get their share), ``per_document`` and
    ``per_relation``, the lowest score at the ``gate``, and the share by which the pool must grow for another
    round, ``gain``.
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
    """The breadth of a case; ``strategy``: how the question is seen, where a plan says it and not the
    settings."""
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

    def whole(name: str) -> int:
        return round(at(name))

    return SearchBudget(
        scan=whole("scan"),
        depth=whole("depth"),
        seeds=whole("seeds"),
        hops=int(at("hops")),
        per_strategy=whole("per_strategy"),
        per_document=whole("per_document"),
        per_relation=whole("per_relation"),
        gate=at("gate"),
        gain=at("gain"),
    )
