"""Arrays and strings in memory-mapped files, and the best rows of an array of scores."""

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
    """Return the bytes of an array, without a copy if it is contiguous."""
    return np.ascontiguousarray(values).data.cast("B") if values.size else memoryview(b"")


class Strings:
    """A column of strings: UTF-8 bytes and n + 1 offsets."""

    __slots__ = ("bytes", "offsets")

    def __init__(self, offsets: Index, data: Array) -> None:
        self.offsets = offsets
        self.bytes = bytes_of(data)

    @staticmethod
    def of(values: Iterable[str]) -> Strings:
        """Return a column of some strings."""
        return Strings(*encoded(values))

    @staticmethod
    def joined(parts: Sequence[Strings]) -> Strings:
        """Return the concatenation of columns."""
        sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)])
        data = [np.zeros(0, np.uint8), *(np.frombuffer(part.bytes, np.uint8) for part in parts)]
        return Strings(np.cumsum(sizes), np.concatenate(data))

    def picked(self, numbers: Array) -> Strings:
        """Return a column of the strings at ``numbers``, in that order."""
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
        """Return all strings."""
        bounds, data = self.offsets.tolist(), bytes(self.bytes)
        if data.isascii():
            # In ASCII a character is a byte, so the text is decoded at once and split at the offsets.
            whole = data.decode("ascii")
            return [whole[start:stop] for start, stop in pairwise(bounds)]
        return [data[start:stop].decode() for start, stop in pairwise(bounds)]

    def take(self, numbers: Sequence[int] | Array) -> list[str]:
        """Return the strings at ``numbers``, in that order."""
        chosen = np.asarray(numbers, np.int64)
        starts, stops = self.offsets[chosen].tolist(), self.offsets[chosen + 1].tolist()
        return [str(self.bytes[start:stop], "utf-8") for start, stop in zip(starts, stops, strict=True)]


def encoded(values: Iterable[str]) -> tuple[Index, NDArray[np.uint8]]:
    """Return strings as offsets and bytes. A lone surrogate, which is invalid in UTF-8, becomes "?"."""
    values = list(values)
    sizes = [len(value) if value.isascii() else len(value.encode("utf-8", "replace")) for value in values]
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets, np.frombuffer("".join(values).encode("utf-8", "replace"), np.uint8)


def ranges(starts: Array, stops: Array) -> tuple[Index, Index]:
    """Return all integers of many half-open ranges.

    Returns ``(origins, members)``, both of shape (sum of lengths,): the index of the range, and the integer.
    """
    lengths = np.maximum(np.asarray(stops, np.int64) - starts, 0)
    origins = np.repeat(np.arange(len(lengths)), lengths)
    before = np.cumsum(lengths) - lengths
    members = np.arange(len(origins)) - before[origins] + np.asarray(starts, np.int64)[origins]
    return origins, members


def row_pointers(sorted_keys: Array, size: int) -> Index:
    """Return the CSR row pointers, shape (size + 1,), of sorted keys."""
    return np.searchsorted(sorted_keys, np.arange(size + 1)).astype(np.int64)


# Selection of the best rows of a column of scores.

# For columns of at least LARGE scores, a sample of every PART-th score bounds the result from below.
LARGE, PART = 100_000, 16


def best_hits(
    scores: Array, limit: int, minimum: float, mask: Mask | None, *, exclusive: bool = False
) -> Hits:
    """Return at most ``limit`` rows with the highest scores, best first, ties in row order.

    Scores are >= ``minimum`` (> if ``exclusive``), of rows allowed by ``mask``.
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
        # Include all ties with the last score; they are sorted by row below.
        last = np.partition(values, len(values) - limit)[len(values) - limit] if limit > 0 else np.inf
        rows = rows[values >= last]
        values = scores[rows]
    order = np.lexsort((rows, -values))[: max(limit, 0)]
    return Hits(rows[order].astype(np.int32), values[order].astype(np.float32))


def _reached(scores: Array, limit: int, mask: Mask | None) -> np.floating | None:
    """Return a score that at least ``limit`` rows reach, from a sample; None if the sample is too small."""
    part = scores[::PART] if mask is None else scores[::PART][mask[::PART]]
    if len(scores) < LARGE or len(part) <= limit:
        return None
    least: np.floating = np.partition(part, len(part) - limit)[len(part) - limit]
    return least


def by_product(rows: Array, vectors: NDArray[np.float32], query: NDArray[np.float32]) -> Hits:
    """Return rows, given in ascending order, by the inner product of their vectors (n, d) with a query, best
    first.

    Scores are computed row by row, because in a batch the last digits depend on the other rows.
    """
    scores = np.einsum("nd,d->n", vectors, query)
    order = np.argsort(-scores, kind="stable")
    return Hits(rows[order].astype(np.int32), scores[order])
