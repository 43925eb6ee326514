"""Columns: numpy arrays, and strings as bytes and offsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
