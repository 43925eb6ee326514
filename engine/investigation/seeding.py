"""Which passages of the pool the next round starts from."""

from __future__ import annotations

import numpy as np

from engine.investigation.pool import Pool
from engine.investigation.strategies.base import Seeds

# The lowest score of a seed, as a share of the best.
LOWEST = 0.25


def seeds_of(pool: Pool, most: int) -> Seeds:
    """At most so many of the best unexplored passages of the pool, pinned ones first."""
    entries = [
        entry
        for entry in pool.entries()
        if entry.passage_id not in pool.explored and entry.passage_id not in pool.dismissed
    ]
    best = max((entry.score for entry in pool.entries()), default=0.0)
    minimum = LOWEST * best
    pinned = pool.pinned
    worthy = [entry for entry in entries if entry.score >= minimum or entry.passage_id in pinned]
    worthy.sort(key=lambda entry: (entry.passage_id not in pinned, -entry.score, entry.row))
    chosen = worthy[:most]
    return Seeds(
        np.array([entry.row for entry in chosen], np.int32),
        np.array([entry.score for entry in chosen], np.float32),
    )
