"""Coverage of the facets of a question by the pool, and the type of transaction it is about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Ontology, Rows, Scores
from engine.errors import ModelError
from engine.investigation.evidence import LOOKED_AT, Part, written
from engine.investigation.facets import (
    NONE,
    Facet,
    affinity,
    check_transaction,
    facets_for,
    keywords_in,
    keywords_of,
    shares_of,
)
from engine.investigation.pool import Reading
from engine.language.embedders import Embedder
from engine.model import NOTHING, AreaCoverage, AreaState, EvidenceStatus, GapQuery, Transaction
from engine.retrieval.relevance import Relevance
from engine.settings import AUTO

# The type of transaction that a question is about, proposed from what it asks and what it finds.
#
# A type is told by its own words in the question, or by what they mean, and by its areas: their
# shares of what the question finds, each the less the more other types need it. None is proposed
# where none stands out.

# What areas, words and meaning count, and the sum from which a type is proposed; fitted on half of the
# sample's questions (see "Coverage" in benchmarks/RESULTS.md). Without vectors the meaning is the usual one.
OF_AREAS, OF_WORDS, USUAL_MEANING, CLEAR = 2.0, 0.6, 0.4, 0.75
# What a keyword of an area in the question is worth of a share.
ASKED = 0.1
# The sum that is as clear as can be.
CERTAIN = 2.0


def transaction_of(
    relevance: Relevance, first: Rows, wanted: str | None, embedder: Embedder | None = None
) -> Transaction | None:
    """The type that a person wants, or the one that the question tells; None without an ontology that has
    types. ``first`` are the scan's best rows, best first. Raises ModelError where the embedder fails."""
    ontology = relevance.corpus.ontology
    if ontology is None or not ontology.transactions:
        return None
    if wanted != AUTO:
        return Transaction(None if wanted == NONE else wanted)
    strengths = proposed(ontology, relevance, first, embedder)
    best = max(strengths, key=lambda name: strengths[name])
    clear = strengths[best] >= CLEAR / CERTAIN
    return Transaction(best if clear else None, True, strengths[best])


def proposed(
    ontology: Ontology, relevance: Relevance, first: Rows, embedder: Embedder | None = None
) -> Mapping[str, float]:
    """How clearly a question tells each type of transaction, 0..1."""
    text, language = relevance.plan.views[0].text, relevance.plan.language
    corpus = relevance.corpus
    belongs = affinity(corpus, ontology.areas).of(corpus, first, embedder)
    shares = shares_of(belongs, relevance.of(first))
    touched = {
        area.id: float(share) + ASKED * keywords_in(text, keywords_of(area, language), language)
        for area, share in zip(ontology.areas, shares, strict=True)
    }
    types = ontology.transactions
    needing = Counter(area for areas in types.values() for area in set(areas))
    rarity = {area: math.log1p(len(types) / count) ** 2 for area, count in needing.items()}
    found = {}
    for name, areas in types.items():
        total = sum(rarity[area] for area in areas)
        of_areas = sum(rarity[area] * touched[area] for area in areas) / total if total else 0.0
        words = _words(ontology, name, language)
        own = keywords_in(text, words, language)
        meant = _meant(relevance, words, embedder)
        sure = OF_AREAS * of_areas + OF_WORDS * own / (own + 1) + meant
        found[name] = max(0.0, min(1.0, sure / CERTAIN))
    return found


def _meant(relevance: Relevance, words: tuple[str, ...], embedder: Embedder | None) -> float:
    """The highest cosine that one of a type's words has to the question."""
    if embedder is None or relevance.vectors is None or not words:
        return USUAL_MEANING
    return float((_embedded(embedder, words) @ relevance.vectors[0]).max())


@lru_cache(maxsize=64)
def _embedded(embedder: Embedder, words: tuple[str, ...]) -> NDArray[np.float32]:
    """Vectors of a type's words, the same for every question."""
    return embedder.encode(words, "query")


def kinds_of(ontology: Ontology | None, language: str) -> dict[str, str]:
    """What the types of transactions of an ontology are called in a language, by their ids."""
    if ontology is None:
        return {}
    plain = {name: name.replace("-", " ").replace("_", " ").capitalize() for name in ontology.transactions}
    named = {name: words.names for name, words in ontology.wording.items()}
    return {name: named.get(name, {}).get(language, plain[name]) for name in plain}


def _words(ontology: Ontology, name: str, language: str) -> tuple[str, ...]:
    """What a type is called in a language; without words of its own, by its id."""
    wording = ontology.wording.get(name)
    if wording is None:
        return (name.replace("-", " ").replace("_", " "),)
    own = wording.names.get(language)
    return (*wording.keywords.get(language, ()), *((own,) if own else ()))


# Coverage: which facets of a question the pool has evidence for, and what to ask for the others.
#
# An area is covered if as many good passages of it as it needs are among the most relevant ones, and it has
# its share of what the question finds (``facets.shares_of``); it is missing if there is no good passage, or,
# unless it is required, hardly any share. A part of the question is judged as the whole question is: by its
# words and their nearness (``evidence``).

# All chosen on the questions of two corpora, see "Coverage" in benchmarks/RESULTS.md.
# The share of the question's evidence that a covered area has, at least: one that a type of transaction
# requires which the user chose, and any other.
REQUIRED, COVERED = 0.26, 0.3
# An area that is not required is missing with a smaller share.
WEAK = 0.12
# A passage is good evidence for an area if it is among the BEST of the pool, if affinity times relevance is
# at least GOOD, and if it belongs to the area at least OWN times as much as to any other.
BEST, GOOD, OWN = 20, 0.15, 0.5
# Further passages are listed behind the good ones if they are this relevant, as a share of the best.
RELEVANT = 0.5
MOST_EVIDENCE = 50


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence for a facet: places in the pool, best first; how much it is, 0..1; whether a part was found
    at all; and how many passages are good evidence for an area."""

    places: NDArray[np.intp]
    score: float
    status: EvidenceStatus = EvidenceStatus.FOUND
    good: int = 0


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
        if facet.area is None:
            enough = found.status is EvidenceStatus.FOUND and len(found.places) >= facet.minimum
        else:
            enough = found.good >= facet.minimum and found.score >= self._least_share(facet)
        state = AreaState.MISSING if nothing else AreaState.COVERED if enough else AreaState.WEAK
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

    def _least_share(self, facet: Facet) -> float:
        """The share of the question's evidence that the area has if it is covered."""
        chosen = self.transaction is not None and not self.transaction.proposed
        return REQUIRED if facet.required and chosen else COVERED

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
    """The evidence for an area: its good passages, best first, then others that belong to it.

    ``belongs`` and ``strongest``: affinity to the area and to the area that is strongest in each passage, of
    shape (n,), as is ``relevance``; ``share`` is the area's share of all evidence.
    """
    own = (belongs >= OWN * strongest) & (belongs > 0)
    among_best = np.zeros(len(relevance), np.bool_)
    among_best[np.argsort(-relevance, kind="stable")[:BEST]] = True
    good = own & among_best & (belongs * relevance >= GOOD)
    count = int(good.sum())
    least = facet.similarity * float(belongs.max(initial=0.0))
    useful = (relevance >= RELEVANT * float(relevance.max(initial=0.0))) & own & (belongs >= least)
    found = count and (facet.required or share >= WEAK)
    places = np.flatnonzero(good | useful) if found else np.zeros(0, np.intp)
    order = np.lexsort((places, -(belongs[places] * relevance[places] ** 2), ~good[places]))
    return Found(places[order][:MOST_EVIDENCE], share, good=count)
