"""Learned sparse vectors of a corpus folder: an inverted index, one list of passages for each term.

Weights are stored in half precision; the score of a passage is the inner product with the query's row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import best_hits, ranges
from engine.corpus.embedded.block import Block
from engine.corpus.protocol import Hits, Mask, Rows, Scores
from engine.language.embedders.base import SparseVectors


class SparseIndex:
    """The rows of all passages, by term."""

    def __init__(self, index: Block) -> None:
        self._pointers: NDArray[np.int64] = index["pointers"]
        self._rows: Rows = index["rows"]
        self._weights: NDArray[np.float16] = index["weights"]
        self._shape = (int(index["size"][0]), len(self._pointers) - 1)

    @staticmethod
    def build(vectors: SparseVectors, dimensions: int) -> Block:
        """Build the index of a corpus; ``dimensions`` is the size of the vocabulary."""
        size = len(vectors.pointers) - 1
        values = (vectors.weights, vectors.terms, vectors.pointers)
        by_term = scipy.sparse.csr_array(values, shape=(size, dimensions)).tocsc()
        return Block(
            {
                "pointers": by_term.indptr.astype(np.int64),
                "rows": by_term.indices.astype(np.int32),
                "weights": by_term.data.astype(np.float16),
                "size": np.asarray([size], np.int64),
            }
        )

    def search(self, queries: SparseVectors, limit: int, mask: Mask | None) -> list[Hits]:
        """Return the best rows for each query: scores above 0, at most ``limit``."""
        return [best_hits(scores, limit, 0.0, mask, exclusive=True) for scores in self._scores(queries)]

    def score(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Return the scores of some rows, shape (queries, rows)."""
        scores = [scores[rows] for scores in self._scores(queries)]
        return np.asarray(scores, np.float32).reshape(len(queries.pointers) - 1, len(rows))

    def vectors(self) -> SparseVectors:
        """Return the row of each passage."""
        stored = (self._weights.astype(np.float32), self._rows, self._pointers)
        by_row = scipy.sparse.csc_array(stored, shape=self._shape).tocsr()
        return SparseVectors(by_row.indptr.astype(np.int64), by_row.indices.astype(np.int32), by_row.data)

    def _scores(self, queries: SparseVectors) -> list[Scores]:
        found = []
        for begin, end in pairwise(queries.pointers.tolist()):
            scores = np.zeros(self._shape[0], np.float32)
            for term, weight in zip(queries.terms[begin:end], queries.weights[begin:end], strict=True):
                if term < self._shape[1]:
                    start, stop = self._pointers[term : term + 2].tolist()
                    # A passage occurs once per term, so that a plain addition is correct.
                    scores[self._rows[start:stop]] += weight * self._weights[start:stop]
            found.append(scores)
        return found


def join(parts: Sequence[SparseVectors]) -> SparseVectors:
    """Return the rows of all parts, of which there is at least one."""
    counts = np.concatenate([np.diff(part.pointers) for part in parts])
    terms, weights = (np.concatenate([part[column] for part in parts]) for column in (1, 2))
    return SparseVectors(np.concatenate([[0], np.cumsum(counts)]), terms, weights)


def take(vectors: SparseVectors, rows: NDArray[np.int64]) -> SparseVectors:
    """Return some rows, in that order."""
    starts, stops = vectors.pointers[rows], vectors.pointers[rows + 1]
    _, places = ranges(starts, stops)
    pointers = np.concatenate([[0], np.cumsum(stops - starts)])
    return SparseVectors(pointers, vectors.terms[places], vectors.weights[places])
