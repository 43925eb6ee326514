"""Token vectors of a corpus folder, and late interaction over them.

A passage's score for a question is the mean, over the question's tokens, of the highest cosine that any
token of the passage reaches (MaxSim: Khattab and Zaharia, SIGIR 2020). Vectors are kept as whole numbers:
a component of a unit vector times 127, of which the last digit moves a cosine by about 0.002.

Scoring is exact. A search scores those passages whose mean token vector is nearest to the question's (exact
inner product over all of them), and any others that it is told of: MaxSim over the whole corpus would read
every token of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Index, ranges
from engine.corpus.embedded.best import best_hits
from engine.corpus.embedded.block import Block
from engine.corpus.protocol import Hits, Mask, Rows
from engine.language.embedders.base import TokenVectors, Vectors, unit

Stored = NDArray[np.int8]

INDEX_NAME, VECTORS_NAME = "tokens.arrays", "tokens.int8"
SCALE = 127.0
# Tokens that are scored at once: their vectors fit into the second-level cache or nearly so.
AT_ONCE = 1 << 12
# Questions whose scores are remembered: as many as fit into the bytes, within bounds.
REMEMBERED_BYTES = 32 << 20
FEWEST, MOST = 2, 16


def stored(vectors: Vectors) -> Stored:
    """Unit vectors as they are kept."""
    whole: Stored = np.rint(vectors * SCALE).astype(np.int8)
    return whole


class TokenWriter:
    """Writes the token vectors of a generation, passage after passage."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder, self._dimensions = folder, dimensions
        self._counts: list[NDArray[np.int64]] = []
        self._means: list[Vectors] = []

    def __enter__(self) -> TokenWriter:
        self._file = open(self._folder / VECTORS_NAME, "wb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if error is None:
            counts = np.concatenate([np.zeros(1, np.int64), *self._counts])
            means = [np.zeros((0, self._dimensions), np.float32), *self._means]
            index = Block({"offsets": np.cumsum(counts), "means": np.concatenate(means)})
            index.save(self._folder / INDEX_NAME)

    def add(self, offsets: Index, vectors: Stored) -> None:
        """Add consecutive passages; passage n has ``vectors[offsets[n]:offsets[n + 1]]``."""
        counts = np.diff(offsets)
        sums = np.zeros((len(counts), self._dimensions), np.float32)
        held = np.flatnonzero(counts)
        if len(held):
            sums[held] = np.add.reduceat(vectors.astype(np.float32), offsets[held], axis=0)
        self._counts.append(counts)
        self._means.append(unit(sums))
        self._file.write(np.ascontiguousarray(vectors).data)


class _Scored(NamedTuple):
    """Scores for some queries, shape (passages, queries), and whose are known, shape (passages,)."""

    scores: NDArray[np.float32]
    there: Mask


class TokenIndex:
    """The token vectors of all passages. ``index``: what the writer has written as ``INDEX_NAME``;
    ``content`` gives the bytes of ``VECTORS_NAME``, and is asked when the first vector is needed."""

    def __init__(self, index: Block, content: Callable[[], NDArray[np.uint8]]) -> None:
        self._offsets: Index = index["offsets"]
        self._means: Vectors = index["means"]
        self._content = content
        # One question is asked again and again, in part for the same passages.
        places = REMEMBERED_BYTES // (5 * max(len(self._means), 1))
        self._remembered = lru_cache(maxsize=min(max(places, FEWEST), MOST))(self._table)

    @cached_property
    def _vectors(self) -> Stored:
        return self._content().view(np.int8).reshape(-1, self.dimensions)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._means.shape[1])

    def take(self, rows: NDArray[np.int64]) -> tuple[Index, Stored]:
        """The vectors of some passages, as ``TokenWriter.add`` wants them."""
        starts, stops = self._offsets[rows], self._offsets[rows + 1]
        _, places = ranges(starts, stops)
        return np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int64), self._vectors[places]

    def means(self) -> Vectors:
        """The mean token vector of each passage, unit or zero, shape (passages, d)."""
        return self._means

    def search(self, queries: TokenVectors, limit: int, also: Rows, mask: Mask | None) -> list[Hits]:
        """The best rows for each query: scores above 0, ``limit`` at most, of the ``limit`` that are nearest
        by their mean vectors and of those in ``also``."""
        near = [best_hits(scores, limit, 0.0, mask, exclusive=True) for scores in self._by_mean(queries)]
        rows = np.unique(np.concatenate([also, *(hits.rows for hits in near)])).astype(np.int32)
        rows = rows if mask is None else rows[mask[rows]]
        found = [best_hits(scores, limit, 0.0, None, exclusive=True) for scores in self.score(queries, rows)]
        return [Hits(rows[hits.rows], hits.scores) for hits in found]

    def score(self, queries: TokenVectors, rows: Rows) -> NDArray[np.float32]:
        """The scores of chosen rows, shape (queries, rows); 0 for a passage or a query without tokens."""
        scores = np.zeros((len(queries.offsets) - 1, len(rows)), np.float32)
        if not scores.size or not len(queries.vectors):
            return scores
        known = self._remembered(queries.offsets.tobytes(), queries.vectors.tobytes())
        new = np.unique(rows[~known.there[rows]])
        if len(new):
            known.scores[new] = self._computed(queries, new.astype(np.int64)).T
            known.there[new] = True
        return known.scores[rows].T

    def _computed(self, queries: TokenVectors, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        """The scores of distinct rows, shape (queries, rows)."""
        counts = np.diff(queries.offsets)
        asked = np.flatnonzero(counts)
        scores = np.zeros((len(counts), len(chosen)), np.float32)
        # The questions' vectors are scaled down, which are fewer.
        scaled = queries.vectors / np.float32(SCALE)
        lengths = self._offsets[chosen + 1] - self._offsets[chosen]
        bounds = np.searchsorted(np.cumsum(lengths), np.arange(AT_ONCE, lengths.sum(), AT_ONCE)) + 1
        for part in np.split(np.arange(len(chosen)), np.unique(bounds)):
            held = part[lengths[part] > 0]
            if len(held):
                offsets, vectors = self.take(chosen[held])
                cosines = scaled @ vectors.astype(np.float32).T
                highest = np.maximum.reduceat(cosines, offsets[:-1], axis=1)
                sums = np.add.reduceat(highest, queries.offsets[asked], axis=0)
                scores[np.ix_(asked, held)] = sums / counts[asked, None]
        return scores

    def _table(self, offsets: bytes, vectors: bytes) -> _Scored:
        """Where the scores for some queries, known by their bytes, are remembered."""
        queries = len(offsets) // 8 - 1
        return _Scored(
            np.zeros((len(self._means), queries), np.float32), np.zeros(len(self._means), np.bool_)
        )

    def _by_mean(self, queries: TokenVectors) -> NDArray[np.float32]:
        """Cosines between the mean vectors of queries and of all passages, shape (queries, passages)."""
        counts = np.diff(queries.offsets)
        asked = np.flatnonzero(counts)
        means = np.zeros((len(counts), self.dimensions), np.float32)
        if len(asked):
            means[asked] = np.add.reduceat(queries.vectors, queries.offsets[asked], axis=0)
        cosines: NDArray[np.float32] = unit(means) @ self._means.T
        return cosines
