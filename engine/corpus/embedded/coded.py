"""Vectors as two bits a dimension: what a large corpus is looked through by, before anything is compared.

A vector is rotated at random, after which its dimensions are alike and nearly normal, and each is kept as one
of four levels, those that lose least of a normal distribution (Max, "Quantizing for minimum distortion", IRE
Transactions on Information Theory 1960; the rotation as in Gao and Long, "RaBitQ", SIGMOD 2024). Nothing is
learned from the vectors: a passage's code depends on its vector alone, and stays when others come and go.
Queries are not coded; faiss looks sums of two dimensions up in registers ("fast scan").
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import faiss as faiss_module
import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Mask

faiss: Any = faiss_module

# A byte holds four dimensions.
DIMENSIONS_A_BYTE = 4
# The four best levels of a standard normal distribution, and where one ends and the next begins.
LEVELS = np.array([-1.5104, -0.4528, 0.4528, 1.5104], np.float32)
BORDERS = np.array([-0.9816, 0.0, 0.9816], np.float32)
# Vectors are coded so many at a time.
BATCH = 16_384
# Of the codes that are known so many are tried.
TRIED = 256

Codes = NDArray[np.uint8]


def codable(dimensions: int) -> bool:
    """Whether vectors of so many dimensions can be coded."""
    return dimensions > 0 and dimensions % DIMENSIONS_A_BYTE == 0


def coded(vectors: NDArray[np.float32]) -> Codes:
    """The codes of unit vectors, shape (n, d) to (n, d / 4)."""
    count, dimensions = vectors.shape
    codes = np.empty((count, dimensions // DIMENSIONS_A_BYTE), np.uint8)
    rotation, borders = _rotation(dimensions), BORDERS / np.float32(np.sqrt(dimensions))
    for start in range(0, count, BATCH):
        turned = vectors[start : start + BATCH] @ rotation
        level = np.zeros(turned.shape, np.uint8)
        for border in borders:
            level += turned > border
        first, second, third, fourth = np.moveaxis(level.reshape(len(level), -1, DIMENSIONS_A_BYTE), 2, 0)
        codes[start : start + BATCH] = first | second << 2 | third << 4 | fourth << 6
    return codes


class KnownCodes(NamedTuple):
    """Codes that some of n vectors were given before, which they keep: ``codes`` of shape (n, d / 4) where
    ``is_known``, shape (n,); none of these is a zero row."""

    codes: Codes
    is_known: Mask

    def holds(self, vectors: NDArray[np.float32]) -> bool:
        """Whether the vectors, shape (n, d), have these codes: some of them, at even distances, are coded
        again. Codes that another version has made another way are not kept."""
        known = np.flatnonzero(self.is_known)
        asked = known[:: max(1, len(known) // TRIED)]
        return np.array_equal(coded(vectors[asked]), self.codes[asked])

    def present(self, vectors: NDArray[np.float32], first: int) -> Mask:
        """Which of the vectors that stand from ``first`` on are no zero rows: only those without a code are
        looked at."""
        found: Mask = self.is_known[first : first + len(vectors)].copy()
        found[~found] = vectors[~found].any(axis=1)
        return found

    def completed(self, vectors: NDArray[np.float32], first: int) -> Codes:
        """The codes of vectors that stand from ``first`` on: those that are not known are made."""
        place = slice(first, first + len(vectors))
        codes, is_new = self.codes[place].copy(), ~self.is_known[place]
        codes[is_new] = coded(vectors[is_new])
        return codes


class CodedVectors:
    """The codes of a corpus, by row, as faiss searches them."""

    def __init__(self, codes: Codes) -> None:
        """``codes`` as of ``coded``."""
        self._rotation = _rotation(codes.shape[1] * DIMENSIONS_A_BYTE)
        plain = faiss.IndexPQ(len(self._rotation), len(self._rotation) // 2, 4, faiss.METRIC_INNER_PRODUCT)
        number = np.arange(16)
        pairs = np.stack([LEVELS[number & 3], LEVELS[number >> 2]], axis=1) / np.sqrt(len(self._rotation))
        every = np.tile(pairs, (len(self._rotation) // 2, 1)).astype(np.float32)
        faiss.copy_array_to_vector(every.ravel(), plain.pq.centroids)
        faiss.copy_array_to_vector(np.ascontiguousarray(codes).ravel(), plain.codes)
        plain.ntotal, plain.is_trained = len(codes), True
        self._index = faiss.IndexPQFastScan(plain)

    def nearest(self, queries: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """The rows of the codes with the highest inner products with each query, in no order, shape
        (q, limit); -1 where there are fewer."""
        found: NDArray[np.int64] = self._index.search(np.ascontiguousarray(queries @ self._rotation), limit)[
            1
        ]
        return found


@cache
def _rotation(dimensions: int) -> NDArray[np.float32]:
    """An orthogonal matrix drawn at random, always the same, shape (d, d)."""
    drawn = np.random.Generator(np.random.PCG64(0)).standard_normal((dimensions, dimensions))
    turned, upper = np.linalg.qr(drawn)
    # Of the decompositions the one with a positive diagonal: there is one alone.
    rotation: NDArray[np.float32] = (turned * np.sign(np.diag(upper))).astype(np.float32)
    return rotation
