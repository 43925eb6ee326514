"""Vectors without a model, for measures of growth: a text is the sum of random vectors of its words.

A model takes hours for a million passages. These vectors cost nothing, are as many and as long, and
near where words are shared; what is found by them says nothing of quality.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.language.embedders.transformer import PackagedEmbedder

WORDS, DIMENSIONS, LEAST_LETTERS = 1 << 16, 384, 4
# How far a text's vector is from the sum of its words': copies of a text are near, not equal.
APART = 0.4
_WORD = re.compile(rf"[^\W\d_]{{{LEAST_LETTERS},}}")


def hashed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors, shape (n, DIMENSIONS)."""
    rows, columns = [], []
    for place, text in enumerate(texts):
        words = {crc32(word.lower().encode()) % WORDS for word in _WORD.findall(text)}
        rows.append(np.full(len(words), place))
        columns.append(np.fromiter(words, np.int64, len(words)))
    row, column = np.concatenate([np.empty(0, int), *rows]), np.concatenate([np.empty(0, int), *columns])
    counted = scipy.sparse.csr_array((np.ones(len(row), np.float32), (row, column)), (len(texts), WORDS))
    found = counted @ _table()
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    for place, text in enumerate(texts):
        drawn = np.random.default_rng(crc32(text.encode())).standard_normal(DIMENSIONS, np.float32)
        found[place] += np.float32(APART) / np.linalg.norm(drawn) * drawn
    unit: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit.astype(np.float32)


@contextmanager
def in_place_of_the_model() -> Iterator[None]:
    """The packaged model gives these vectors."""

    def encode(self: Any, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        return hashed(texts)

    with patch.object(PackagedEmbedder, "encode", encode):
        yield


def _table() -> NDArray[np.float32]:
    if not _TABLES:
        _TABLES.append(np.random.default_rng(0).standard_normal((WORDS, DIMENSIONS), np.float32))
    return _TABLES[0]


_TABLES: list[NDArray[np.float32]] = []
