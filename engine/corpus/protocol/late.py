"""Search by late interaction of token vectors."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol.values import Hits, Mask, Rows
from engine.language.embedders.base import TokenVectors


class Late(Protocol):
    """Search by late interaction of token vectors."""

    @property
    def late_model(self) -> str:
        """Spec of the model whose token vectors the corpus holds; "none" where it holds none."""
        ...

    def search_late(
        self, queries: TokenVectors, limit: int, *, also: Rows, mask: Mask | None = None
    ) -> list[Hits]:
        """Late interaction for each query, scores above 0 only, at most ``limit`` each; nothing in a corpus
        without token vectors.

        Scored are the passages whose mean token vector is nearest to the query's, ``limit`` of them, and
        those in ``also``.
        """
        ...

    def score_late(self, queries: TokenVectors, rows: Rows) -> NDArray[np.float32]:
        """Mean over a query's tokens of the highest cosine that a token of the passage reaches (MaxSim), for
        chosen rows: shape (queries, rows), 0 where there are no tokens."""
        ...
