"""Arrays in files, mapped into memory, and the best rows of an array of scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Hits, Mask

# Columns: numpy arrays, and strings as bytes and offsets.

Array = NDArray[Any]
Index = NDArray[np.int64]


def bytes_of(values: Array) -> memoryview:
    """The bytes of an array, not copied where it is contiguous."""
    return np.ascontiguousarray(values).data.cast("B") if values.size else memoryview(b"")


class Strings:
    """A column of strings: UTF-8 bytes and n + 1 offsets."""

    __slots__ = ("bytes", "offsets")

    def __init__(self, offsets: Index, data: Array) -> None:
        self.offsets = offsets
        self.bytes = bytes_of(data)

    @staticmethod
    def of(values: Iterable[str]) -> Strings:
        """A column of some strings."""
        return Strings(*encoded(values))

    @staticmethod
    def joined(parts: Sequence[Strings]) -> Strings:
        """The strings of all parts, one after the other."""
        sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)])
        data = [np.zeros(0, np.uint8), *(np.frombuffer(part.bytes, np.uint8) for part in parts)]
        return Strings(np.cumsum(sizes), np.concatenate(data))

    def picked(self, numbers: Array) -> Strings:
        """The strings at ``numbers``, in that order, as a column."""
        starts, stops = self.offsets[numbers], self.offsets[numbers + 1]
        _, places = ranges(starts, stops)
        data = np.frombuffer(self.bytes, np.uint8)[places]
        return Strings(np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int64), data)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> str:
        start, stop = self.offsets[number : number + 2].tolist()
        return str(self.bytes[start:stop], "utf-8")

    def all(self) -> list[str]:
        """Every string."""
        bounds, data = self.offsets.tolist(), bytes(self.bytes)
        if data.isascii():
            # A character is a byte: the text is decoded at once, and cut where its parts end.
            whole = data.decode("ascii")
            return [whole[start:stop] for start, stop in pairwise(bounds)]
        return [data[start:stop].decode() for start, stop in pairwise(bounds)]

    def take(self, numbers: Sequence[int] | Array) -> list[str]:
        """The strings at ``numbers``, in that order."""
        chosen = np.asarray(numbers, np.int64)
        starts, stops = self.offsets[chosen].tolist(), self.offsets[chosen + 1].tolist()
        return [str(self.bytes[start:stop], "utf-8") for start, stop in zip(starts, stops, strict=True)]


def encoded(values: Iterable[str]) -> tuple[Index, NDArray[np.uint8]]:
    """Strings as offsets and bytes. Half a surrogate pair, which no UTF-8 can hold, becomes "?"."""
    values = list(values)
    sizes = [len(value) if value.isascii() else len(value.encode("utf-8", "replace")) for value in values]
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets, np.frombuffer("".join(values).encode("utf-8", "replace"), np.uint8)


def ranges(starts: Array, stops: Array) -> tuple[Index, Index]:
    """All integers of many half-open ranges at once.

    Returns ``(origins, members)``, both of shape (sum of lengths,): which range, and the integer.
    """
    lengths = np.maximum(np.asarray(stops, np.int64) - starts, 0)
    origins = np.repeat(np.arange(len(lengths)), lengths)
    before = np.cumsum(lengths) - lengths
    members = np.arange(len(origins)) - before[origins] + np.asarray(starts, np.int64)[origins]
    return origins, members


def row_pointers(sorted_keys: Array, size: int) -> Index:
    """CSR row pointers, shape (size + 1,), of keys in ascending order."""
    return np.searchsorted(sorted_keys, np.arange(size + 1)).astype(np.int64)


# The best rows of a column of scores.

# In a column of at least so many scores the best of every so many tell where the best of all begin.
LARGE, PART = 100_000, 16


def best_hits(
    scores: Array, limit: int, minimum: float, mask: Mask | None, *, exclusive: bool = False
) -> Hits:
    """At most ``limit`` rows with the highest scores, best first, equal scores in row order.

    Kept are scores >= ``minimum`` (> where ``exclusive``) of rows that ``mask`` allows.
    """
    least = _reached(scores, limit, mask) if limit > 0 else None
    if least is not None and least > minimum:
        allowed = scores >= least
    else:
        allowed = scores > minimum if exclusive else scores >= minimum
    if mask is not None:
        allowed &= mask
    rows = np.flatnonzero(allowed)
    values = scores[rows]
    if len(rows) > limit:
        # Everything at or above the last place's score, so that ties are settled by row below.
        last = np.partition(values, len(values) - limit)[len(values) - limit] if limit > 0 else np.inf
        rows = rows[values >= last]
        values = scores[rows]
    order = np.lexsort((rows, -values))[: max(limit, 0)]
    return Hits(rows[order].astype(np.int32), values[order].astype(np.float32))


def _reached(scores: Array, limit: int, mask: Mask | None) -> np.floating | None:
    """A score that ``limit`` rows reach at least: that of the last of as many in a part of them. None where
    the part is too small to tell."""
    part = scores[::PART] if mask is None else scores[::PART][mask[::PART]]
    if len(scores) < LARGE or len(part) <= limit:
        return None
    least: np.floating = np.partition(part, len(part) - limit)[len(part) - limit]
    return least


def by_product(rows: Array, vectors: NDArray[np.float32], query: NDArray[np.float32]) -> Hits:
    """Rows in rising order by the inner product of their vectors, shape (n, d), with a query, best first.

    Scores are computed row by row: those of a batch depend in their last digits on what else is in it.
    """
    scores = np.einsum("nd,d->n", vectors, query)
    order = np.argsort(-scores, kind="stable")
    return Hits(rows[order].astype(np.int32), scores[order])
