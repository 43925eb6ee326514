"""Maximal marginal relevance: what says the same as a better passage goes further down.

Carbonell and Goldstein 1998, https://doi.org/10.1145/290941.291025. A passage is taken by what it
scores less what it repeats of those taken before:

    score - diversity x best score x (greatest likeness to a passage taken before)

which orders as their formula does with lambda = 1 / (1 + diversity). What the next passage gets by it
never exceeds what the one before got, so the loss is an addend of the score like any other. Nothing is
dropped: the same words in two acts are two passages.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading
from engine.investigation.reranking import pinned, with_addend
from engine.language.analyzer import analyzer

DIVERSITY = "diversity"
# Places that are filled one by one; the rest is ordered by likeness to these.
DEPTH = 100


def diversified(
    ranking: Ranking, corpus: Corpus, reading: Reading, diversity: float, depth: int = DEPTH
) -> Ranking:
    """The ranking with the addend "diversity", zero or less; as it was for a diversity of 0.

    Pinned passages lose nothing, but count as taken. Takes O(depth x n).
    """
    count = len(ranking.rows)
    if diversity <= 0 or count < 2:
        return ranking
    free = ~pinned(ranking)
    best = float(np.max(ranking.scores[free], initial=0.0))
    likeness = Likeness(corpus, reading, ranking.rows)
    cost = np.where(free, diversity * best, 0.0).astype(np.float32)
    nearest, taken_by = _greedy(ranking.scores, cost, likeness, min(depth, count))
    values = -cost * nearest
    rows = ranking.rows[taken_by]
    ids = reading.ids(rows[values < 0])
    lost = np.flatnonzero(values < 0).tolist()
    return with_addend(ranking, DIVERSITY, values, dict(zip(lost, ids, strict=True)))


def _greedy(scores: Scores, cost: Scores, likeness: Likeness, depth: int) -> tuple[Scores, NDArray[np.intp]]:
    """For each place the greatest likeness to one taken before it, and which that is; shapes (n,)."""
    nearest = np.zeros(len(scores), np.float32)
    taken_by = np.zeros(len(scores), np.intp)
    values = scores.copy()
    for _ in range(depth):
        # The first of equals: the order of the ranking decides.
        chosen = int(np.argmax(values))
        values[chosen] = -np.inf
        like = likeness.to(chosen)
        nearer = (like > nearest) & (values > -np.inf)
        nearest[nearer], taken_by[nearer] = like[nearer], chosen
        values[nearer] = scores[nearer] - cost[nearer] * nearest[nearer]
    return nearest, taken_by


class Likeness:
    """How alike passages are, 0..1: by their vectors where both have one, else by the terms they share.

    Vectors are compared by the part of their cosine above that of unrelated passages; terms by the
    cosine of the sets of terms.
    """

    def __init__(self, corpus: Corpus, reading: Reading, rows: Rows) -> None:
        self._vectors = corpus.vectors(rows)
        self._floor = corpus.similarity_floor
        self._seen: Mask = (self._vectors != 0).max(axis=1, initial=False)
        passages = [] if self._seen.all() else reading.passages(rows)
        terms = [set(analyzer(one.language).terms(one.text)) for one in passages]
        self._terms = None if self._seen.all() else _unit_sets(terms)

    def to(self, place: int) -> Scores:
        """Likeness of every passage to the one at a place, shape (n,)."""
        if self._terms is None:
            return self._by_vectors(place)
        products = (self._terms @ self._terms[place].T).toarray().ravel()
        shared: Scores = np.minimum(products, 1.0).astype(np.float32)
        if not self._seen[place]:
            return shared
        either: Scores = np.where(self._seen, self._by_vectors(place), shared)
        return either

    def _by_vectors(self, place: int) -> Scores:
        cosines = self._vectors @ self._vectors[place]
        above = (cosines - self._floor) / max(1.0 - self._floor, 1e-6)
        likeness: Scores = np.clip(above, 0.0, 1.0).astype(np.float32)
        return likeness


def _unit_sets(sets: Sequence[set[str]]) -> csr_matrix:
    """Sets of terms as rows of length 1, shape (sets, terms)."""
    numbers: dict[str, int] = {}
    columns = [numbers.setdefault(term, len(numbers)) for one in sets for term in sorted(one)]
    starts = np.cumsum([0, *(len(one) for one in sets)])
    lengths = np.repeat([max(len(one), 1) ** -0.5 for one in sets], [len(one) for one in sets])
    return csr_matrix((lengths.astype(np.float32), columns, starts), shape=(len(sets), max(len(numbers), 1)))
