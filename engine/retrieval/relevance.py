"""How well a passage serves the question: one number in 0..1 for any passage of the corpus.

The scan ranks by it, the gate judges leads by it, and it is the largest part of the final score. It
is the weighted sum of two scores, each divided by the best that any passage reaches for the view:
BM25, and cosine similarity above what two random passages have (the model's own zero).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.model import QueryPlan

# A passage that is nothing but a heading names its subject and says nothing of it.
HEADING_FACTOR = 0.3


@dataclass(frozen=True, slots=True)
class Relevance:
    """Scores passages for one question. ``vectors``: shape (views, d), None where dense is off.

    ``best_lexical`` and ``best_dense`` hold the best raw score of each view, ``floor`` the cosine of
    unrelated passages, ``dense_weight`` the share of the dense score.
    """

    corpus: Corpus
    plan: QueryPlan
    vectors: NDArray[np.float32] | None
    best_lexical: Scores
    best_dense: Scores
    floor: float
    dense_weight: float

    def of(self, rows: Rows) -> Scores:
        """Relevance of each row, shape (n,)."""
        if not len(rows):
            return np.empty(0, np.float32)
        weights = np.array([view.weight for view in self.plan.views], np.float32)
        weights /= weights.sum()
        share = self.dense_weight if self.vectors is not None else 0.0
        total = (1.0 - share) * (weights @ self.lexical(rows))
        if share > 0:
            total = total + share * (weights @ self.dense(rows))
        factor = np.where(self.corpus.bare_headings(rows), HEADING_FACTOR, 1.0)
        return (total * factor).astype(np.float32)

    def lexical(self, rows: Rows) -> NDArray[np.float32]:
        """BM25 of each view and row as a share of the view's best, shape (views, n)."""
        texts = [view.text for view in self.plan.views]
        scores = self.corpus.score_lexical(texts, self.plan.language, rows)
        best = self.best_lexical[:, None]
        shares: NDArray[np.float32] = np.divide(scores, best, out=np.zeros_like(scores), where=best > 0)
        return shares

    def dense(self, rows: Rows) -> NDArray[np.float32]:
        """Cosine above the floor as a share of the view's best, shape (views, n), 0..1."""
        if self.vectors is None:
            return np.zeros((len(self.plan.views), len(rows)), np.float32)
        cosines = self.vectors @ self.corpus.vectors(rows).T
        span = np.maximum(self.best_dense[:, None] - self.floor, 1e-6)
        shares: NDArray[np.float32] = np.clip((cosines - self.floor) / span, 0.0, 1.0).astype(np.float32)
        return shares

    def similarity(self, rows: Rows) -> Scores:
        """Similarity of the literal question to each row: dense where it is on, else lexical, 0..1."""
        table = self.dense(rows) if self.vectors is not None else self.lexical(rows)
        literal: Scores = table[0]
        return literal
