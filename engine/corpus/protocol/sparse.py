"""Search by learned sparse vectors."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol.values import Hits, Mask, Rows
from engine.language.embedders.base import SparseVectors


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
