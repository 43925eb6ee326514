"""Learned sparse vectors: the words of the question, and those that a model adds to them."""

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
    """SPLADE and its kin (Formal et al., SIGIR 2021) by the inner product; see ``Corpus.score_sparse``."""

    name = "sparse"
    title = "Learned words (sparse)"

    def search(self, asked: Inquiry) -> Found | Off:
        """Hits of the views that mean something; off where the corpus has no such vectors, or its model
        cannot be had or does not read the question's language."""
        corpus, meant = asked.corpus, asked.meant
        try:
            model = sparse_embedder(corpus.sparse_model)
            if model is None:
                return Off("the corpus holds no learned sparse vectors")
            if not reads(model, asked.plan.language):
                return Off(f"{model_name(model.spec)} does not read {asked.plan.language!r}")
            texts = [view.text for view in asked.plan.views if view.dense]
            queries = model.encode(texts, "query")
        except (ModelError, SettingsError) as error:
            return Off(str(error))
        found = iter(corpus.search_sparse(queries, asked.depth, mask=asked.mask))
        hits: list[Hits] = [next(found) if read else nothing() for read in meant.tolist()]
        return Listed(hits, meant, partial(_shares, asked, queries, best_scores(hits)))


def _shares(asked: Inquiry, queries: SparseVectors, best: Scores, rows: Rows) -> Shares:
    scores = np.zeros((len(best), len(rows)), np.float32)
    scores[asked.meant] = asked.corpus.score_sparse(queries, rows)
    return shares_of(scores, best)
