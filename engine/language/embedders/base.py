"""The seam between the engine and embedding models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["passage", "query"]
Vectors = NDArray[np.float32]
# A model is taken unasked where it reads at least this share of the passages.
MOST_OF_IT = 0.5


class Reader(Protocol):
    """A model that reads some languages, or all."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Codes of the languages; None for all."""
        ...


class Embedder(Reader, Protocol):
    """Turns texts into unit vectors."""

    @property
    def spec(self) -> str:
        """What ``embedder`` was asked for."""
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


class SparseVectors(NamedTuple):
    """Rows with few values (CSR). Row n has ``weights[pointers[n]:pointers[n + 1]]``, above 0, at the places
    that ``terms`` name, ascending. Shapes (rows + 1,), (values,), (values,)."""

    pointers: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: NDArray[np.float32]


class SparseEmbedder(Reader, Protocol):
    """A model that weighs words of its vocabulary for a text, also words that the text does not contain."""

    spec: str

    @property
    def dimensions(self) -> int:
        """Size of the vocabulary."""
        ...

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> SparseVectors:
        """A row for each text. Raises ModelError."""
        ...


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def reads(embedder: Reader, language: str) -> bool:
    """Whether the model reads a language, in whatever country it is spoken ("en-GB"); a language nobody
    determined counts as read."""
    base = language.split("-")[0]
    return embedder.languages is None or not embedder.languages.isdisjoint((language, base)) or base == "und"


def share_read(embedder: Reader, languages: Mapping[str, int]) -> float:
    """The share of passages that the model reads, 0 to 1; ``languages`` counts those of each language."""
    read = sum(count for language, count in languages.items() if reads(embedder, language))
    return read / max(sum(languages.values()), 1)


def reads_most_of(embedder: Reader, languages: Mapping[str, int]) -> bool:
    """Whether a corpus with these languages is given this model unasked."""
    return share_read(embedder, languages) >= MOST_OF_IT
