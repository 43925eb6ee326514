"""What a question must be covered by: areas of the corpus's ontology, or the parts of the question itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Area, Corpus, Ontology, Rows, Scores
from engine.errors import SettingsError
from engine.investigation.affinity import affinity
from engine.language.analysis import analyzer
from engine.language.embedders import Embedder
from engine.model import QueryPlan
from engine.retrieval.planning import PART, SIDE
from engine.retrieval.relevance import Relevance
from engine.settings import AUTO

# Candidates of the scan whose entities make queries.
FIRST_CANDIDATES = 10
MOST_TERMS = 3
MOST_AREAS = 24
PART_MINIMUM = 2
# A part is evidenced by passages with this share of what its best one has.
PART_SHARE = 0.5
MOST_QUERIES = 2
KEYWORDS_IN_QUERY = 5
# A question touches an area with this share of its evidence, or a keyword of it.
TOUCHED = 0.12
# How much faster than its relevance a passage's say falls.
STEEP = 12.0
# What stands for no transaction where a type may be named.
NONE = "none"


@dataclass(frozen=True, slots=True)
class Facet:
    """Something that needs evidence: an ``area``, or a part of the question, by the number of its ``view``.

    ``queries`` are what is sent for it while it is open, one a round; ``minimum`` passages are needed, each
    with ``similarity``, as a share of what the best one has, 0..1; ``required`` says that the transaction
    type or the ontology demands it, whatever the question touches.
    """

    id: str
    name: str
    queries: tuple[str, ...]
    required: bool
    minimum: int
    similarity: float
    area: Area | None = None
    view: int = 0


def facets_for(
    relevance: Relevance, first: Rows, transaction: str | None, embedder: Embedder | None = None
) -> tuple[Facet, ...]:
    """The facets of a question. ``first`` are the scan's best rows, best first.

    With an ontology: its areas, first those that the transaction type or the ontology itself requires; one
    that is neither required nor touched has no queries. Without one, or where none is touched: the
    question's parts. Raises SettingsError for an unknown transaction type.
    """
    corpus = relevance.corpus
    check_transaction(corpus, transaction)
    if corpus.ontology is not None:
        areas = _areas(corpus.ontology, relevance, first, transaction, embedder)
        if areas:
            return areas
    return _parts(corpus, relevance.plan, first)


def check_transaction(corpus: Corpus, transaction: str | None) -> None:
    """Raises SettingsError for a transaction type that the corpus's ontology does not know."""
    types = corpus.ontology.transactions if corpus.ontology is not None else {}
    if transaction is None or transaction in (AUTO, NONE, *types):
        return
    known = ", ".join(corpus.ontology.transactions) if corpus.ontology else "none: the corpus has no ontology"
    raise SettingsError(f"unknown transaction type {transaction!r}; known types: {known}")


def shares_of(affinities: NDArray[np.float32], relevance: Scores) -> NDArray[np.float32]:
    """How much of what the question finds belongs to each area, shape (areas,), 0..1.

    The mean affinity of the passages, each weighed by its relevance, steeply, so that the best say most. A
    share is of the question's own evidence and not of its best hit; what is far from the question says
    nothing of any area (measured: "Coverage" in benchmarks/RESULTS.md).
    """
    if not len(relevance):
        return np.zeros(len(affinities), np.float32)
    weights = np.exp(STEEP * (relevance - relevance.max()))
    found: NDArray[np.float32] = ((affinities @ weights) / weights.sum()).astype(np.float32)
    return found


def _areas(
    ontology: Ontology,
    relevance: Relevance,
    first: Rows,
    transaction: str | None,
    embedder: Embedder | None,
) -> tuple[Facet, ...]:
    """All areas of the ontology, those that are needed first, then those that the question touches most."""
    demanded = set(ontology.transactions.get(transaction, ())) if transaction else set()
    table = affinity(relevance.corpus, ontology.areas).of(relevance.corpus, first, embedder)
    shares = shares_of(table, relevance.of(first))
    asked = _asked(ontology, relevance.plan)
    touch = {
        area.id: float(share) + TOUCHED * asked[area.id]
        for area, share in zip(ontology.areas, shares, strict=True)
    }
    required = {area.id for area in ontology.areas if area.required and transaction is None} | demanded
    if not required and max(touch.values(), default=0.0) < TOUCHED:
        return ()
    # The most touched first; the order of the ontology decides between equals.
    ordered = sorted(
        ontology.areas, key=lambda one: (one.id not in demanded, one.id not in required, -touch[one.id])
    )
    return tuple(
        _area_facet(
            area,
            relevance.plan,
            area.id in required,
            touch[area.id] >= TOUCHED,
            ontology.needed(area, transaction),
        )
        for area in ordered[: max(MOST_AREAS, len(required))]
    )


def _asked(ontology: Ontology, plan: QueryPlan) -> Counter[str]:
    """How many of each area's keywords stand in the question."""
    text, language = plan.views[0].text, plan.language
    return Counter(
        {area.id: keywords_in(text, keywords_of(area, language), language) for area in ontology.areas}
    )


def keywords_in(text: str, keywords: Iterable[str], language: str) -> int:
    """How many keywords stand in a text, by their terms."""
    terms_of = analyzer(language)
    here = set(terms_of.terms(text))
    listed = [set(terms_of.terms(keyword)) for keyword in keywords]
    return sum(bool(keyword) and keyword <= here for keyword in listed)


def keywords_of(area: Area, language: str) -> tuple[str, ...]:
    """The area's keywords in a language, those of the ontology's first language where it has none."""
    if language in area.keywords:
        return area.keywords[language]
    return next(iter(area.keywords.values()), ())


def _area_facet(area: Area, plan: QueryPlan, required: bool, touched: bool, minimum: int) -> Facet:
    name = area.names.get(plan.language) or next(iter(area.names.values()), area.id)
    words = " ".join(keywords_of(area, plan.language)[:KEYWORDS_IN_QUERY])
    queries = (f"{plan.views[0].text} {name}", f"{name} {words}") if required or touched else ()
    return Facet(area.id, name, queries, required, minimum, area.minimum_similarity, area)


def _parts(corpus: Corpus, plan: QueryPlan, first: Rows) -> tuple[Facet, ...]:
    """The question's parts, all required: its own words where it has but one."""
    terms = shared_terms(corpus, first)
    parts = [number for number, view in enumerate(plan.views) if view.name in (PART, SIDE)] or [0]
    facets = []
    for count, number in enumerate(parts, 1):
        text = plan.views[number].text
        # The part alone was a view of the scan already: a term of the first candidates leads elsewhere.
        queries = tuple(f"{text} {term}" for term in terms[:MOST_QUERIES]) or (text,)
        facets.append(Facet(f"part-{count}", text, queries, True, PART_MINIMUM, PART_SHARE, view=number))
    return tuple(facets)


def shared_terms(corpus: Corpus, first: Rows) -> Sequence[str]:
    """Names of the entities that most of the first candidates share, at least two of them each."""
    mentioned = corpus.entities_of(first[:FIRST_CANDIDATES])
    counts = Counter(number for numbers in mentioned for number in set(numbers))
    often = sorted((number for number in counts if counts[number] >= 2), key=lambda n: (-counts[n], n))
    return [entity.name for entity in corpus.entities(often[:MOST_TERMS])]
