"""Lexical search: BM25 over postings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.caching import Cache
from engine.corpus.embedded.arrays import Array, Index, best_hits, ranges
from engine.corpus.embedded.block import (
    CONTEXT_FIELD,
    FIELDS,
    TEXT_FIELD,
    TITLE_FIELD,
    Block,
    Later,
    Postings,
    hashed,
)
from engine.corpus.protocol import Hits, Mask, Rows, Scores
from engine.language.embedders.base import SparseVectors

# Postings of a corpus, merged from those of its blocks, and updated for changed blocks.


class FieldPostings(Sequence[Postings]):
    """The postings of a field of some blocks, read on access."""

    def __init__(self, blocks: Sequence[Block], field: str) -> None:
        self._blocks, self._field = blocks, field

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, number: int) -> Postings: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Postings]: ...
    def __getitem__(self, number: int | slice) -> Postings | Sequence[Postings]:
        if isinstance(number, slice):
            return FieldPostings(self._blocks[number], self._field)
        return self._blocks[number].postings(self._field)


def concat_postings(parts: Sequence[Postings]) -> Postings:
    """Return the concatenated postings of all parts, in linear time, without sorting.

    Counts use the smallest integer type. The parts are read twice, one at a time.
    """
    if len(parts) == 1:
        return parts[0]._replace(counts=narrow(parts[0].counts))
    keys, sizes, lengths = [np.zeros(0, np.uint64)], [], [np.zeros(0, np.int32)]
    most = 0
    for part in parts:
        keys.append(part.hashes.copy())
        sizes.append(np.diff(part.pointers).astype(np.int32))
        lengths.append(part.lengths.copy())
        most = max(most, int(part.counts.max(initial=0)))
    hashes, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    totals = np.zeros(len(hashes), np.int64)
    bounds = np.cumsum([0, *(len(own) for own in sizes)])
    terms = [inverse[start:stop] for start, stop in pairwise(bounds)]
    del keys
    for own, size in zip(terms, sizes, strict=True):
        totals[own] += size
    pointers = np.concatenate([[0], np.cumsum(totals)]).astype(np.int64)
    rows, counts = np.empty(pointers[-1], np.int32), np.empty(pointers[-1], np.min_scalar_type(most))
    free = pointers[:-1].copy()
    first = 0
    for part, own, size in zip(parts, terms, sizes, strict=True):
        _, places = ranges(free[own], free[own] + size)
        rows[places] = part.rows + np.int32(first)
        counts[places] = part.counts
        free[own] += size
        first += len(part.lengths)
    return Postings(hashes, pointers, rows, counts, np.concatenate(lengths))


def narrow(counts: Array) -> Array:
    """Return counts in the smallest integer type."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)


def replace_postings(old: Postings, first: int, stop: int, part: Postings) -> Postings:
    """Return the postings of a corpus with those of the passages ``first`` to ``stop`` replaced.

    Counts keep the type of ``old`` unless ``part`` needs a larger one.
    """
    removed = np.flatnonzero((old.rows >= first) & (old.rows < stop))
    sizes = np.diff(old.pointers)
    sizes -= np.bincount(_terms_at(old, removed), minlength=len(sizes))
    alive = sizes > 0
    hashes = np.union1d(old.hashes[alive], part.hashes)
    mine, theirs = np.searchsorted(hashes, old.hashes[alive]), np.searchsorted(hashes, part.hashes)
    lengths = np.zeros(len(hashes), np.int64)
    lengths[mine] = sizes[alive]
    starts = np.cumsum(lengths) - lengths
    come = np.diff(part.pointers)
    # In each term's list the new passages go between those before and after them.
    ahead = np.zeros(len(part.hashes), np.int64)
    known = np.minimum(np.searchsorted(old.hashes, part.hashes), max(len(old.hashes) - 1, 0))
    for number in np.flatnonzero(old.hashes[known] == part.hashes) if len(old.hashes) else ():
        start, end = old.pointers[known[number] : known[number] + 2].tolist()
        ahead[number] = np.searchsorted(old.rows[start:end], first)
    places = np.repeat(starts[theirs] + ahead, come)
    lengths[theirs] += come
    rows = np.delete(old.rows, removed)
    if shift := len(part.lengths) - (stop - first):
        np.add(rows, np.int32(shift), out=rows, where=rows >= stop)
    kind = np.promote_types(old.counts.dtype, np.min_scalar_type(int(part.counts.max(initial=0))))
    counts = np.delete(old.counts, removed).astype(kind, copy=False)
    return Postings(
        hashes,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.insert(rows, places, part.rows + np.int32(first)),
        np.insert(counts, places, part.counts.astype(kind)),
        np.concatenate([old.lengths[:first], part.lengths, old.lengths[stop:]]),
    )


def _terms_at(postings: Postings, places: Index) -> Index:
    """Return the terms of some positions in the lists."""
    return np.searchsorted(postings.pointers, places, side="right") - 1


# BM25 in Lucene's variant (Kamphuis et al. 2020), whose scores are never negative. With n passages of which
# df contain a term, and a passage of ``length`` terms that contains it tf times,  score = log(1 + (n - df +
# 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * length / mean length))  Scores are computed at publication
# and stored by term. A term is known by a 64-bit key: two of a million terms collide with a probability of 1
# in 37 million.

# Chosen by measurement on the gold sets, with the weights of context and of a provision's own heading.
# Vectors already contain the headings: a title field for them gained nothing.
K1, B = 0.9, 0.6
CONTEXT_WEIGHT, TITLE_WEIGHT = 0.15, 0.6

# Most bytes of cached results.
REMEMBERED_BYTES = 32 << 20
FEWEST, MOST = 8, 64
# Queries matching fewer than 1/N passages use the sparse path.
RARE = 4
# Rows are looked up one by one if they are fewer than 1/N of the passages.
FEW = 50
# Weights computed in one batch.
AT_ONCE = 1 << 20
# Cached words with their best passages.
WORDS = 8192


class LexicalField:
    """The BM25 index of a field."""

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
        own = LexicalField.put_later(state, name, concat_postings(parts), k1=k1, b=b, dtype=dtype)
        state.arrays[f"lexical.{name}.weights"] = np.concatenate(
            [np.zeros(0, dtype), *state.later.pop(own).parts()]
        )

    @staticmethod
    def put_later(
        state: Block,
        name: str,
        postings: Postings,
        *,
        k1: float = K1,
        b: float = B,
        dtype: type[np.floating] = np.float32,
    ) -> str:
        """Index the postings of a whole corpus; return the name of the column of weights.

        The weights, one per occurrence, are computed while they are written.
        """
        hashes, pointers, rows, counts, lengths = postings
        frequency = np.diff(pointers)
        idf = np.log(1 + (len(lengths) - frequency + 0.5) / (frequency + 0.5)).astype(dtype)
        mean = lengths.mean() if lengths.any() else 1.0
        norm = (k1 * (1 - b + b * lengths / mean)).astype(dtype)

        def weights() -> Iterator[Array]:
            for start in range(0, len(rows), AT_ONCE):
                part = slice(start, min(start + AT_ONCE, len(rows)))
                found = counts[part].astype(dtype)
                found /= found + norm[rows[part]]
                first, last = np.searchsorted(pointers, (part.start, part.stop - 1), side="right") - 1
                bounds = np.clip(pointers[first : last + 2], part.start, part.stop)
                found *= np.repeat(idf[first : last + 1], np.diff(bounds))
                yield found

        column = f"lexical.{name}.weights"
        state.arrays |= {
            f"lexical.{name}.hashes": hashes,
            f"lexical.{name}.pointers": pointers,
            f"lexical.{name}.rows": rows,
            column: np.zeros(0, dtype),
            f"lexical.{name}.size": np.asarray([len(lengths)], np.int64),
        }
        state.later[column] = Later((len(rows),), weights)
        return column

    def postings(self, terms: Sequence[str]) -> list[tuple[Rows, Array]]:
        """Return the rows and scores of each of a query's terms; a repeated term is repeated."""
        found = []
        wanted = np.asarray([hashed(term) for term in terms if term], np.uint64)
        for place, key in zip(np.searchsorted(self._hashes, wanted).tolist(), wanted.tolist(), strict=True):
            if place < len(self._hashes) and self._hashes[place] == key:
                start, stop = self._pointers[place : place + 2].tolist()
                found.append((self._rows[start:stop], self._weights[start:stop]))
        return found

    def scores(self, terms: Sequence[str]) -> Array:
        """Return the score of every passage for a query, shape (passages,); a repeated term counts again."""
        return _summed(self.postings(terms), self.size, self._weights.dtype)


# A function from a query's terms to the rows that contain each, with their scores.
PostingsOf = Callable[[Sequence[str]], list[tuple[Rows, Array]]]


def _summed(postings: Sequence[tuple[Rows, Array]], size: int, dtype: Any) -> Array:
    scores = np.zeros(size, dtype)
    for rows, weights in postings:
        # A passage occurs once per term, so that a plain addition is correct.
        scores[rows] += weights
    return scores


class Scored(NamedTuple):
    """Scores of a query: of all rows, or of the matching rows in order; shapes (k,)."""

    rows: Rows | None
    scores: Array

    def of(self, rows: Array) -> Array:
        """Return the scores of some rows, shape as ``rows``."""
        if self.rows is None:
            return self.scores[rows]
        if not len(self.rows):
            return np.zeros(len(rows), np.float32)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[places] == rows, self.scores[places], np.float32(0.0))

    def best(self, limit: int, mask: Mask | None) -> Hits:
        """Return the best rows: scores above 0, at most ``limit``."""
        if self.rows is None:
            return best_hits(self.scores, limit, 0.0, mask, exclusive=True)
        allowed = None if mask is None else mask[self.rows]
        hits = best_hits(self.scores, limit, 0.0, allowed, exclusive=True)
        return Hits(self.rows[hits.rows], hits.scores)


class LexicalIndex:
    """The fields of every passage. A score is the weighted sum of the fields' scores.

    Robertson, Zaragoza and Taylor 2004 weight the counts instead; here each field has its own rare words.
    """

    def __init__(self, fields: Mapping[str, PostingsOf], size: int, *, titles: bool = True) -> None:
        """``fields`` by name, of ``size`` passages; ``titles``.

        Whether headings of provisions are a field.
        """
        self._fields = {name: (fields[name], weight) for name, weight in weights(titles=titles).items()}
        self._size = size
        self._scratch = threading.local()
        self._tops: Cache[tuple[str, ...], Hits] = Cache("weights of words", WORDS)
        # A case repeats its question for other passages: in its scan, its rounds, its coverage.
        places = REMEMBERED_BYTES // (4 * max(self._size, 1))
        self._remembered: Cache[tuple[str, ...], Scored] = Cache(
            "scores of queries", min(max(places, FEWEST), MOST)
        )

    @staticmethod
    def of(state: Block, *, titles: bool = True) -> LexicalIndex:
        """Return the index of a folder."""
        fields = {name: LexicalField(state, name) for name in FIELDS}
        read = {name: field.postings for name, field in fields.items()}
        return LexicalIndex(read, fields[TEXT_FIELD].size, titles=titles)

    @staticmethod
    def put(state: Block, blocks: Sequence[Block]) -> None:
        """Index all fields of all blocks."""
        for name in FIELDS:
            LexicalField.put(state, name, FieldPostings(blocks, name))

    def search(self, queries: Iterable[Sequence[str]], limit: int, mask: Mask | None) -> list[Hits]:
        """Return the best rows for each query's terms: scores above 0, at most ``limit``."""
        return [self._best(tuple(terms), limit, mask) for terms in queries]

    def _best(self, terms: tuple[str, ...], limit: int, mask: Mask | None) -> Hits:
        if limit == 1 and mask is None:
            # The weight of a word is requested for every word of every question.
            return self._tops.made(terms, lambda: self._made(terms).best(limit, mask))
        return self._made(terms).best(limit, mask)

    def score(self, queries: Sequence[Sequence[str]], rows: Rows) -> NDArray[np.float32]:
        """Return the scores of some rows, shape (queries, rows)."""
        chosen = np.asarray(rows)
        few = len(chosen) * FEW <= self._size
        scores = [self._scores_of(tuple(terms), chosen, few=few) for terms in queries]
        return np.asarray(scores, np.float32).reshape(len(queries), len(chosen))

    def _scores_of(self, terms: tuple[str, ...], rows: Array, *, few: bool) -> Array:
        """Return the scores of some rows, from the cache if the query was searched before."""
        known = self._remembered.get(terms)
        if known is None and few:
            return self._looked_up(terms, rows)
        return (known or self._made(terms)).of(rows)

    def _made(self, terms: tuple[str, ...]) -> Scored:
        return self._remembered.made(terms, lambda: self._scored(terms))

    def _looked_up(self, terms: Sequence[str], rows: Array) -> Array:
        """Return the same sums as ``scores``, bit for bit, by looking up a few rows under each term."""
        combined = np.zeros(len(rows), np.float32)
        for field, weight in self._fields.values():
            of_field = np.zeros(len(rows), np.float32)
            for holding, weights in field(terms):
                places = np.minimum(np.searchsorted(holding, rows), len(holding) - 1)
                there = holding[places] == rows
                of_field[there] += weights[places[there]]
            combined += np.float32(weight) * of_field
        return combined

    def scores(self, terms: Sequence[str]) -> Array:
        """Return the score of every passage, shape (passages,)."""
        combined: Array = np.zeros(self._size, np.float32)
        for field, weight in self._fields.values():
            combined += np.float32(weight) * _summed(field(terms), self._size, np.float32)
        return combined

    def _scored(self, terms: tuple[str, ...]) -> Scored:
        found = [(field(terms), weight) for field, weight in self._fields.values()]
        touched = sum(len(rows) for postings, _ in found for rows, _ in postings)
        rare = touched * RARE <= self._size
        scored = self._sparsely(found) if rare else Scored(None, self.scores(terms))
        for array in scored:
            if array is not None:
                array.flags.writeable = False
        return scored

    def _sparsely(self, found: Sequence[tuple[list[tuple[Rows, Array]], float]]) -> Scored:
        """Return the same sums as ``scores``, bit for bit, over the matching rows only."""
        if not hasattr(self._scratch, "sums"):
            self._scratch.sums = np.zeros(self._size, np.float32), np.zeros(self._size, np.float32)
        combined, of_field = self._scratch.sums
        every: list[Rows] = [np.empty(0, np.int32)]
        for postings, weight in found:
            for rows, weights in postings:
                of_field[rows] += weights
            for rows, _ in postings:
                new = rows[of_field[rows] != 0]
                every.append(new[combined[new] == 0])
                combined[new] += np.float32(weight) * of_field[new]
                of_field[new] = 0
        touched = np.sort(np.concatenate(every))
        scores = combined[touched]
        combined[touched] = 0
        return Scored(touched, scores)


def weights(*, titles: bool) -> dict[str, float]:
    """Return the weight of each field."""
    known = {TEXT_FIELD: 1.0, CONTEXT_FIELD: CONTEXT_WEIGHT}
    return known | ({TITLE_FIELD: TITLE_WEIGHT} if titles else {})


# Learned sparse vectors of a corpus folder: an inverted index, one list of passages for each
# term.
#
# Weights are stored in half precision; the score of a passage is the inner product with the
# query's row.


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
