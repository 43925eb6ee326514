"""Columns on disk: numpy arrays and tables of strings, memory-mapped on the way back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Index = NDArray[np.int64]


def write_array(folder: Path, name: str, values: Array) -> None:
    """One ``.npy`` file."""
    np.save(folder / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)


def open_array(folder: Path, name: str) -> Array:
    """The array, read-only and memory-mapped. Raises OSError or ValueError where the file is not one."""
    mapped: Array = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    # A plain view: indexing np.memmap costs microseconds in subclass bookkeeping on every call.
    return mapped.view(np.ndarray)


class StringTable:
    """A column of strings: one file of UTF-8 and one array of n + 1 byte offsets."""

    __slots__ = ("_bytes", "_offsets")

    def __init__(self, folder: Path, name: str) -> None:
        self._offsets: Index = open_array(folder, f"{name}.offsets")
        size = int(self._offsets[-1])
        path = folder / f"{name}.utf8"
        # An empty file cannot be mapped.
        self._bytes = np.memmap(path, np.uint8, "r", shape=(size,)).data if size else memoryview(b"")

    @staticmethod
    def write(folder: Path, name: str, values: Iterable[str]) -> None:
        """Write a column."""
        encoded = [value.encode() for value in values]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(value) for value in encoded], out=offsets[1:])
        write_array(folder, f"{name}.offsets", offsets)
        with open(folder / f"{name}.utf8", "wb") as file:
            file.writelines(encoded)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> str:
        start, stop = self._offsets[number : number + 2].tolist()
        return str(self._bytes[start:stop], "utf-8")

    def take(self, numbers: Sequence[int] | Array) -> list[str]:
        """The strings at ``numbers``, in that order."""
        chosen = np.asarray(numbers, np.int64)
        starts, stops = self._offsets[chosen].tolist(), self._offsets[chosen + 1].tolist()
        return [str(self._bytes[start:stop], "utf-8") for start, stop in zip(starts, stops, strict=True)]


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
