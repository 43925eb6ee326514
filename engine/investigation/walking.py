"""Where a walk from the question's best passages and names ends up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.investigation.associations import Associations, walk
from engine.model import QueryPlan

# The walk starts at this many passages, and the best of them by far the most often.
STARTS, SHARPNESS = 20, 8
# This share of the starts is at the entities that the question names.
ENTITY_SHARE = 0.3
# A passage that the question names scores at least this share of the best, and more with a rare name.
NAMED_FLOOR, NAMED_SHARE = 0.35, 0.6


def pointed(graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan) -> tuple[Rows, Scores]:
    """Rows and scores with the passages that the question names, shapes (m,): those are nearly as good as
    the best, the rarer their name the nearer."""
    named = graph.named_in(plan.question, plan.language)
    if not named.any() or not len(rows):
        return rows, scores
    every = np.union1d(rows, np.flatnonzero(named)).astype(np.int32)
    found = np.zeros(graph.passages, np.float32)
    found[rows] = scores
    floor = np.where(named > 0, float(scores.max()) * (NAMED_FLOOR + NAMED_SHARE * named), 0.0)
    return every, np.maximum(found, floor)[every].astype(np.float32)


def walked(graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan) -> NDArray[np.float32]:
    """Visits of each passage as a share of the most visited one, shape (passages,).

    ``rows`` and their ``scores`` in 0..1 are where the question points, shapes (n,).
    """
    rows, scores = pointed(graph, rows, scores, plan)
    start = np.zeros(graph.transition.shape[0], np.float32)
    best = np.lexsort((rows, -scores))[:STARTS]
    if not len(best) or scores[best[0]] <= 0:
        return start[: graph.passages]
    weights = (scores[best] / scores[best[0]]) ** SHARPNESS
    start[rows[best]] = weights / weights.sum()
    named = graph.entities_in(plan.question, plan.language)
    named = [entity for entity in named if graph.rarity[entity] > 0]
    if named:
        start *= 1.0 - ENTITY_SHARE
        rarity = graph.rarity[named]
        start[graph.passages + np.array(named)] = ENTITY_SHARE * rarity / rarity.sum()
    visits = walk(graph, start)[: graph.passages]
    most = float(visits.max(initial=0.0))
    return visits / most if most > 0 else visits
