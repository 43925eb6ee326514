"""BM25 over a corpus folder.

The variant is Lucene's (Kamphuis et al. 2020), whose scores are never negative: with n passages of which
df hold a term, and a passage of ``length`` terms that holds it tf times,

    score = log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * length / mean length))

Scores are computed when a corpus is published, from the postings of its blocks, and kept by term. A term
is known by a 64-bit key: two of a million terms share one with a chance of 1 in 37 million.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, ranges
from engine.corpus.embedded.best import best_hits
from engine.corpus.embedded.block import (
    CONTEXT_FIELD,
    FIELDS,
    TEXT_FIELD,
    TITLE_FIELD,
    Block,
    Postings,
    hashed,
)
from engine.corpus.protocol import Hits, Mask, Rows

# Chosen by measurement on the gold sets, together with the weights of what stands around a passage and of
# its provision's own heading. Vectors hold the headings already: beside them that gained nothing.
K1, B = 0.9, 0.6
CONTEXT_WEIGHT, TITLE_WEIGHT = 0.15, 0.6

# How many answers are remembered: as many as fit into the bytes, within bounds.
REMEMBERED_BYTES = 32 << 20
FEWEST, MOST = 8, 64


class LexicalField:
    """The BM25 index of one field."""

    def __init__(self, state: Block, name: str) -> None:
        self._hashes: NDArray[np.uint64] = state[f"lexical.{name}.hashes"]
        self._pointers: NDArray[np.int64] = state[f"lexical.{name}.pointers"]
        self._rows: Rows = state[f"lexical.{name}.rows"]
        self._weights: Array = state[f"lexical.{name}.weights"]
        self.size = int(state[f"lexical.{name}.size"][0])

    @staticmethod
    def put(
        state: Block,
        name: str,
        parts: Sequence[Postings],
        *,
        k1: float = K1,
        b: float = B,
        dtype: type[np.floating] = np.float32,
    ) -> None:
        """Index passages, given as the postings of consecutive parts of the corpus."""
        hashes, pointers, rows, counts = _merged(parts)
        lengths = np.concatenate([np.zeros(0, np.int32), *(part.lengths for part in parts)])
        frequency = np.diff(pointers)
        idf = np.log(1 + (len(lengths) - frequency + 0.5) / (frequency + 0.5))
        mean = lengths.mean() if lengths.any() else 1.0
        norm = (k1 * (1 - b + b * lengths / mean)).astype(dtype)
        weights = counts.astype(dtype, copy=False)
        weights /= weights + norm[rows]
        weights *= np.repeat(idf.astype(dtype), frequency)
        state.arrays |= {
            f"lexical.{name}.hashes": hashes,
            f"lexical.{name}.pointers": pointers,
            f"lexical.{name}.rows": rows,
            f"lexical.{name}.weights": weights,
            f"lexical.{name}.size": np.asarray([len(lengths)], np.int64),
        }

    def scores(self, terms: Sequence[str]) -> Array:
        """The score of every passage for a query's terms, shape (passages,); a repeated term counts again."""
        scores = np.zeros(self.size, self._weights.dtype)
        wanted = np.asarray([hashed(term) for term in terms if term], np.uint64)
        for place, key in zip(np.searchsorted(self._hashes, wanted).tolist(), wanted.tolist(), strict=True):
            if place < len(self._hashes) and self._hashes[place] == key:
                start, stop = self._pointers[place : place + 2].tolist()
                # A passage stands once under a term, so that a plain addition reaches each of them.
                scores[self._rows[start:stop]] += self._weights[start:stop]
        return scores


class LexicalIndex:
    """The fields of every passage; a score is the sum of theirs, each times its weight (Robertson, Zaragoza
    and Taylor 2004 weigh the counts instead; here each field keeps its own rare words)."""

    def __init__(self, state: Block, *, titles: bool = True) -> None:
        """``titles``: whether the headings of provisions count by themselves."""
        self._fields = {
            name: (LexicalField(state, name), weight) for name, weight in weights(titles=titles).items()
        }
        # One question is asked again and again, for other passages: in its scan, its rounds, its coverage.
        places = REMEMBERED_BYTES // (4 * max(int(state[f"lexical.{TEXT_FIELD}.size"][0]), 1))
        self._remembered = lru_cache(maxsize=min(max(places, FEWEST), MOST))(self._computed)

    @staticmethod
    def put(state: Block, blocks: Sequence[Block]) -> None:
        """Index all fields of all blocks."""
        for name in FIELDS:
            LexicalField.put(state, name, [block.postings(name) for block in blocks])

    def search(self, queries: Iterable[Sequence[str]], limit: int, mask: Mask | None) -> list[Hits]:
        """The best rows for each query's terms: scores above 0, ``limit`` at most."""
        return [best_hits(self.scores(terms), limit, 0.0, mask, exclusive=True) for terms in queries]

    def score(self, queries: Sequence[Sequence[str]], rows: Rows) -> NDArray[np.float32]:
        """The scores of chosen rows, shape (queries, rows)."""
        chosen = np.asarray(rows, np.int64)
        scores = [self.scores(terms)[chosen] for terms in queries]
        return np.asarray(scores, np.float32).reshape(len(queries), len(chosen))

    def scores(self, terms: Sequence[str]) -> Array:
        """The score of every passage, shape (passages,); read-only."""
        return self._remembered(tuple(terms))

    def _computed(self, terms: tuple[str, ...]) -> Array:
        combined: Array = np.zeros(self._fields[TEXT_FIELD][0].size, np.float32)
        for field, weight in self._fields.values():
            combined += np.float32(weight) * field.scores(terms)
        combined.flags.writeable = False
        return combined


def weights(*, titles: bool) -> dict[str, float]:
    """How much each field that counts does."""
    known = {TEXT_FIELD: 1.0, CONTEXT_FIELD: CONTEXT_WEIGHT}
    return known | ({TITLE_FIELD: TITLE_WEIGHT} if titles else {})


def _merged(
    parts: Sequence[Postings],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Hashes, pointers, rows and counts of all parts; in time linear in the postings, no sort of them."""
    every = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in parts)])
    hashes, inverse = np.unique(every, return_inverse=True)
    sizes = [np.diff(part.pointers) for part in parts]
    totals = np.zeros(len(hashes), np.int64)
    bounds = np.cumsum([0, *(len(part.hashes) for part in parts)])
    terms = [inverse[start:stop] for start, stop in pairwise(bounds)]
    for own, size in zip(terms, sizes, strict=True):
        totals[own] += size
    pointers = np.concatenate([[0], np.cumsum(totals)]).astype(np.int64)
    rows, counts = np.empty(pointers[-1], np.int32), np.empty(pointers[-1], np.float32)
    free = pointers[:-1].copy()
    first = 0
    for part, own, size in zip(parts, terms, sizes, strict=True):
        _, places = ranges(free[own], free[own] + size)
        rows[places] = part.rows + np.int32(first)
        counts[places] = part.counts
        free[own] += size
        first += len(part.lengths)
    return hashes, pointers, rows, counts
