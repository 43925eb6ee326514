"""Late interaction: each word of the question is looked for on its own, as the model sees it in its place.

The first stage is what the retrievers before it have found, and the passages whose mean token vector is
nearest to the question's; of these the score is exact.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Hits, Mask, Rows, Scores
from engine.errors import CorpusError, ModelError, SettingsError
from engine.language.embedders import TokenVectors, reads, token_embedder
from engine.language.embedders.loading import model_name
from engine.retrieval.retrievers.base import Found, Inquiry, Listed, Off, Shares, best_scores, nothing

# Passages by which the score of an unrelated one is told: as many as make their median steady.
SAMPLE = 200
_SEED = 0


class Late:
    """MaxSim (Khattab and Zaharia, SIGIR 2020); see ``Corpus.score_late``. A share is the score above that
    of unrelated passages, the median of a fixed sample of the corpus, over the best score above it."""

    name = "late"
    title = "Word by word (late interaction)"

    def search(self, asked: Inquiry) -> Found | Off:
        """Hits of the views that mean something; off where the corpus has no token vectors, or its model
        cannot be had or does not read the question's language."""
        corpus = asked.corpus
        try:
            queries = _queries(asked)
            if isinstance(queries, Off):
                return queries
            found = corpus.search_late(queries, asked.depth, also=asked.candidates, mask=asked.mask)
        except (CorpusError, ModelError, SettingsError) as error:
            return Off(str(error))
        places = np.flatnonzero(asked.meant)[np.diff(queries.offsets) > 0]
        read = np.zeros(len(asked.plan.views), np.bool_)
        read[places] = True
        with_tokens = iter([hits for hits, size in zip(found, np.diff(queries.offsets), strict=True) if size])
        hits: list[Hits] = [next(with_tokens) if one else nothing() for one in read.tolist()]
        queries = _without_empty(queries)
        floor = _floor(corpus, queries)
        span = np.maximum(best_scores([hits[place] for place in places.tolist()]) - floor, 1e-6)
        return Listed(hits, read, partial(_shares, corpus, queries, read, (floor, span)))


def _shares(
    corpus: Corpus, queries: TokenVectors, read: Mask, bounds: tuple[Scores, Scores], rows: Rows
) -> Shares:
    """``bounds``: of each query that is read, the score of an unrelated passage, and the best above it."""
    floor, span = bounds
    shares = np.zeros((len(read), len(rows)), np.float32)
    scores = corpus.score_late(queries, rows)
    shares[read] = np.clip((scores - floor[:, None]) / span[:, None], 0.0, 1.0)
    return shares


def _queries(asked: Inquiry) -> TokenVectors | Off:
    """The token vectors of the views that mean something. Raises ModelError, SettingsError."""
    model = token_embedder(asked.corpus.late_model)
    if model is None:
        return Off("the corpus holds no token vectors")
    if not reads(model, asked.plan.language):
        return Off(f"{model_name(model.spec)} does not read {asked.plan.language!r}")
    return model.encode([view.text for view in asked.plan.views if view.dense], "query")


def _without_empty(queries: TokenVectors) -> TokenVectors:
    """Only the queries that have tokens."""
    counts = np.diff(queries.offsets)
    return TokenVectors(np.concatenate([[0], np.cumsum(counts[counts > 0])]), queries.vectors)


def _floor(corpus: Corpus, queries: TokenVectors) -> Scores:
    """The score of an unrelated passage for each query, shape (queries,)."""
    size = min(SAMPLE, len(corpus))
    drawn: NDArray[np.int64] = np.random.default_rng(_SEED).choice(len(corpus), size, replace=False)
    scores = corpus.score_late(queries, np.sort(drawn).astype(np.int32))
    return np.median(scores, axis=1).astype(np.float32)
