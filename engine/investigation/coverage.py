"""Coverage: which facets of a question the pool has evidence for, and what to ask for the others.

An area is covered by its share of what the question finds (``facets.shares_of``); a part of the question by
what decides over a whole question, too: its words and its nearness (``evidence``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.errors import ModelError
from engine.investigation.affinity import affinity
from engine.investigation.asked import written
from engine.investigation.evidence import LOOKED_AT, Part
from engine.investigation.facets import Facet, check_transaction, facets_for, shares_of
from engine.investigation.reading import Reading
from engine.investigation.transactions import transaction_of
from engine.language.embedders import Embedder
from engine.model import NOTHING, AreaCoverage, AreaState, EvidenceStatus, GapQuery, Transaction
from engine.retrieval.relevance import Relevance

# Shares of the question's evidence from which an area is not missing, and is covered. Chosen on the questions
# of two corpora, see "Coverage" in benchmarks/RESULTS.md.
WEAK, COVERED = 0.12, 0.3
# Passages that count for an area have this relevance, as a share of the best.
RELEVANT = 0.5
# They belong to it at least so much as to any other area.
OWN = 0.7
MOST_EVIDENCE = 50


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence for a facet: places in the pool, best first; how much it is, 0..1; and whether a part was
    found at all."""

    places: NDArray[np.intp]
    score: float
    status: EvidenceStatus = EvidenceStatus.FOUND


class Coverage:
    """Keeps, over the rounds, the state of each facet and which of its queries were sent."""

    def __init__(
        self,
        relevance: Relevance,
        facets: Sequence[Facet],
        reading: Reading,
        embedder: Embedder | None = None,
        transaction: Transaction | None = None,
    ) -> None:
        self.transaction = transaction
        self.areas: tuple[AreaCoverage, ...] = ()
        self._relevance, self._reading, self._embedder = relevance, reading, embedder
        self._facets = tuple(facets)
        self._parts = {facet.id: Part.of(relevance, facet.view) for facet in facets if facet.area is None}
        # Rounds in which an area had a query sent; how many of its own were; the last one.
        self._turns: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._queries: dict[str, str] = {}
        self._closed: dict[str, int] = {}

    def update(self, rows: Rows, ids: Sequence[str], round_number: int) -> bool:
        """Check every facet against the pool; returns whether anything changed. ``rows`` and their ``ids``:
        shape (n,)."""
        before = self.areas
        found = {**self._of_areas(rows), **self._of_parts(rows)}
        self.areas = tuple(self._state(facet, found[facet.id], ids, round_number) for facet in self._facets)
        return self.areas != before

    def _of_areas(self, rows: Rows) -> dict[str, Found]:
        """The evidence for each area."""
        facets = [facet for facet in self._facets if facet.area is not None]
        corpus = self._relevance.corpus
        ontology = corpus.ontology
        if not facets or ontology is None:
            return {}
        places = {area.id: place for place, area in enumerate(ontology.areas)}
        belongs = affinity(corpus, ontology.areas).of(corpus, rows, self._embedder)
        relevance = self._relevance.of(rows)
        shares, strongest = shares_of(belongs, relevance), belongs.max(axis=0, initial=0.0)
        return {
            facet.id: _evidence(
                belongs[places[facet.id]], strongest, relevance, facet, float(shares[places[facet.id]])
            )
            for facet in facets
        }

    def _of_parts(self, rows: Rows) -> dict[str, Found]:
        """The evidence for each part of the question."""
        facets = [facet for facet in self._facets if facet.area is None]
        if not facets:
            return {}
        table = self._relevance.similarities(rows)
        titles = self._relevance.corpus.documents()
        numbers = self._relevance.corpus.document_numbers(rows)
        found = {}
        for facet in facets:
            shares = table[facet.view]
            best = np.lexsort((rows, -shares))
            texts = [
                written(passage, titles[number].title)
                for passage, number in zip(
                    self._reading.passages(rows[best[:LOOKED_AT]]),
                    numbers[best[:LOOKED_AT]].tolist(),
                    strict=True,
                )
            ]
            judged = self._parts[facet.id].judged(self._relevance, texts)
            chosen = best[shares[best] >= facet.similarity][:MOST_EVIDENCE]
            score = self._parts[facet.id].score(judged, self._relevance.corpus)
            found[facet.id] = Found(chosen, score, judged.status)
        return found

    def _state(self, facet: Facet, found: Found, ids: Sequence[str], round_number: int) -> AreaCoverage:
        nothing = found.status is EvidenceStatus.NONE or not len(found.places)
        enough = found.status is EvidenceStatus.FOUND and len(found.places) >= facet.minimum
        state = AreaState.MISSING if nothing else AreaState.COVERED if enough else AreaState.WEAK
        if facet.area is not None and state is AreaState.COVERED and found.score < COVERED:
            state = AreaState.WEAK
        if state is AreaState.COVERED:
            self._closed.setdefault(facet.id, round_number)
        return AreaCoverage(
            facet.id,
            facet.name,
            state,
            facet.required,
            () if nothing else tuple(ids[place] for place in found.places.tolist()),
            facet.minimum,
            found.score if facet.area is not None or not nothing else 0.0,
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

    def gap_queries(self, better: Mapping[str, Sequence[str]] = NOTHING) -> tuple[GapQuery, ...]:
        """The queries of a round: for each open area those that somebody worded for it, by area id, else its
        own next one."""
        queries: list[GapQuery] = []
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
            queries += [GapQuery(words, facet.id, facet.name) for words in given]
        self.areas = tuple(replace(area, query=self._queries.get(area.id)) for area in self.areas)
        return tuple(queries)


def opened(
    relevance: Relevance,
    first: Rows,
    wanted: str | None,
    reading: Reading,
    embedder: Embedder | None,
) -> tuple[Coverage, tuple[str, ...]]:
    """The coverage of a question whose scan found the rows ``first``; a note where the model failed over the
    areas, which then are compared by words. ``wanted``: the type of transaction, or who says it. Raises
    SettingsError for an unknown one."""
    check_transaction(relevance.corpus, wanted)
    model = None if relevance.vectors is None else embedder
    try:
        return _opened(relevance, first, wanted, reading, model), ()
    except ModelError as error:
        told = f"coverage is measured by words: {error}"
        return _opened(relevance, first, wanted, reading, None), (told,)


def _opened(
    relevance: Relevance, first: Rows, wanted: str | None, reading: Reading, embedder: Embedder | None
) -> Coverage:
    transaction = transaction_of(relevance, first, wanted, embedder)
    facets = facets_for(relevance, first, None if transaction is None else transaction.id, embedder)
    return Coverage(relevance, facets, reading, embedder, transaction)


def _evidence(belongs: Scores, strongest: Scores, relevance: Scores, facet: Facet, share: float) -> Found:
    """The passages of an area that serve the question, best first, and its share of all evidence. They
    belong to it nearly as much as to the area that is ``strongest`` in them; all of shape (n,)."""
    best = facet.similarity * float(belongs.max(initial=0.0))
    useful = relevance >= RELEVANT * float(relevance.max(initial=0.0))
    own = (belongs >= np.maximum(best, OWN * strongest)) & (belongs > 0)
    places = np.flatnonzero(useful & own)
    order = np.lexsort((places, -(belongs[places] * relevance[places] ** 2)))
    return Found(places[order][:MOST_EVIDENCE] if share >= WEAK else places[:0], share)
