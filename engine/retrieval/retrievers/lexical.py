"""BM25: search by the words of the question, weighted by rarity."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.corpus.protocol import Rows, Scores
from engine.retrieval.retrievers.base import (
    Found,
    Inquiry,
    Listed,
    Off,
    Shares,
    above,
    best_scores,
    shares_of,
)

LEXICAL = "bm25"
# The lowest score of a hit, as a share of the best.
LOWEST = 0.05


class Lexical:
    """BM25 over texts, contexts and titles (Robertson and Zaragoza 2009); see ``Corpus.score_lexical``."""

    name = LEXICAL
    title = "Words (BM25)"

    def search(self, inquiry: Inquiry) -> Found | Off:
        """Return hits with at least the share ``LOWEST`` of the best score."""
        texts, language = inquiry.texts, inquiry.plan.language
        found = inquiry.corpus.search_lexical(texts, language, inquiry.depth, mask=inquiry.mask)
        best = best_scores(found)
        hits = [above(own, LOWEST * float(top)) for own, top in zip(found, best, strict=True)]
        return Listed(hits, np.ones(len(texts), np.bool_), partial(_shares, inquiry, best))


def _shares(inquiry: Inquiry, best: Scores, rows: Rows) -> Shares:
    return shares_of(inquiry.corpus.score_lexical(inquiry.texts, inquiry.plan.language, rows), best)
