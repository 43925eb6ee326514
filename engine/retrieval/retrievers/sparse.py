"""Learned sparse vectors: search by the words of the question and words that a model adds."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.corpus.protocol import Hits, Rows, Scores
from engine.errors import ModelError, SettingsError
from engine.language.embedders import SparseVectors, reads, sparse_embedder
from engine.language.embedders.loading import model_name
from engine.retrieval.retrievers.base import (
    Found,
    Inquiry,
    Listed,
    Off,
    Shares,
    best_scores,
    nothing,
    shares_of,
)


class Sparse:
    """SPLADE and similar models (Formal et al., SIGIR 2021) by inner product; see ``Corpus.score_sparse``."""

    name = "sparse"
    title = "Learned words (sparse)"

    def search(self, inquiry: Inquiry) -> Found | Off:
        """Return hits of the dense views.

        Off if the corpus has no sparse vectors, or its model is not available or does not read the language.
        """
        corpus, is_dense = inquiry.corpus, inquiry.is_dense
        try:
            model = sparse_embedder(corpus.sparse_model)
            if model is None:
                return Off("the corpus holds no learned sparse vectors")
            if not reads(model, inquiry.plan.language):
                return Off(f"{model_name(model.spec)} does not read {inquiry.plan.language!r}")
            texts = [view.text for view in inquiry.plan.views if view.dense]
            queries = model.encode(texts, "query")
        except (ModelError, SettingsError) as error:
            return Off(str(error))
        found = iter(corpus.search_sparse(queries, inquiry.depth, mask=inquiry.mask))
        hits: list[Hits] = [next(found) if read else nothing() for read in is_dense.tolist()]
        return Listed(hits, is_dense, partial(_shares, inquiry, queries, best_scores(hits)))


def _shares(inquiry: Inquiry, queries: SparseVectors, best: Scores, rows: Rows) -> Shares:
    scores = np.zeros((len(best), len(rows)), np.float32)
    scores[inquiry.is_dense] = inquiry.corpus.score_sparse(queries, rows)
    return shares_of(scores, best)
