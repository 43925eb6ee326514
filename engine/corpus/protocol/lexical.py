"""Search by words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol.values import Hits, Mask, Rows


class Lexical(Protocol):
    """Search by words."""

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """BM25 for each query text, scores above 0 only, at most ``limit`` each."""
        ...

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """The scores that ``search_lexical`` gives, for chosen rows: shape (queries, rows), 0 for none.

        Two fields are indexed, each by BM25 with k1 0.9 and b 0.6: the text, and the context (document
        alias, label, path of headings). A score is the text's plus 0.15 times the context's; measured
        on the gold sets, see benchmarks/RESULTS.md.
        """
        ...
