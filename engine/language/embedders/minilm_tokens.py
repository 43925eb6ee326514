"""Which tokens of the packaged model count, and the 128 directions that are kept of their vectors.

The directions are the principal components of the hidden states of the model's own vocabulary (its words in
random order, eight at a time), so that they depend on no corpus; ``benchmarks/token_basis.py`` computes
them again. On the gold sets they are as good as the components of the corpus itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.language.embedders.base import Vectors, unit
from engine.language.stopwords import STOPWORDS

BASIS_FILE = Path(__file__).with_name("minilm_tokens.npy")


@cache
def basis() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The mean of all vectors and the directions, shapes (384,) and (384, 128)."""
    stored: Vectors = np.load(BASIS_FILE, allow_pickle=False).astype(np.float32)
    return stored[0], np.ascontiguousarray(stored[1:].T)


def reduced(states: Vectors) -> Vectors:
    """Hidden states, shape (tokens, 384), as unit vectors of 128 dimensions."""
    mean, directions = basis()
    projected: Vectors = ((unit(states) - mean) @ directions).astype(np.float32)
    return unit(projected)


def counting(vocabulary: Mapping[str, int]) -> NDArray[np.bool_]:
    """Which word pieces count, shape (vocabulary,): no function words, punctuation or marks."""
    counts = np.ones(max(vocabulary.values(), default=-1) + 1, np.bool_)
    for piece, number in vocabulary.items():
        word = piece.removeprefix("##")
        marks = piece.startswith("[") and piece.endswith("]")
        counts[number] = not (
            marks
            or (piece == word and word in STOPWORDS["en"])
            or all(unicodedata.category(character)[0] in "PSZC" for character in word)
        )
    return counts
