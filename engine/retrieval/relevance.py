"""How well a passage serves the question: one number in 0..1 for any passage of the corpus.

The scan ranks by it, the gate judges leads by it, and it is the largest part of the final score. It
is the weighted sum of what the retrievers say, each as a share of the best that any passage reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.model import QueryPlan
from engine.retrieval.cross_lingual import CROSS_LINGUAL_SHARE
from engine.retrieval.retrievers.base import ByRow, Found, Shares
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.retrievers.lexical import LEXICAL
from engine.retrieval.routing import routed

# A passage that is nothing but a heading names its subject and says nothing of it.
HEADING_FACTOR = 0.3
# What a passage gets that holds the words which the question puts in quotation marks, one behind the other.
PHRASE = 0.1


@dataclass(frozen=True, slots=True)
class Relevance:
    """Scores passages for one question.

    ``plan`` holds the views that were searched; ``vectors`` are those of the views, shape (views, d), None
    where dense search is off. ``found`` are the answers of the retrievers by name, ``weights`` the share of
    each in the sum. ``cross_lingual`` says which documents are in another language than the question, shape
    (documents,), None where none is; ``phrased`` which passages hold a phrase that the question quotes, shape
    (passages,), None where it quotes none.
    """

    corpus: Corpus
    plan: QueryPlan
    vectors: NDArray[np.float32] | None
    found: Mapping[str, Found]
    weights: Mapping[str, float]
    cross_lingual: NDArray[np.bool_] | None = None
    phrased: Mask | None = None
    _known: ByRow = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", ByRow(1, self._of))

    def of(self, rows: Rows) -> Scores:
        """Relevance of each row, shape (n,), 0..1; up to 0.2 more in a document the question names."""
        return self._known.of(rows)[:, 0]

    def _of(self, rows: Rows) -> NDArray[np.float32]:
        total = np.zeros(len(rows), np.float32)
        for name in self.found:
            if self.weights[name] > 0:
                total += np.float32(self.weights[name]) * self._joined(name, rows)
        if self.cross_lingual is not None:
            # Words say nothing across languages, and their silence is no verdict.
            away = self.cross_lingual[self.corpus.document_numbers(rows)]
            total = np.where(away, np.maximum(total, CROSS_LINGUAL_SHARE * self._joined(DENSE, rows)), total)
        extra = routed(self.corpus, self.plan, rows)
        if extra is not None:
            total = total + extra
        if self.phrased is not None:
            total = total + PHRASE * self.phrased[rows]
        factor = np.where(self.corpus.bare_headings(rows), HEADING_FACTOR, 1.0)
        return (total * factor).astype(np.float32)[:, None]

    def of_view(self, rows: Rows, view: int) -> Scores:
        """Relevance of each row for one view alone, by the retrievers that read it, shape (n,), 0..1."""
        reading = {name: self.weights[name] for name, answer in self.found.items() if answer.reads[view]}
        total = np.zeros(len(rows), np.float32)
        for name, weight in reading.items():
            total += (
                np.float32(weight / max(sum(reading.values()), 1e-9)) * self.found[name].shares(rows)[view]
            )
        factor = np.where(self.corpus.bare_headings(rows), HEADING_FACTOR, 1.0)
        return (total * factor).astype(np.float32)

    def by_retriever(self, rows: Rows) -> dict[str, Scores]:
        """What each retriever says of each row, over all views that it reads: shapes (n,), 0..1."""
        return {name: self._joined(name, rows) for name in self.found}

    def lexical(self, rows: Rows) -> Shares:
        """BM25 of each view and row as a share of the view's best, shape (views, n)."""
        return self._shares(LEXICAL, rows)

    def dense(self, rows: Rows) -> Shares:
        """Cosine above the floor as a share of the view's best, shape (views, n), 0..1."""
        return self._shares(DENSE, rows)

    def similarity(self, rows: Rows) -> Scores:
        """Similarity of the literal question to each row: dense where it is on, else lexical, 0..1."""
        literal: Scores = self.similarities(rows)[0]
        return literal

    def similarities(self, rows: Rows) -> Shares:
        """Similarity of each view to each row, as a share of the view's best: dense for the views that it
        reads, else lexical, shape (views, n), 0..1."""
        if DENSE not in self.found:
            return self.lexical(rows)
        read = self.found[DENSE].reads
        found: Shares = self.dense(rows)
        return found if read.all() else np.where(read[:, None], found, self.lexical(rows))

    def _shares(self, name: str, rows: Rows) -> Shares:
        answer = self.found.get(name)
        if answer is None:
            return np.zeros((len(self.plan.views), len(rows)), np.float32)
        return answer.shares(rows)

    def _joined(self, name: str, rows: Rows) -> Scores:
        """The views' shares by the weights of the views that the retriever reads."""
        answer = self.found[name]
        weights = np.array([view.weight for view in self.plan.views], np.float32) * answer.reads
        weights /= max(float(weights.sum()), 1e-9)
        shares = answer.shares(rows)
        # Both lie in 0..1; once in thousands of cases a BLAS has reported an invalid value all the same.
        with np.errstate(invalid="ignore"):
            joined: Scores = weights @ shares
        return joined
