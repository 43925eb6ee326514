"""Dense search as in a folder: the client scans the codes, and the server compares the nearest vectors.

The codes of all vectors (two bits a dimension) are read once per open corpus, 96 bytes a passage if a vector
has 384 dimensions. So the same passages are compared as in a folder, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.dense import Codes, VectorIndex
from engine.corpus.protocol import Hits, Mask, Rows

# The best rows of the server are scored again as in a folder, to the bit: this many more are fetched.
WIDER = 32

# Returns the scores of each query's rows, in the shape of the rows.
Compare = Callable[[NDArray[np.float32], Sequence[NDArray[np.int64]]], list[NDArray[np.float32]]]
# Returns the best rows within a mask.
Nearest = Callable[[NDArray[np.float32], int, Mask], Sequence[Rows]]


class PostgresVectors(VectorIndex):
    """The vectors of one generation."""

    def __init__(
        self,
        present: Mask,
        codes: Codes | None,
        take: Callable[[Rows], NDArray[np.float32]],
        compare: Compare,
        nearest: Nearest,
    ) -> None:
        """Create the index. ``present`` and ``codes`` are by row; ``take`` returns vectors by row."""
        self._take, self._compare, self._nearest = take, compare, nearest
        self._look_through(present, codes)

    def take(self, rows: Rows | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors at ``rows``, shape (n, d)."""
        return self._take(np.asarray(rows, np.int32))

    def _best_of(
        self, asked: NDArray[np.float32], near: Sequence[NDArray[np.int64]], limit: int
    ) -> list[Hits]:
        if not len(near):
            return []
        found = zip(near, self._compare(asked, near), strict=True)
        kept = [rows[np.lexsort((rows, -scores))[: limit + WIDER]] for rows, scores in found]
        return self._score(asked, kept, limit)

    def _exactly(self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int) -> list[Hits]:
        if not len(asked):
            return []
        return self._score(asked, self._nearest(asked, min(limit + WIDER, count), allowed), limit)

    def _score(
        self, asked: NDArray[np.float32], kept: Sequence[NDArray[np.int64] | Rows], limit: int
    ) -> list[Hits]:
        # Read all in one batch, which fills the cache.
        self.take(np.unique(np.concatenate(kept)))
        return [
            self._hits(query, rows.astype(np.int64), limit) for query, rows in zip(asked, kept, strict=True)
        ]
