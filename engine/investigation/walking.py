"""Where a walk from the question's best passages and names ends up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Mask, Rows, Scores
from engine.investigation.associations import Associations
from engine.investigation.pushing import TOLERANCE, pushed
from engine.model import QueryPlan
from engine.sorting import distinct

# The walk starts at this many passages, and the best of them by far the most often.
STARTS, SHARPNESS = 20, 8
# This share of the starts is at the entities that the question names.
ENTITY_SHARE = 0.3
# A passage that the question names scores at least this share of the best, and more with a rare name.
NAMED_FLOOR, NAMED_SHARE = 0.35, 0.6


@dataclass(frozen=True, slots=True)
class Visits:
    """The passages that a walk visits, in rising order, and how often, as shares of the most visited one;
    shapes (k,)."""

    rows: Rows
    shares: Scores

    def of(self, rows: Rows) -> Scores:
        """The share of each passage, 0 where the walk does not come; shape as ``rows``."""
        found = np.zeros(len(rows), np.float32)
        if len(self.rows):
            places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
            there = self.rows[places] == rows
            found[there] = self.shares[places[there]]
        return found

    def ranks(self, rows: Rows) -> Scores:
        """How many passages are visited more often than each, all of them where the walk does not come to it;
        shape as ``rows``."""
        shares = self.of(rows)
        ranks = len(self.rows) - np.searchsorted(np.sort(self.shares), shares, "right")
        return np.where(shares > 0, ranks, len(self.rows)).astype(np.float32)

    def best(self, limit: int, mask: Mask | None) -> Visits:
        """The most visited passages, ``limit`` at most, of those that the mask allows, shape (passages,); the
        most visited first, equals by row."""
        allowed = np.flatnonzero(mask[self.rows]) if mask is not None else np.arange(len(self.rows))
        if len(allowed) > limit:
            shares = self.shares[allowed]
            last = np.partition(shares, len(shares) - limit)[len(shares) - limit]
            allowed = allowed[shares >= last]
        order = allowed[np.argsort(-self.shares[allowed], kind="stable")[:limit]]
        return Visits(self.rows[order], self.shares[order])


NOWHERE = Visits(np.empty(0, np.int32), np.empty(0, np.float32))


def pointed(graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan) -> tuple[Rows, Scores]:
    """Rows and scores with the passages that the question names, shapes (m,): those are nearly as good as
    the best, the rarer their name the nearer."""
    named, surely = graph.named_in(plan.question, plan.language)
    if not len(named) or not len(rows):
        return rows, scores
    every = distinct(np.concatenate([rows, named]))
    found = np.zeros(len(every), np.float32)
    found[np.searchsorted(every, rows)] = scores
    floor = np.zeros(len(every), np.float32)
    floor[np.searchsorted(every, named)] = float(scores.max()) * (NAMED_FLOOR + NAMED_SHARE * surely)
    return every, np.maximum(found, floor)


def walked(
    graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan, tolerance: float = TOLERANCE
) -> Visits:
    """Where walks from the question's best passages and names stay.

    ``rows`` and their ``scores`` in 0..1 are where the question points, shapes (n,); ``tolerance`` as in
    ``pushed``.
    """
    rows, scores = pointed(graph, rows, scores, plan)
    best = np.lexsort((rows, -scores))[:STARTS]
    if not len(best) or scores[best[0]] <= 0:
        return NOWHERE
    weights = (scores[best] / scores[best[0]]) ** SHARPNESS
    nodes, shares = rows[best], weights / weights.sum()
    named = [one for one in graph.entities_in(plan.question, plan.language) if graph.rarity[one] > 0]
    if named:
        rarity = graph.rarity[named]
        nodes = np.concatenate([nodes, graph.passages + np.array(named)])
        shares = np.concatenate([(1.0 - ENTITY_SHARE) * shares, ENTITY_SHARE * rarity / rarity.sum()])
    found, visits = pushed(
        graph.joined,
        graph.scale,
        graph.links,
        nodes.astype(np.int32),
        shares.astype(np.float32),
        tolerance=tolerance,
    )
    told = (found < graph.passages) & (visits > 0)
    found, visits = found[told], visits[told]
    return Visits(found, visits / visits.max()) if len(visits) else NOWHERE
