"""The interface of embedding models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["passage", "query"]
Vectors = NDArray[np.float32]
# Minimum share of passages that a model must support to be chosen by default.
MOST_OF_IT = 0.5


class Reader(Protocol):
    """A model that supports some languages, or all."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Codes of the languages; None for all."""
        ...


class Embedder(Reader, Protocol):
    """Converts texts to unit vectors."""

    @property
    def spec(self) -> str:
        """The spec it was made from."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def calls(self) -> int:
        """Number of requests sent to an external service."""
        ...

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Return unit vectors, shape (texts, dimensions), float32. Raises ModelError."""
        ...


class SparseVectors(NamedTuple):
    """Sparse rows (CSR). Row n has ``weights[pointers[n]:pointers[n + 1]]``, above 0, at the ascending
    ``terms``.

    Shapes (rows + 1,), (values,), (values,).
    """

    pointers: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: NDArray[np.float32]


class SparseEmbedder(Reader, Protocol):
    """A model that weights words of its vocabulary for a text, including words that the text does not
    contain."""

    spec: str

    @property
    def dimensions(self) -> int:
        """Size of the vocabulary."""
        ...

    def __hash__(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> SparseVectors:
        """Return a row for each text. Raises ModelError."""
        ...


def unit(vectors: Vectors) -> Vectors:
    """Scale rows to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def reads(embedder: Reader, language: str) -> bool:
    """Return True if the model supports a language, ignoring its region ("en-GB"); an undetermined language
    counts as supported."""
    base = language.split("-")[0]
    return embedder.languages is None or not embedder.languages.isdisjoint((language, base)) or base == "und"


def share_read(embedder: Reader, languages: Mapping[str, int]) -> float:
    """Return the share of passages that the model supports, 0 to 1; ``languages`` counts passages by
    language."""
    read = sum(count for language, count in languages.items() if reads(embedder, language))
    return read / max(sum(languages.values()), 1)


def reads_most_of(embedder: Reader, languages: Mapping[str, int]) -> bool:
    """Return True if the model is the default for a corpus with these languages."""
    return share_read(embedder, languages) >= MOST_OF_IT
