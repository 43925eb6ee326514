"""Exact search by inner product over a corpus folder, by faiss.

The index is flat, so nothing at or above a threshold is ever missed; it is read from disk through
a memory map.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss as faiss_module
import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import open_array, write_array
from engine.corpus.protocol import Hits, Mask, Rows

INDEX_NAME = "vectors.faiss"

# The stubs that faiss ships describe the C++ signatures, not the Python ones.
faiss: Any = faiss_module


class VectorIndex:
    """Unit vectors by row; zero rows are passages in a language that the model does not read."""

    def __init__(self, folder: Path) -> None:
        self._index = faiss.read_index(str(folder / INDEX_NAME), faiss.IO_FLAG_MMAP_IFC)
        self._present: Mask = open_array(folder, "vectors.present")
        shape = (self._index.ntotal, self._index.d)
        # A view of the mapped file; the index object keeps it alive.
        flat = faiss.rev_swig_ptr(self._index.get_xb(), shape[0] * shape[1])
        self._vectors: NDArray[np.float32] = flat.reshape(shape)

    @staticmethod
    def write(folder: Path, vectors: NDArray[np.float32]) -> None:
        """Write the index. ``vectors``: shape (passages, d), unit or zero rows."""
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(np.ascontiguousarray(vectors, np.float32))
        faiss.write_index(index, str(folder / INDEX_NAME))
        write_array(folder, "vectors.present", np.asarray(vectors.any(axis=1)))

    def search(
        self, queries: NDArray[np.float32], limit: int, minimum: float, mask: Mask | None
    ) -> list[Hits]:
        """For each query the best rows with an inner product >= ``minimum``, ``limit`` at most."""
        allowed = self._present if mask is None else self._present & mask
        limit = min(limit, int(np.count_nonzero(allowed)))
        if limit <= 0 or not len(queries):
            return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in queries]
        # Looking every passage up in the bitmap takes several times as long as comparing its vector.
        parameters, selector = None, None
        if not allowed.all():
            selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
            parameters = faiss.SearchParameters(sel=selector)
        scores, rows = self._index.search(np.ascontiguousarray(queries, np.float32), limit, params=parameters)
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
