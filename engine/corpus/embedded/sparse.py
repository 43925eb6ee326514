"""Learned sparse vectors of a corpus folder: an inverted index, one list of passages a term.

Weights are kept in half precision; the score of a passage is the inner product with the question's row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import ranges
from engine.corpus.embedded.best import best_hits
from engine.corpus.embedded.block import Block
from engine.corpus.protocol import Hits, Mask, Rows, Scores
from engine.language.embedders.base import SparseVectors

REMEMBERED = 16


class SparseIndex:
    """The rows of all passages, by term."""

    def __init__(self, index: Block) -> None:
        self._pointers: NDArray[np.int64] = index["pointers"]
        self._rows: Rows = index["rows"]
        self._weights: NDArray[np.float16] = index["weights"]
        self._size = int(index["size"][0])
        # One question is asked again and again, for other passages.
        self._scores = lru_cache(maxsize=REMEMBERED)(self._computed)

    @staticmethod
    def made(parts: Sequence[SparseVectors], dimensions: int) -> Block:
        """The index of consecutive parts of the corpus."""
        sizes = [len(part.pointers) - 1 for part in parts]
        counts = np.concatenate([np.zeros(0, np.int64), *(np.diff(part.pointers) for part in parts)])
        pointers = np.concatenate([[0], np.cumsum(counts)])
        terms = np.concatenate([np.zeros(0, np.int32), *(part.terms for part in parts)])
        weights = np.concatenate([np.zeros(0, np.float32), *(part.weights for part in parts)])
        by_term = scipy.sparse.csr_array((weights, terms, pointers), shape=(sum(sizes), dimensions)).tocsc()
        return Block(
            {
                "pointers": by_term.indptr.astype(np.int64),
                "rows": by_term.indices.astype(np.int32),
                "weights": by_term.data.astype(np.float16),
                "size": np.asarray([sum(sizes)], np.int64),
            }
        )

    @property
    def dimensions(self) -> int:
        """Size of the vocabulary."""
        return len(self._pointers) - 1

    def search(self, queries: SparseVectors, limit: int, mask: Mask | None) -> list[Hits]:
        """The best rows for each query: scores above 0, ``limit`` at most."""
        return [best_hits(scores, limit, 0.0, mask, exclusive=True) for scores in self._each(queries)]

    def score(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """The scores of chosen rows, shape (queries, rows)."""
        chosen = np.asarray(rows, np.int64)
        scores = [scores[chosen] for scores in self._each(queries)]
        return np.asarray(scores, np.float32).reshape(len(queries.pointers) - 1, len(chosen))

    def all(self) -> SparseVectors:
        """The row of every passage."""
        shape = (self._size, self.dimensions)
        stored = (self._weights.astype(np.float32), self._rows, self._pointers)
        by_row = scipy.sparse.csr_array(scipy.sparse.csr_array(stored, shape=shape[::-1]).T.tocsr())
        by_row.sort_indices()
        return SparseVectors(
            by_row.indptr.astype(np.int64), by_row.indices.astype(np.int32), by_row.data.astype(np.float32)
        )

    def _each(self, queries: SparseVectors) -> list[Scores]:
        bounds = queries.pointers.tolist()
        return [
            self._scores(queries.terms[start:stop].tobytes(), queries.weights[start:stop].tobytes())
            for start, stop in pairwise(bounds)
        ]

    def _computed(self, terms: bytes, weights: bytes) -> Scores:
        scores = np.zeros(self._size, np.float32)
        named = np.frombuffer(terms, np.int32).tolist()
        for term, weight in zip(named, np.frombuffer(weights, np.float32).tolist(), strict=True):
            if term < self.dimensions:
                start, stop = self._pointers[term : term + 2].tolist()
                # A passage stands once under a term, so that a plain addition reaches each of them.
                scores[self._rows[start:stop]] += np.float32(weight) * self._weights[start:stop]
        scores.flags.writeable = False
        return scores


def chosen(vectors: SparseVectors, rows: NDArray[np.int64]) -> SparseVectors:
    """Some rows of sparse vectors, in that order."""
    starts, stops = vectors.pointers[rows], vectors.pointers[rows + 1]
    _, places = ranges(starts, stops)
    pointers = np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int64)
    return SparseVectors(pointers, vectors.terms[places], vectors.weights[places])
