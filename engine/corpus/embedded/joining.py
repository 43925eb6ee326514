"""Columns of a corpus put together from those of its blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Strings
from engine.corpus.embedded.block import Block


def joined(blocks: Sequence[Block], name: str, dtype: type[np.generic]) -> Array:
    """A column of all blocks, as it stands in them."""
    parts = [block[name] for block in blocks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def shifted(blocks: Sequence[Block], name: str, sizes: Sequence[int]) -> NDArray[np.int32]:
    """A column of numbers that count from 0 in each block and from 0 in the corpus; -1 stays what it is.

    ``sizes``: how many things the numbers of each block count.
    """
    parts, first = [np.zeros(0, np.int32)], 0
    for block, size in zip(blocks, sizes, strict=True):
        values = block[name]
        parts.append(np.where(values < 0, -1, values + first).astype(np.int32))
        first += size
    return np.concatenate(parts)


def recoded(codes: Array, names: Strings, numbers: Mapping[str, int]) -> NDArray[np.int16]:
    """Codes of a block's own list of names as codes of the corpus; -1 stays what it is."""
    known = np.asarray([*(numbers[name] for name in names.all()), -1], np.int16)
    return known[codes]
