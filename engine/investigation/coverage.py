"""Coverage of a question's facets by the pool, and the type of transaction that the question is about."""

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
from engine.investigation.evidence import LOOKED_AT, Part, comparable_text
from engine.investigation.facets import (
    NONE,
    Facet,
    check_transaction,
    facets_for,
    get_affinity,
    keywords_in,
    keywords_of,
    shares_of,
)
from engine.investigation.pool import Reading
from engine.language.embedders import Embedder
from engine.model import NOTHING, AreaCoverage, AreaState, EvidenceStatus, GapQuery, Transaction
from engine.retrieval.relevance import Relevance
from engine.settings import AUTO

# The type of transaction
#
# Three signs of a type are added: its words in the question, the similarity of their meaning, and the shares
# of its areas in the question's results, weighted by how few other types need the area. No type is proposed
# unless one of them is clear.

# Weights of areas and words, the value of the meaning without vectors, and the sum from which a type is
# proposed; fitted on half of the sample's questions (see "Coverage" in benchmarks/RESULTS.md).
OF_AREAS, OF_WORDS, USUAL_MEANING, CLEAR = 2.0, 0.6, 0.4, 0.75
# Added to the share of an area for each of its keywords in the question.
ASKED = 0.1
# The sum that counts as certain.
CERTAIN = 2.0


def detect_transaction(
    relevance: Relevance, first: Rows, setting: str | None, embedder: Embedder | None = None
) -> Transaction | None:
    """Return the type of the setting, or the type that the question is about if the setting is ``AUTO``.

    None without an ontology that has types. ``first`` are the scan's best rows, best first. Raises ModelError
    if the embedder fails.
    """
    ontology = relevance.corpus.ontology
    if ontology is None or not ontology.transactions:
        return None
    if setting != AUTO:
        return Transaction(None if setting == NONE else setting)
    strengths = proposed(ontology, relevance, first, embedder)
    best = max(strengths, key=lambda name: strengths[name])
    clear = strengths[best] >= CLEAR / CERTAIN
    return Transaction(best if clear else None, True, strengths[best])


def proposed(
    ontology: Ontology, relevance: Relevance, first: Rows, embedder: Embedder | None = None
) -> Mapping[str, float]:
    """Return how clearly a question is about each type of transaction, 0..1."""
    text, language = relevance.plan.views[0].text, relevance.plan.language
    corpus = relevance.corpus
    belongs = get_affinity(corpus, ontology.areas).of(corpus, first, embedder)
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
        meaning = _nearest_word(relevance, words, embedder)
        total = OF_AREAS * of_areas + OF_WORDS * own / (own + 1) + meaning
        found[name] = max(0.0, min(1.0, total / CERTAIN))
    return found


def _nearest_word(relevance: Relevance, words: tuple[str, ...], embedder: Embedder | None) -> float:
    """Return the highest cosine between a type's words and the question."""
    if embedder is None or relevance.vectors is None or not words:
        return USUAL_MEANING
    return float((_embedded(embedder, words) @ relevance.vectors[0]).max())


@lru_cache(maxsize=64)
def _embedded(embedder: Embedder, words: tuple[str, ...]) -> NDArray[np.float32]:
    """Return vectors of a type's words, which are the same for every question."""
    return embedder.encode(words, "query")


def transaction_names(ontology: Ontology | None, language: str) -> dict[str, str]:
    """Return the names of an ontology's transaction types in a language, by id."""
    if ontology is None:
        return {}
    plain = {name: name.replace("-", " ").replace("_", " ").capitalize() for name in ontology.transactions}
    named = {name: words.names for name, words in ontology.wording.items()}
    return {name: named.get(name, {}).get(language, plain[name]) for name in plain}


def _words(ontology: Ontology, name: str, language: str) -> tuple[str, ...]:
    """Return the words for a type in a language; those of its id if the ontology has none."""
    wording = ontology.wording.get(name)
    if wording is None:
        return (name.replace("-", " ").replace("_", " "),)
    own = wording.names.get(language)
    return (*wording.keywords.get(language, ()), *((own,) if own else ()))


# Coverage
#
# An area is covered if the required number of its good passages are among the most relevant ones, and it has
# its share of the question's results (``facets.shares_of``). It is missing if there is no good passage, or,
# unless it is required, hardly any share. A part of the question is judged like the whole question: by its
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
# Further passages are listed behind the good ones if they are this relevant, as a share of the best, and
# belong to the area this much, as a share of the area that is strongest in them.
RELEVANT, LISTED = 0.5, 0.7
MOST_EVIDENCE = 50


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence for a facet: indexes in the pool, best first; how much it is, 0..1; whether a part was found
    at all; and how many passages are good evidence for an area."""

    indexes: NDArray[np.intp]
    score: float
    status: EvidenceStatus = EvidenceStatus.FOUND
    good: int = 0


class Coverage:
    """The state of each facet over the rounds, and which of its queries were sent."""

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
        # By facet: rounds in which a query was sent, number of its own queries sent, the last query.
        self._query_rounds: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._queries: dict[str, str] = {}
        self._closed: dict[str, int] = {}

    def update(self, rows: Rows, ids: Sequence[str], round_number: int) -> bool:
        """Check every facet against the pool and return whether a state changed.

        ``rows`` of the pool, shape (n,), and their ``ids``.
        """
        before = self.areas
        found = {**self._of_areas(rows), **self._of_parts(rows)}
        self.areas = tuple(self._state(facet, found[facet.id], ids, round_number) for facet in self._facets)
        return self.areas != before

    def _of_areas(self, rows: Rows) -> dict[str, Found]:
        """Find the evidence for each area."""
        facets = [facet for facet in self._facets if facet.area is not None]
        corpus = self._relevance.corpus
        ontology = corpus.ontology
        if not facets or ontology is None:
            return {}
        numbers = {area.id: number for number, area in enumerate(ontology.areas)}
        belongs = get_affinity(corpus, ontology.areas).of(corpus, rows, self._embedder)
        relevance = self._relevance.of(rows)
        shares, strongest = shares_of(belongs, relevance), belongs.max(axis=0, initial=0.0)
        return {
            facet.id: _evidence(
                belongs[numbers[facet.id]], strongest, relevance, facet, float(shares[numbers[facet.id]])
            )
            for facet in facets
        }

    def _of_parts(self, rows: Rows) -> dict[str, Found]:
        """Find the evidence for each part of the question."""
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
                comparable_text(passage, titles[number].title)
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
        nothing = found.status is EvidenceStatus.NONE or not len(found.indexes)
        if facet.area is None:
            enough = found.status is EvidenceStatus.FOUND and len(found.indexes) >= facet.minimum
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
            () if nothing else tuple(ids[index] for index in found.indexes.tolist()),
            facet.minimum,
            found.score if facet.area is not None or not nothing else 0.0,
            self._closed.get(facet.id),
            self._queries.get(facet.id),
        )

    def _least_share(self, facet: Facet) -> float:
        """Return the share of the question's evidence that the area has if it is covered."""
        chosen = self.transaction is not None and not self.transaction.proposed
        return REQUIRED if facet.required and chosen else COVERED

    @property
    def open_queries(self) -> int:
        """The number of areas that are not covered and have a query left to send."""
        return len(self.open_areas())

    def open_areas(self) -> tuple[AreaCoverage, ...]:
        """Return areas that are not covered and have a query left; one query of an area is sent a round."""
        return tuple(
            area
            for facet, area in zip(self._facets, self.areas, strict=True)
            if area.state is not AreaState.COVERED
            and self._query_rounds.get(facet.id, 0) < len(facet.queries)
        )

    def gap_queries(self, better: Mapping[str, Sequence[str]] = NOTHING) -> tuple[GapQuery, ...]:
        """Return the queries of a round and count them as sent.

        For each open area these are the ``better`` ones, by area id, or else its own next query.
        """
        queries: list[GapQuery] = []
        open_areas = {area.id for area in self.open_areas()}
        for facet in self._facets:
            if facet.id not in open_areas:
                continue
            self._query_rounds[facet.id] = self._query_rounds.get(facet.id, 0) + 1
            own = self._own.get(facet.id, 0)
            texts = tuple(better.get(facet.id, ()))
            if not texts:
                texts, self._own[facet.id] = facet.queries[own : own + 1], own + 1
            self._queries[facet.id] = "; ".join(texts)
            queries += [GapQuery(words, facet.id, facet.name) for words in texts]
        self.areas = tuple(replace(area, query=self._queries.get(area.id)) for area in self.areas)
        return tuple(queries)


def make_coverage(
    relevance: Relevance,
    first: Rows,
    setting: str | None,
    reading: Reading,
    embedder: Embedder | None,
) -> tuple[Coverage, tuple[str, ...]]:
    """Make the coverage of a question whose scan found the rows ``first``, and notes.

    If the embedder fails, areas are compared by words and a note reports it. ``setting``: the type of
    transaction, as the settings name it. Raises SettingsError for an unknown one.
    """
    check_transaction(relevance.corpus, setting)
    model = None if relevance.vectors is None else embedder
    try:
        return _make_coverage(relevance, first, setting, reading, model), ()
    except ModelError as error:
        note = f"coverage is measured by words: {error}"
        return _make_coverage(relevance, first, setting, reading, None), (note,)


def _make_coverage(
    relevance: Relevance, first: Rows, setting: str | None, reading: Reading, embedder: Embedder | None
) -> Coverage:
    transaction = detect_transaction(relevance, first, setting, embedder)
    facets = facets_for(relevance, first, None if transaction is None else transaction.id, embedder)
    return Coverage(relevance, facets, reading, embedder, transaction)


def _evidence(belongs: Scores, strongest: Scores, relevance: Scores, facet: Facet, share: float) -> Found:
    """Return the evidence for an area: its good passages, best first, then others that belong to it.

    ``belongs`` and ``strongest``: affinity to the area and to the area that is strongest in each passage, of
    shape (n,), as is ``relevance``; ``share`` is the area's share of all evidence.
    """
    own = (belongs >= OWN * strongest) & (belongs > 0)
    among_best = np.zeros(len(relevance), np.bool_)
    among_best[np.argsort(-relevance, kind="stable")[:BEST]] = True
    good = own & among_best & (belongs * relevance >= GOOD)
    count = int(good.sum())
    least = facet.similarity * float(belongs.max(initial=0.0))
    useful = own & (relevance >= RELEVANT * float(relevance.max(initial=0.0)))
    useful &= belongs >= np.maximum(least, LISTED * strongest)
    found = count and (facet.required or share >= WEAK)
    indexes = np.flatnonzero(good | useful) if found else np.zeros(0, np.intp)
    order = np.lexsort((indexes, -(belongs[indexes] * relevance[indexes] ** 2), ~good[indexes]))
    return Found(indexes[order][:MOST_EVIDENCE], share, good=count)
