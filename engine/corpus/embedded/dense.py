"""Exact search by inner product over the vectors of a corpus, by faiss.

Every vector is compared, so nothing at or above a threshold is ever missed.
"""

from __future__ import annotations

from typing import Any

import faiss as faiss_module
import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block
from engine.corpus.protocol import Hits, Mask, Rows

# The stubs that faiss ships describe the C++ signatures, not the Python ones.
faiss: Any = faiss_module


class VectorIndex:
    """Unit vectors by row; zero rows are passages in a language that the model does not read."""

    def __init__(self, state: Block) -> None:
        self._vectors: NDArray[np.float32] = state["vectors"]
        self._present: Mask = state["vectors.present"]

    @staticmethod
    def put(state: Block, vectors: NDArray[np.float32]) -> None:
        """Set the vectors, shape (passages, d), unit or zero rows."""
        state.arrays |= {
            "vectors": np.asarray(vectors, np.float32),
            "vectors.present": np.asarray(vectors.any(axis=1)),
        }

    def search(
        self, queries: NDArray[np.float32], limit: int, minimum: float, mask: Mask | None
    ) -> list[Hits]:
        """For each query the best rows with an inner product >= ``minimum``, ``limit`` at most."""
        allowed = self._present if mask is None else self._present & mask
        limit = min(limit, int(np.count_nonzero(allowed)))
        if limit <= 0 or not len(queries):
            return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in queries]
        # Looking every passage up in the bitmap takes several times as long as comparing its vector.
        selector = None
        if not allowed.all():
            selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        asked, held = np.ascontiguousarray(queries, np.float32), self._vectors
        scores, rows = np.empty((len(asked), limit), np.float32), np.empty((len(asked), limit), np.int64)
        arrays = [faiss.swig_ptr(array) for array in (asked, held, scores, rows)]
        sizes = (held.shape[1], len(asked), len(held), limit)
        faiss.knn_inner_product(*arrays[:2], *sizes, *arrays[2:], selector)
        return [_hits(rows[n], scores[n], minimum) for n in range(len(queries))]

    def take(self, rows: Rows) -> NDArray[np.float32]:
        """The vectors at ``rows``, shape (n, d)."""
        chosen: NDArray[np.float32] = self._vectors[np.asarray(rows, np.int64)]
        return chosen


def _hits(rows: NDArray[np.int64], scores: NDArray[np.float32], minimum: float) -> Hits:
    kept = (rows >= 0) & (scores >= minimum)
    rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))
    return Hits(rows[order].astype(np.int32), scores[order])


def similarity_floor(vectors: NDArray[np.float32], pairs: int = 20_000) -> float:
    """Cosine that all but the least similar hundredth of random pairs of passages reach.

    The pairs are drawn with a fixed seed; zero rows are left out. 0 for fewer than two vectors.
    """
    present = np.flatnonzero(vectors.any(axis=1))
    if len(present) < 2:
        return 0.0
    drawn = np.random.default_rng(0).integers(0, len(present), (2, pairs))
    left, right = present[drawn[:, drawn[0] != drawn[1]]]
    return float(np.percentile(np.einsum("nd,nd->n", vectors[left], vectors[right]), 1))
