"""Which passages of the pool the next round starts from."""

from __future__ import annotations

import numpy as np

from engine.investigation.pool import Pool
from engine.investigation.strategies.base import Seeds
from engine.settings import InvestigationSettings


def seeds_of(pool: Pool, settings: InvestigationSettings) -> Seeds:
    """The best unexplored passages of the pool, pinned ones first."""
    entries = [
        entry
        for entry in pool.entries()
        if entry.passage_id not in pool.explored and entry.passage_id not in pool.dismissed
    ]
    best = max((entry.score for entry in pool.entries()), default=0.0)
    minimum = settings.seed_threshold * best
    pinned = pool.pinned
    worthy = [entry for entry in entries if entry.score >= minimum or entry.passage_id in pinned]
    worthy.sort(key=lambda entry: (entry.passage_id not in pinned, -entry.score, entry.row))
    chosen = worthy[: settings.seeds_per_round]
    return Seeds(
        np.array([entry.row for entry in chosen], np.int32),
        np.array([entry.score for entry in chosen], np.float32),
    )
