"""BM25: the words of the question, rare ones counting most."""

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
# The lowest score that is kept, as a share of the best.
LOWEST = 0.05


class Lexical:
    """BM25 over texts, contexts and titles (Robertson and Zaragoza 2009); see ``Corpus.score_lexical``."""

    name = LEXICAL
    title = "Words (BM25)"

    def search(self, asked: Inquiry) -> Found | Off:
        """Hits of at least the share of the best that ``LOWEST`` names."""
        texts, language = asked.texts, asked.plan.language
        found = asked.corpus.search_lexical(texts, language, asked.depth, mask=asked.mask)
        best = best_scores(found)
        hits = [above(one, LOWEST * float(top)) for one, top in zip(found, best, strict=True)]
        return Listed(hits, np.ones(len(texts), np.bool_), partial(_shares, asked, best))


def _shares(asked: Inquiry, best: Scores, rows: Rows) -> Shares:
    return shares_of(asked.corpus.score_lexical(asked.texts, asked.plan.language, rows), best)
