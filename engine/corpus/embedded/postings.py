"""The postings of a corpus: put together from those of its blocks, and changed where blocks are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import overload

import numpy as np

from engine.corpus.embedded.arrays import Array, Index, ranges
from engine.corpus.embedded.block import Block, Postings


class FieldPostings(Sequence[Postings]):
    """The postings of one field of some blocks; those of a block are read when they are asked for."""

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


def merged(parts: Sequence[Postings]) -> Postings:
    """The postings of all parts, one after the other; in time linear in them, no sort of them.

    Counts, which are whole numbers, are in as few bytes as they need. The parts are looked at twice, one at a
    time, and none is kept.
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
    """Counts, which are whole numbers, in as few bytes as they need."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)


def replaced(old: Postings, first: int, stop: int, part: Postings) -> Postings:
    """The postings of a corpus with others in the place of those of the passages ``first`` to ``stop``.

    Counts stay in the type that they have in ``old``, unless those of ``part`` need a larger one.
    """
    gone = np.flatnonzero((old.rows >= first) & (old.rows < stop))
    sizes = np.diff(old.pointers)
    sizes -= np.bincount(_terms_at(old, gone), minlength=len(sizes))
    alive = sizes > 0
    hashes = np.union1d(old.hashes[alive], part.hashes)
    mine, theirs = np.searchsorted(hashes, old.hashes[alive]), np.searchsorted(hashes, part.hashes)
    lengths = np.zeros(len(hashes), np.int64)
    lengths[mine] = sizes[alive]
    starts = np.cumsum(lengths) - lengths
    come = np.diff(part.pointers)
    # What comes stands in each term's list between the passages before and behind it.
    ahead = np.zeros(len(part.hashes), np.int64)
    known = np.minimum(np.searchsorted(old.hashes, part.hashes), max(len(old.hashes) - 1, 0))
    for number in np.flatnonzero(old.hashes[known] == part.hashes) if len(old.hashes) else ():
        start, end = old.pointers[known[number] : known[number] + 2].tolist()
        ahead[number] = np.searchsorted(old.rows[start:end], first)
    places = np.repeat(starts[theirs] + ahead, come)
    lengths[theirs] += come
    rows = np.delete(old.rows, gone)
    if shift := len(part.lengths) - (stop - first):
        np.add(rows, np.int32(shift), out=rows, where=rows >= stop)
    kind = np.promote_types(old.counts.dtype, np.min_scalar_type(int(part.counts.max(initial=0))))
    counts = np.delete(old.counts, gone).astype(kind, copy=False)
    return Postings(
        hashes,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.insert(rows, places, part.rows + np.int32(first)),
        np.insert(counts, places, part.counts.astype(kind)),
        np.concatenate([old.lengths[:first], part.lengths, old.lengths[stop:]]),
    )


def _terms_at(postings: Postings, places: Index) -> Index:
    """The terms whose lists hold these places."""
    return np.searchsorted(postings.pointers, places, side="right") - 1
