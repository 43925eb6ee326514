"""Dense search by codes, as in a folder: the client looks them through, and the server compares the nearest.

The codes of all vectors (two bits a dimension) are read once for an open corpus, 96 bytes a passage where a
vector has 384 dimensions. So the same passages are compared as in a folder, and the same found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.best import by_product
from engine.corpus.embedded.coded import Codes
from engine.corpus.embedded.dense import VectorIndex
from engine.corpus.protocol import Hits, Mask, Rows

# Scores are computed by the server and then, of the best, as in a folder to the bit: so many more are taken.
WIDER = 32

# For each query the scores of its rows, shape as the rows.
Compare = Callable[[NDArray[np.float32], Sequence[NDArray[np.int64]]], list[NDArray[np.float32]]]
# The best of all rows that a mask allows, best first.
Exactly = Callable[[NDArray[np.float32], int, Mask], list[Hits]]


class ServedVectors(VectorIndex):
    """The vectors of one generation."""

    def __init__(
        self,
        present: Mask,
        codes: Codes,
        take: Callable[[Rows], NDArray[np.float32]],
        compare: Compare,
        exactly: Exactly,
    ) -> None:
        """``present`` and ``codes`` by row; ``take`` gives vectors by row."""
        self._take, self._compare, self._compare_all = take, compare, exactly
        self._look_through(present, codes)

    def take(self, rows: Rows | NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors at ``rows``, shape (n, d)."""
        return self._take(np.asarray(rows, np.int32))

    def _best_of(
        self, asked: NDArray[np.float32], near: Sequence[NDArray[np.int64]], limit: int
    ) -> list[Hits]:
        if not len(near):
            return []
        kept = []
        for rows, scores in zip(near, self._compare(asked, near), strict=True):
            kept.append(rows[np.lexsort((rows, -scores))[: limit + WIDER]])
        return self._scored(asked, kept, limit)

    def _exactly(self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int) -> list[Hits]:
        if not len(asked):
            return []
        found = self._compare_all(asked, min(limit + WIDER, count), allowed)
        return self._scored(asked, [hits.rows.astype(np.int64) for hits in found], limit)

    def _scored(
        self, asked: NDArray[np.float32], kept: Sequence[NDArray[np.int64]], limit: int
    ) -> list[Hits]:
        """The best of a few rows for each query, with the scores of a folder; read in one batch."""
        every = np.unique(np.concatenate(kept))
        held, found = self.take(every), []
        for query, rows in zip(asked, kept, strict=True):
            own = np.sort(rows)
            best = by_product(own, held[np.searchsorted(every, own)], query)
            hits = Hits(best.rows[:limit], best.scores[:limit])
            for array in (hits.rows, hits.scores):
                array.flags.writeable = False
            found.append(hits)
        return found
