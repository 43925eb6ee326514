"""The seam between the engine and embedding models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["passage", "query"]
Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def spec(self) -> str:
        """What ``embedder`` was asked for."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """Language codes that the model reads; None for all."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def calls(self) -> int:
        """Requests sent to an outside service so far."""
        ...

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Unit vectors, shape (texts, dimensions), float32. Raises ModelError."""
        ...


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def reads(embedder: Embedder, language: str) -> bool:
    """Whether the model reads a language; a language nobody determined counts as read."""
    return embedder.languages is None or language in embedder.languages or language == "und"
