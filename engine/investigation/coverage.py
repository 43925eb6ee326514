"""Coverage of a question's facets by the pool, and the type of transaction that the question is about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Ontology, Rows, Scores
from engine.errors import ModelError
from engine.investigation.evidence import (
    LOOKED_AT,
    ComparableText,
    Part,
    QuestionWords,
    comparable_text,
    get_terms,
    weigh_words,
)
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
from engine.model import (
    NOTHING,
    AreaCoverage,
    AreaState,
    Evidence,
    EvidenceStatus,
    GapQuery,
    Hop,
    NamedProvision,
    Transaction,
)
from engine.retrieval.relevance import Relevance, has_language
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
# An area is covered if it has its minimum of good passages, weak if it has that many that may be evidence,
# and missing otherwise. Passages count if they are shown, or in a round if they are among the most relevant
# of the pool. A passage is good if its affinity times its relevance reaches a bar. The bar falls with the
# area's share of the question's results (``facets.shares_of``), and for an area that a type of transaction
# requires.
# A part of the question is judged by its words and their nearness (``evidence``).

# Chosen on every second question of the sample; measured on the others and on ADGM, see "Coverage" in
# benchmarks/RESULTS.md. The bars of good passages and of those that may be evidence.
GOOD, POSSIBLE = 0.64, 0.27
# The bar of a passage that a gap query may bring (measured: "Coverage" in benchmarks/RESULTS.md).
RAISING = 0.4
# The bars fall by OF_SHARE times the area's share, and by REQUIRED if the area is required, never below LEAST
# for a good passage.
OF_SHARE, REQUIRED, LEAST = 0.75, 0.35, 0.15
# Passages of the pool that count before any are shown.
BEST = 20
# Further passages are listed behind the good ones if they are this relevant, as a share of the best, and
# belong to the area this much, as a share of the area that is strongest in them.
RELEVANT, LISTED = 0.5, 0.7
MOST_EVIDENCE = 50
# Passages listed for a phrase. A passage serves the question if it has this share of the words that the best
# one has.
MOST_OF_PHRASE, SERVES = 5, 0.5
_STATES = {
    EvidenceStatus.FOUND: AreaState.COVERED,
    EvidenceStatus.PARTIAL: AreaState.WEAK,
    EvidenceStatus.NONE: AreaState.MISSING,
}


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence for a facet: indexes in the pool, best first; how much it is, 0..1; its state; and the number
    of good passages."""

    indexes: NDArray[np.intp]
    score: float
    state: AreaState
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
        self._parts = {facet.id: self._make_part(facet) for facet in facets if facet.area is None}
        ontology = relevance.corpus.ontology
        self._areas = () if ontology is None else ontology.areas
        self._numbers = {area.id: number for number, area in enumerate(self._areas)}
        # By facet: rounds in which a query was sent, number of its own queries sent, the last query, and how
        # many passages that count the queries brought.
        self._query_rounds: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._queries: dict[str, str] = {}
        self._gained: dict[str, int] = {}
        self._closed: dict[str, int] = {}
        # By area: the bar of a passage that could raise its state.
        self._raising: dict[str, float] = {}

    def _make_part(self, facet: Facet) -> Part:
        relevance = self._relevance
        if facet.view is not None:
            return Part.of(relevance, facet.view)
        corpus, language = relevance.corpus, relevance.plan.language
        vectors = None
        if self._embedder is not None and not has_language(corpus, language):
            vectors = self._embedder.encode([facet.name], "query")
        return Part(facet.name, 0, weigh_words(facet.name, language, corpus), vectors)

    def update(self, rows: Rows, ids: Sequence[str], round_number: int, shown: Rows | None = None) -> bool:
        """Check every facet against the pool and return whether a state changed.

        ``rows`` of the pool, shape (n,), and their ``ids``. ``shown``: the rows that count, best first, once
        there is a ranking; before, the most relevant of the pool count.
        """
        before = self.areas
        if shown is None:
            shown = rows[np.argsort(-self._relevance.of(rows), kind="stable")[:BEST]]
        found = {**self._of_areas(rows, shown), **self._of_parts(rows, shown)}
        self.areas = tuple(self._state(facet, found[facet.id], ids, round_number) for facet in self._facets)
        return self.areas != before

    def _of_areas(self, rows: Rows, shown: Rows) -> dict[str, Found]:
        """Find the evidence for each area."""
        facets = [facet for facet in self._facets if facet.area is not None]
        if not facets:
            return {}
        belongs, relevance = self._affinity(rows), self._relevance.of(rows)
        shares, strongest = shares_of(belongs, relevance), belongs.max(axis=0, initial=0.0)
        counts, found = np.isin(rows, shown), {}
        for facet in facets:
            number = self._numbers[facet.id]
            share = float(shares[number])
            lowered = OF_SHARE * share + (REQUIRED if facet.required else 0.0)
            one = _evidence(belongs[number], strongest, relevance, facet, share, counts, lowered)
            self._raising[facet.id] = RAISING - lowered
            found[facet.id] = one
        return found

    def _affinity(self, rows: Rows) -> NDArray[np.float32]:
        corpus = self._relevance.corpus
        return get_affinity(corpus, self._areas).of(corpus, rows, self._embedder)

    def _of_parts(self, rows: Rows, shown: Rows) -> dict[str, Found]:
        """Find the evidence for each part of the question."""
        facets = [facet for facet in self._facets if facet.area is None]
        if not facets:
            return {}
        read = Shown.of(self._relevance, shown[:LOOKED_AT], self._reading)
        positions = {row: index for index, row in enumerate(rows.tolist())}
        table = self._relevance.similarities(rows)
        found = {}
        for facet in facets:
            part = self._parts[facet.id]
            if facet.view is not None:
                found[facet.id] = self._of_view(facet, facet.view, rows, table[facet.view])
                continue
            state, own, score = (
                _of_provision(facet.named, rows, self._relevance.corpus)
                if facet.named is not None
                else _of_phrase(part, read, self._relevance)
            )
            indexes = [positions[row] for row in own.tolist() if row in positions]
            found[facet.id] = Found(np.array(indexes, np.intp), score, state, len(indexes))
        return found

    def _of_view(self, facet: Facet, view: int, rows: Rows, shares: Scores) -> Found:
        """Judge a sub-question by the passages that are nearest to it."""
        relevance, part = self._relevance, self._parts[facet.id]
        best = np.lexsort((rows, -shares))
        read = Shown.of(relevance, rows[best[:LOOKED_AT]], self._reading)
        judged = part.judged(relevance, read.texts)
        chosen = best[shares[best] >= facet.similarity][:MOST_EVIDENCE]
        score = part.score(judged, relevance.corpus)
        state = AreaState.WEAK
        if judged.status is EvidenceStatus.NONE or not len(chosen):
            state = AreaState.MISSING
        elif judged.status is EvidenceStatus.FOUND and len(chosen) >= facet.minimum:
            state = AreaState.COVERED
        return Found(chosen, score, state, len(chosen))

    def _state(self, facet: Facet, found: Found, ids: Sequence[str], round_number: int) -> AreaCoverage:
        missing = found.state is AreaState.MISSING
        if found.state is AreaState.COVERED:
            self._closed.setdefault(facet.id, round_number)
        return AreaCoverage(
            facet.id,
            facet.name,
            found.state,
            facet.required,
            () if missing else tuple(ids[index] for index in found.indexes.tolist()),
            facet.minimum,
            found.score if facet.area is not None or not missing else 0.0,
            self._closed.get(facet.id) if found.state is AreaState.COVERED else None,
            self._queries.get(facet.id),
            0 if missing else found.good,
            self._gained.get(facet.id),
        )

    def raises(self, facet_id: str, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows could raise the state of an area or a part, shape (n,)."""
        facet = next((one for one in self._facets if one.id == facet_id), None)
        if facet is None or not len(rows):
            return np.ones(len(rows), np.bool_)
        if facet.area is not None:
            value = self._affinity(rows)[self._numbers[facet_id]] * self._relevance.of(rows)
            return np.asarray(value >= self._raising.get(facet_id, 0.0), np.bool_)
        if facet.view is not None:
            shares: Scores = self._relevance.similarities(rows)[facet.view]
            return np.asarray(shares >= facet.similarity, np.bool_)
        held = Shown.of(self._relevance, rows, self._reading).held(self._parts[facet_id].asked)
        return np.asarray(held.all(axis=1), np.bool_)

    def count_gained(self, queries: Sequence[GapQuery], hops: Iterable[Hop]) -> None:
        """Count the passages that the queries of a round brought, by area; the gate admitted all of them."""
        brought = Counter(hop.query.area for hop in hops if hop.query is not None)
        for area in {query.area for query in queries}:
            self._gained[area] = self._gained.get(area, 0) + brought[area]

    def agree(self, evidence: Evidence) -> None:
        """Make the states agree with the evidence status of the shown passages.

        If the corpus has nothing but passages that resemble the question, all are missing; areas that the
        chosen type of transaction requires are only one state lower, because their passages do not depend on
        the question. A sub-question has the state of its evidence. If the question was found in part only,
        though each phrase was found, the phrases are weak.
        """
        if evidence.status is EvidenceStatus.NONE:
            self.areas = tuple(self._without_answer(area) for area in self.areas)
            return
        states = {}
        subs = [facet for facet in self._facets if facet.area is None and facet.view is not None]
        if len(subs) == len(evidence.parts):
            pairs = zip(subs, evidence.parts, strict=True)
            states = {facet.id: _STATES[part.status] for facet, part in pairs}
        own = [area for area in self.areas if area.id in self._parts and area.id not in states]
        if evidence.status is EvidenceStatus.PARTIAL and all(area.state is AreaState.COVERED for area in own):
            states |= {area.id: AreaState.WEAK for area in own}
        self.areas = tuple(
            area if (state := states.get(area.id, area.state)) is area.state else with_state(area, state)
            for area in self.areas
        )

    def _without_answer(self, area: AreaCoverage) -> AreaCoverage:
        """Return an area of a question that the corpus does not answer."""
        chosen = self.transaction is not None and not self.transaction.proposed
        if area.required and chosen and area.state is AreaState.COVERED:
            return with_state(area, AreaState.WEAK)
        return with_state(area, AreaState.MISSING)

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


def with_state(area: AreaCoverage, state: AreaState) -> AreaCoverage:
    """Return an area with another state; a missing one has no evidence."""
    if state is AreaState.MISSING:
        return replace(area, state=state, evidence=(), score=0.0, closed_in=None, good=0)
    return replace(area, state=state, closed_in=area.closed_in if state is AreaState.COVERED else None)


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


def _evidence(
    belongs: Scores,
    strongest: Scores,
    relevance: Scores,
    facet: Facet,
    share: float,
    counts: NDArray[np.bool_],
    lowered: float,
) -> Found:
    """Return the evidence for an area: its good passages, best first, then others that belong to it.

    ``belongs`` and ``strongest``: affinity to the area and to the area that is strongest in each passage, of
    shape (n,), as are ``relevance`` and ``counts``, which passages count. ``share`` is the area's share of
    all evidence; the bars are ``lowered`` by this.
    """
    value = belongs * relevance
    counted = counts & (belongs > 0)
    good, possible = counted & (value >= max(GOOD - lowered, LEAST)), counted & (value >= POSSIBLE - lowered)
    least = facet.similarity * float(belongs.max(initial=0.0))
    useful = (belongs > 0) & (relevance >= RELEVANT * float(relevance.max(initial=0.0)))
    useful &= belongs >= np.maximum(least, LISTED * strongest)
    state = AreaState.COVERED if good.sum() >= max(facet.minimum, 1) else AreaState.WEAK
    if possible.sum() < max(facet.minimum, 1):
        state = AreaState.MISSING
    found = good | useful
    if state is AreaState.WEAK and not found.any():
        found = possible
    listed = np.flatnonzero(found if state is not AreaState.MISSING else good)
    order = np.lexsort((listed, -(value[listed] * relevance[listed]), ~good[listed]))
    return Found(listed[order][:MOST_EVIDENCE], share, state, int(good.sum()))


# A part of a question without a query of its own: a provision that it names, or a phrase.


@dataclass(frozen=True, slots=True)
class Shown:
    """The passages that count, best first: their ``rows``, shape (n,), and their texts."""

    rows: Rows
    texts: list[ComparableText]

    @classmethod
    def of(cls, relevance: Relevance, rows: Rows, reading: Reading) -> Shown:
        """Read some rows."""
        titles, numbers = relevance.corpus.documents(), relevance.corpus.document_numbers(rows).tolist()
        passages = zip(reading.passages(rows), numbers, strict=True)
        return cls(rows, [comparable_text(passage, titles[number].title) for passage, number in passages])

    def held(self, asked: QuestionWords) -> NDArray[np.bool_]:
        """Return which words each passage has, shape (n, words)."""
        held = [asked.held(get_terms(asked.language, text.text)) for text in self.texts]
        return np.array(held, np.bool_).reshape(len(self.texts), len(asked.words))


def _of_provision(named: NamedProvision, pool: Rows, corpus: Corpus) -> tuple[AreaState, Rows, float]:
    """Judge a named provision: covered if the pool has it, weak if only the corpus has it."""
    rows = corpus.rows(list(named.passage_ids))
    own = rows[np.isin(rows, pool)]
    state = AreaState.COVERED if len(own) else AreaState.WEAK if (rows >= 0).any() else AreaState.MISSING
    return state, own, float(len(own) > 0)


def _of_phrase(part: Part, read: Shown, relevance: Relevance) -> tuple[AreaState, Rows, float]:
    """Judge a phrase: covered if a passage that serves the question has all of its words, weak if others have
    some. If the corpus does not have the question's language, meaning decides.
    """
    plan, corpus = relevance.plan, relevance.corpus
    if not has_language(corpus, plan.language):
        if not len(read.rows):
            return AreaState.MISSING, read.rows, 0.0
        order = np.argsort(-_similarity(part, corpus, read.rows), kind="stable")[:MOST_OF_PHRASE]
        if part.vectors is None:
            return AreaState.WEAK, read.rows[order], 0.0
        judged = part.judged(relevance, read.texts)
        return _STATES[judged.status], read.rows[order], part.score(judged, corpus)
    question = weigh_words(plan.views[0].text, plan.language, corpus)
    serves = read.held(question) @ question.weights
    served = serves >= SERVES * float(serves.max(initial=0.0))
    weights = part.asked.weights
    score = read.held(part.asked) @ weights
    best = float(score.max(initial=0.0))
    # The sort is stable: the first in the ranking decides between equal passages.
    order = np.lexsort((~served, -score))[: int((score > 0).sum())]
    whole = (score >= 1.0 - 1e-6) & served
    state = AreaState.COVERED if whole.any() else AreaState.WEAK if best > 0 else AreaState.MISSING
    return state, read.rows[order][:MOST_OF_PHRASE], best


def _similarity(part: Part, corpus: Corpus, rows: Rows) -> Scores:
    """Return the cosine of a phrase to each row; zeros without a vector."""
    if part.vectors is None or not len(rows):
        return np.zeros(len(rows), np.float32)
    found: Scores = corpus.vectors(rows) @ part.vectors[0]
    return found
