"""Coverage: which facets of a question the pool has evidence for, and what to ask for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import ModelError
from engine.investigation.facets import Compared, Facet
from engine.language.embedders import Embedder
from engine.model import NOTHING, AreaCoverage, AreaState
from engine.retrieval.retrievers.levels import Levels, levels

# Evidence must serve the question too, not only the area: at least this share of the best relevance.
EVIDENCE_SHARE = 0.65
MOST_EVIDENCE = 50
# Best passages of a facet in which the best of each language is sought.
BEST_LOOKED_AT = 50


class Coverage:
    """Keeps, over the rounds, the state of each facet and which of its queries were sent."""

    def __init__(
        self,
        corpus: Corpus,
        facets: Sequence[Facet],
        language: str,
        embedder: Embedder | None,
        views: NDArray[np.float32] | None,
    ) -> None:
        self.areas: tuple[AreaCoverage, ...] = ()
        self._corpus = corpus
        self._facets = tuple(facets)
        self._language = language
        # Rounds in which an area had a query sent; how many of its own were; the last one.
        self._turns: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._queries: dict[str, str] = {}
        self._closed: dict[str, int] = {}
        texts = tuple(facet.text for facet in self._facets)
        self._vectors = _vectors(self._facets, embedder, views)
        self._levels = _levels(corpus, language, self._vectors)
        best = corpus.search_lexical(texts, language, 1) if texts else []
        self._best = np.array([hits.scores[0] if len(hits.scores) else 0.0 for hits in best], np.float32)

    def update(self, rows: Rows, relevance: Scores, ids: Sequence[str], round_number: int) -> bool:
        """Check every facet against the pool; returns whether anything changed.

        ``rows``, their ``relevance`` to the question and their ``ids``: shape (n,).
        """
        before = self.areas
        table = self.similarities(rows)
        useful = relevance >= EVIDENCE_SHARE * (float(relevance.max()) if len(relevance) else 0.0)
        self.areas = tuple(
            self._state(facet, table[number], useful, ids, round_number)
            for number, facet in enumerate(self._facets)
        )
        return self.areas != before

    def similarities(self, rows: Rows) -> NDArray[np.float32]:
        """Similarity of each facet to each row, shape (facets, n), 0..1.

        Cosine where facet and passage have vectors; else BM25 as a share of what the best passage of
        the corpus reaches.
        """
        if not self._facets or not len(rows):
            return np.zeros((len(self._facets), len(rows)), np.float32)
        raw = self._corpus.score_lexical([facet.text for facet in self._facets], self._language, rows)
        lexical = np.divide(raw, self._best[:, None], out=np.zeros_like(raw), where=self._best[:, None] > 0)
        if self._vectors is None:
            return lexical
        vectors = self._corpus.vectors(rows)
        if not vectors.shape[1]:
            return lexical
        embedded = np.outer(self._vectors.any(axis=1), vectors.any(axis=1))
        cosines = self._on_our_scale(np.clip(self._vectors @ vectors.T, 0.0, 1.0), rows)
        return np.where(embedded, cosines, lexical).astype(np.float32)

    def _on_our_scale(self, cosines: NDArray[np.float32], rows: Rows) -> NDArray[np.float32]:
        """Cosines as they are, or, of a model that has no zero of its own, what they are as a share of the
        best passage of the corpus, as for words; on the scale that the thresholds of the facets have."""
        if self._levels is None:
            return cosines
        floor = self._corpus.similarity_floor
        shares = self._levels.shares(cosines, rows)
        areas = np.array([facet.compared is Compared.AREA for facet in self._facets], np.bool_)
        return np.where(areas[:, None], shares, floor + (1.0 - floor) * shares).astype(np.float32)

    def _state(
        self,
        facet: Facet,
        similarity: Scores,
        useful: NDArray[np.bool_],
        ids: Sequence[str],
        round_number: int,
    ) -> AreaCoverage:
        # An area that is demanded whatever the question asks needs evidence of its own only.
        serving = np.ones_like(useful) if facet.demanded else useful
        chosen = np.flatnonzero(serving & (similarity >= facet.similarity))
        chosen = chosen[np.lexsort((chosen, -similarity[chosen]))][:MOST_EVIDENCE]
        state = AreaState.COVERED if len(chosen) >= facet.minimum else AreaState.WEAK
        state = state if len(chosen) else AreaState.MISSING
        if state is AreaState.COVERED:
            self._closed.setdefault(facet.id, round_number)
        return AreaCoverage(
            facet.id,
            facet.name,
            state,
            facet.required,
            tuple(ids[number] for number in chosen.tolist()),
            facet.minimum,
            float(similarity[chosen].mean()) if len(chosen) else 0.0,
            self._closed.get(facet.id),
            self._queries.get(facet.id),
        )

    @property
    def open_queries(self) -> int:
        """Areas that are not covered and have a query left to send."""
        return len(self.open_areas())

    def open_areas(self) -> tuple[AreaCoverage, ...]:
        """Areas that are not covered and may have a query sent; each in as many rounds as it has its own."""
        return tuple(
            area
            for facet, area in zip(self._facets, self.areas, strict=True)
            if area.state is not AreaState.COVERED and self._turns.get(facet.id, 0) < len(facet.queries)
        )

    def gap_queries(self, better: Mapping[str, Sequence[str]] = NOTHING) -> tuple[str, ...]:
        """The queries of a round: for each open area those that somebody worded for it, by area id, else its
        own next one."""
        queries: list[str] = []
        wanted = {area.id for area in self.open_areas()}
        for facet in self._facets:
            if facet.id not in wanted:
                continue
            self._turns[facet.id] = self._turns.get(facet.id, 0) + 1
            own = self._own.get(facet.id, 0)
            given = tuple(better.get(facet.id, ()))
            if not given:
                given, self._own[facet.id] = facet.queries[own : own + 1], own + 1
            self._queries[facet.id] = "; ".join(given)
            queries += given
        self.areas = tuple(replace(area, query=self._queries.get(area.id)) for area in self.areas)
        return tuple(queries)


def opened(
    corpus: Corpus,
    facets: Sequence[Facet],
    language: str,
    embedder: Embedder | None,
    views: NDArray[np.float32] | None,
) -> tuple[Coverage, tuple[str, ...]]:
    """The coverage of facets, compared by meaning where the views have vectors; a note where the model failed
    over the areas, which then are compared by words."""
    try:
        return Coverage(corpus, facets, language, None if views is None else embedder, views), ()
    except ModelError as error:
        return Coverage(corpus, facets, language, None, None), (f"coverage is measured by words: {error}",)


def _levels(corpus: Corpus, language: str, vectors: NDArray[np.float32] | None) -> Levels | None:
    """What is unrelated to each facet; None where the model's own zero holds for all of them."""
    if vectors is None or not vectors.any():
        return None
    found = levels(corpus, language, vectors, corpus.search_dense(vectors, BEST_LOOKED_AT, -1.0))
    usual = np.allclose(found.floors[vectors.any(axis=1)], corpus.similarity_floor)
    return None if usual else found


def _vectors(
    facets: Sequence[Facet], embedder: Embedder | None, views: NDArray[np.float32] | None
) -> NDArray[np.float32] | None:
    """One vector per facet, zero where it is compared by its words: shape (facets, d).

    Parts of the question have their view's vector already; areas are embedded once per ontology;
    terms are words and are looked up as such, which saves a call of the model per question.
    """
    if embedder is None or views is None or not facets:
        return None
    table = np.zeros((len(facets), views.shape[1]), np.float32)
    areas = tuple(facet.text for facet in facets if facet.compared is Compared.AREA)
    embedded = dict(zip(areas, _embedded(embedder, areas), strict=True)) if areas else {}
    for number, facet in enumerate(facets):
        if facet.compared is Compared.AREA:
            table[number] = embedded[facet.text]
        elif facet.compared is Compared.VIEW and facet.view is not None:
            table[number] = views[facet.view]
    return table


@lru_cache(maxsize=64)
def _embedded(embedder: Embedder, texts: tuple[str, ...]) -> NDArray[np.float32]:
    """Vectors of the facets' texts; those of an ontology are the same for every question."""
    return embedder.encode(texts, "query")
