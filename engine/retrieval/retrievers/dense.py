"""Dense vectors: what the question means, as the corpus's embedding model sees it."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Hits, Rows
from engine.retrieval.retrievers.base import Found, Inquiry, Listed, Off, Shares, nothing
from engine.retrieval.retrievers.levels import Levels, levels

DENSE = "dense"
# The lowest cosine that is kept.
LOWEST = 0.15


class Dense:
    """Exact search by cosine. A share is the cosine above that of unrelated passages (``levels.py``) over
    the best cosine above it."""

    name = DENSE
    title = "Meaning (vectors)"

    def search(self, asked: Inquiry) -> Found | Off:
        """Hits of at least the cosine that ``LOWEST`` names; off without the views' vectors."""
        if asked.vectors is None:
            return Off()
        meant, vectors = asked.meant, asked.vectors
        found = iter(asked.corpus.search_dense(vectors[meant], asked.depth, LOWEST, mask=asked.mask))
        hits: list[Hits] = [next(found) if read else nothing() for read in meant.tolist()]
        unrelated = levels(asked.corpus, asked.plan.language, vectors, hits)
        return Listed(hits, meant, partial(_shares, asked, vectors, unrelated))


def _shares(asked: Inquiry, vectors: NDArray[np.float32], unrelated: Levels, rows: Rows) -> Shares:
    cosines: NDArray[np.float32] = vectors @ asked.corpus.vectors(rows).T
    return np.where(asked.meant[:, None], unrelated.shares(cosines, rows), np.float32(0.0))
