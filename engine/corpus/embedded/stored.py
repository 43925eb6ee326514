"""Arrays and blocks in files, read on demand."""

from __future__ import annotations

import mmap
import os
from collections.abc import ItemsView, Mapping, ValuesView
from functools import cache
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import FIELDS, Block, header_of, parse_start
from engine.errors import CorpusError, system_error

# An array in a file while it is built, so that it need not fit into memory.


class FileArray:
    """Zeros of shape (rows, columns), float32, in an unnamed file in ``folder``.

    Call ``release`` after work on a part: its pages are written and leave the memory of the process. Raises
    ResourceError if the disk has too little space, CorpusError if the file cannot be written.
    """

    def __init__(self, folder: Path, rows: int, columns: int) -> None:
        size = 4 * rows * columns
        try:
            with TemporaryFile(dir=folder) as file:
                # Reserves the space now: otherwise a full disk would kill the process when a page is written.
                os.posix_fallocate(file.fileno(), 0, size)
                self._mapped = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise system_error(f"write vectors in {folder}", error) from error
        self.array: NDArray[np.float32] = np.frombuffer(self._mapped, np.float32).reshape(rows, columns)

    def release(self) -> None:
        """Release the memory."""
        self._mapped.madvise(mmap.MADV_DONTNEED)


# A block whose columns stay in its file until needed. A corpus is built from thousands of blocks, of which a
# change needs little: columns needed for new documents only, and columns as large as the texts, are written
# last (``ordered``), read one by one and not kept. So neither an ingestion nor an update holds all texts in
# memory.

# Prefixes of their names; columns of a kind are read together.
_LARGE = (
    *("passages.text.utf8", "passages.metadata.utf8", "passages.mentions.utf8", "headings.utf8"),
    *("facts.", "tokens.", "words.", *(f"{field}." for field in FIELDS)),
)
_NOT_READ = np.zeros(0, np.int8)
# The file and kind of columns; the offset and bytes of them.
_Read = tuple[tuple[str, int], tuple[int, Array]]
_NOTHING: _Read = (("", 0), (0, _NOT_READ))


def ordered(block: Block) -> Block:
    """Return the block with its columns in reading order."""
    return Block(dict(sorted(block.arrays.items(), key=lambda item: _kind(item[0]))), block.about)


def stored_block(path: Path) -> Block:
    """Open the block in a file written by this process or its child, with columns read on demand.

    Raises CorpusError, OSError.
    """
    with open(path, "rb", buffering=0) as file:
        length, start = parse_start(file.read(16), path.name)
        places, about = header_of(file.read(length), path.name)
    block = Block({}, about)
    block.arrays = StoredColumns(path, places, start)
    return block


class StoredColumns(dict[str, Array]):
    """The columns in a file by name.

    Small ones are read at once; of all large ones, only the last kind is cached.
    """

    _last: ClassVar[_Read] = _NOTHING

    def __init__(self, path: Path, places: Mapping[str, tuple[str, list[int], int]], start: int) -> None:
        """``places``: type, shape and offset of each column; ``start``: base of the offsets."""
        super().__init__(dict.fromkeys(places, _NOT_READ))
        self._path, self._places, self._start = path, places, start
        self._small: tuple[int, Array] | None = None
        self._views: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        found = self._views.get(name)
        if found is None:
            kind = _kind(name)
            if kind:
                return self._viewed(name, *self._read_large(kind))
            if self._small is None:
                self._small = self._span(0)
            found = self._views[name] = self._viewed(name, *self._small)
        return found

    def _viewed(self, name: str, first: int, data: Array) -> Array:
        dtype, shape, position = self._places[name]
        kind = _type(dtype)
        stop = position + prod(shape) * kind.itemsize
        found = data[position - first : stop - first].view(kind)
        return found if len(shape) == 1 else found.reshape(shape)

    def items(self) -> ItemsView[str, Array]:  # type: ignore[override]
        """Return all columns, read at once."""
        return {name: self[name] for name in self}.items()

    def values(self) -> ValuesView[Array]:  # type: ignore[override]
        """Return all columns, read at once."""
        return {name: self[name] for name in self}.values()

    def _read_large(self, kind: int) -> tuple[int, Array]:
        place, last = (str(self._path), kind), StoredColumns._last
        if last[0] == place:
            return last[1]
        # Release the former bytes first. Another thread may read concurrently.
        StoredColumns._last, last = _NOTHING, _NOTHING
        found = self._span(kind)
        StoredColumns._last = (place, found)
        return found

    def _span(self, kind: int) -> tuple[int, Array]:
        """Return the bytes of all columns of a kind, and the offset of the first."""
        own = [place for name, place in self._places.items() if _kind(name) == kind]
        first = min(position for _, _, position in own)
        stop = max(position + prod(shape) * _type(dtype).itemsize for dtype, shape, position in own)
        data = np.empty(stop - first, np.uint8)
        file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            read, place = 0, self._start + first
            while read < len(data) and (count := os.preadv(file, [data.data[read:]], place + read)):
                read += count
        finally:
            os.close(file)
        if read < len(data):
            raise CorpusError(f"damaged corpus: {self._path.name} ends too early; ingest again")
        data.flags.writeable = False
        return first, data


def is_large(name: str) -> bool:
    """Return whether a column is as large as the texts, or needed for new documents only."""
    return _kind(name) > 0


@cache
def _type(written: str) -> np.dtype[Any]:
    return np.dtype(written)


@cache
def _kind(name: str) -> int:
    """Return 0 for a small column, else the index of its kind plus 1."""
    return next((place for place, head in enumerate(_LARGE, start=1) if name.startswith(head)), 0)
