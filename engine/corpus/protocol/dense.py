"""Search by the vectors of an embedding model, dense and learned sparse ones."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol.values import Hits, Mask, Rows
from engine.language.embedders.base import SparseVectors


class Dense(Protocol):
    """Search by the vectors of an embedding model."""

    @property
    def embedding(self) -> str:
        """Spec of the model whose vectors the corpus holds; "none" where it holds none."""
        ...

    @property
    def similarity_floor(self) -> float:
        """Cosine of unrelated passages: the 1st percentile over random pairs, taken at ingestion."""
        ...

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Inner product; ``queries`` has shape (q, d), unit length; scores >= ``minimum``. Scores are exact;
        a store that does not compare everything tells the share of the best that it finds."""
        ...

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Unit vectors, shape (n, d); zero rows where a passage has none."""
        ...


class Sparse(Protocol):
    """Search by learned sparse vectors."""

    @property
    def sparse_model(self) -> str:
        """Spec of the model whose learned sparse vectors the corpus holds; "none" where it holds none."""
        ...

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Inner product for each query, scores above 0 only, at most ``limit`` each; nothing in a corpus
        without learned sparse vectors."""
        ...

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """The scores that ``search_sparse`` gives, for chosen rows: shape (queries, rows), 0 for none."""
        ...
