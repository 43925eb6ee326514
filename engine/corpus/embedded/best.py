"""The best rows of a column of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array
from engine.corpus.protocol import Hits, Mask

# In a column of at least so many scores the best of every so many tell where the best of all begin.
LARGE, PART = 100_000, 16


def best_hits(
    scores: Array, limit: int, minimum: float, mask: Mask | None, *, exclusive: bool = False
) -> Hits:
    """At most ``limit`` rows with the highest scores, best first, equal scores in row order.

    Kept are scores >= ``minimum`` (> where ``exclusive``) of rows that ``mask`` allows.
    """
    least = _reached(scores, limit, mask) if limit > 0 else None
    if least is not None and least > minimum:
        allowed = scores >= least
    else:
        allowed = scores > minimum if exclusive else scores >= minimum
    if mask is not None:
        allowed &= mask
    rows = np.flatnonzero(allowed)
    values = scores[rows]
    if len(rows) > limit:
        # Everything at or above the last place's score, so that ties are settled by row below.
        last = np.partition(values, len(values) - limit)[len(values) - limit] if limit > 0 else np.inf
        rows = rows[values >= last]
        values = scores[rows]
    order = np.lexsort((rows, -values))[: max(limit, 0)]
    return Hits(rows[order].astype(np.int32), values[order].astype(np.float32))


def _reached(scores: Array, limit: int, mask: Mask | None) -> np.floating | None:
    """A score that ``limit`` rows reach at least: that of the last of as many in a part of them. None where
    the part is too small to tell."""
    part = scores[::PART] if mask is None else scores[::PART][mask[::PART]]
    if len(scores) < LARGE or len(part) <= limit:
        return None
    least: np.floating = np.partition(part, len(part) - limit)[len(part) - limit]
    return least


def by_product(rows: Array, vectors: NDArray[np.float32], query: NDArray[np.float32]) -> Hits:
    """Rows in rising order by the inner product of their vectors, shape (n, d), with a query, best first.

    Scores are computed row by row: those of a batch depend in their last digits on what else is in it.
    """
    scores = np.einsum("nd,d->n", vectors, query)
    order = np.argsort(-scores, kind="stable")
    return Hits(rows[order].astype(np.int32), scores[order])
