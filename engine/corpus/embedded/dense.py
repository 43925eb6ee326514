"""Exact search by inner product over the vectors of a corpus, by faiss.

Every vector is compared, so nothing at or above a threshold is ever missed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

import faiss as faiss_module
import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.best import by_product
from engine.corpus.embedded.block import Block
from engine.corpus.protocol import Hits, Mask, Rows

# The stubs that faiss ships describe the C++ signatures, not the Python ones.
faiss: Any = faiss_module


# Answers about the whole corpus that are remembered: a case asks for the best hits of its question again and
# again (scan, evidence), and all cases ask for those of the areas.
REMEMBERED = 256


class VectorIndex:
    """Unit vectors by row; zero rows are passages in a language that the model does not read."""

    def __init__(self, state: Block) -> None:
        self._vectors: NDArray[np.float32] = state["vectors"]
        self._present: Mask = state["vectors.present"]
        self._count = int(np.count_nonzero(self._present))
        self._remembered: OrderedDict[bytes, tuple[int, Hits]] = OrderedDict()
        self._lock = Lock()

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
        asked = np.ascontiguousarray(queries, np.float32)
        if mask is not None:
            allowed = self._present & mask
            return [_from(hits, minimum) for hits in self._best(asked, limit, allowed)]
        keys = [query.tobytes() for query in asked]
        known = {key: hits for key in keys if (hits := self._recall(key, limit)) is not None}
        new = [place for place, key in enumerate(keys) if key not in known]
        if new:
            found = self._best(asked[new], limit, self._present)
            known |= {keys[place]: hits for place, hits in zip(new, found, strict=True)}
            self._remember({keys[place]: (limit, known[keys[place]]) for place in new})
        return [_from(known[key], minimum) for key in keys]

    def _recall(self, key: bytes, limit: int) -> Hits | None:
        """What is remembered of a query: as many hits as are wanted, where it is certain which they are."""
        with self._lock:
            if key not in self._remembered:
                return None
            self._remembered.move_to_end(key)
            had, hits = self._remembered[key]
        if had == limit or (had > limit and len(hits.scores) <= limit):
            return hits
        # Among equals a search for fewer might have kept others.
        if had > limit and hits.scores[limit - 1 : limit] > hits.scores[limit : limit + 1]:
            return Hits(hits.rows[:limit], hits.scores[:limit])
        return None

    def _remember(self, found: Mapping[bytes, tuple[int, Hits]]) -> None:
        with self._lock:
            self._remembered.update(found)
            while len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)

    def _best(self, asked: NDArray[np.float32], limit: int, allowed: Mask) -> list[Hits]:
        """The best of the allowed rows for each query, best first."""
        count = self._count if allowed is self._present else int(np.count_nonzero(allowed))
        limit = min(limit, count)
        if limit <= 0 or not len(asked):
            return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in asked]
        # Looking every passage up in the bitmap takes several times as long as comparing its vector.
        selector = None
        if count < len(allowed):
            selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        held = self._vectors
        scores, rows = np.empty((len(asked), limit), np.float32), np.empty((len(asked), limit), np.int64)
        arrays = [faiss.swig_ptr(array) for array in (asked, held, scores, rows)]
        sizes = (held.shape[1], len(asked), len(held), limit)
        faiss.knn_inner_product(*arrays[:2], *sizes, *arrays[2:], selector)
        return [self._hits(query, rows[n]) for n, query in enumerate(asked)]

    def _hits(self, query: NDArray[np.float32], rows: NDArray[np.int64]) -> Hits:
        """Hits in their order; read-only, as they are remembered."""
        rows = np.sort(rows[rows >= 0])
        hits = by_product(rows, self._vectors[rows], query)
        for array in (hits.rows, hits.scores):
            array.flags.writeable = False
        return hits

    def take(self, rows: Rows) -> NDArray[np.float32]:
        """The vectors at ``rows``, shape (n, d)."""
        chosen: NDArray[np.float32] = self._vectors[np.asarray(rows, np.int64)]
        return chosen


def _from(hits: Hits, minimum: float) -> Hits:
    """The hits of at least a score; they are in its order."""
    size = int(np.searchsorted(-hits.scores, -np.float32(minimum), side="right"))
    return Hits(hits.rows[:size], hits.scores[:size])


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
