"""Vectors of names, which a model is asked for once: an update asks for those alone that are new."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block, hashed
from engine.language.clustering import Encode

_KEYS, _VECTORS = "names.key", "names.vector"


class NameVectors:
    """Encodes names by a model; those that an older vocabulary has are taken from there."""

    def __init__(self, encode: Encode, before: Block | None) -> None:
        self._encode = encode
        self._held: dict[int, NDArray[np.float32]] = {}
        if before is not None and _KEYS in before.arrays:
            self._held = dict(zip(before[_KEYS].tolist(), before[_VECTORS], strict=True))
        self._used: dict[int, NDArray[np.float32]] = {}

    def __call__(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (names, d). Raises ModelError."""
        keys = [hashed(name) for name in names]
        new = [place for place, key in enumerate(keys) if key not in self._held]
        if new:
            found = self._encode([names[place] for place in new])
            self._held |= {keys[place]: vector for place, vector in zip(new, found, strict=True)}
        self._used |= {key: self._held[key] for key in keys}
        return np.asarray([self._held[key] for key in keys], np.float32)

    def put(self, vocabulary: Block) -> None:
        """Keep the vectors that were asked for in a vocabulary."""
        keys = np.asarray(sorted(self._used), np.uint64)
        vectors = [self._used[key] for key in keys.tolist()]
        vocabulary.arrays |= {_KEYS: keys, _VECTORS: np.asarray(vectors, np.float32)}
