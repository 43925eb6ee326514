"""What a question must be covered by: areas of the corpus's ontology, or facets of the question itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from engine.corpus.protocol import Area, Corpus, Ontology, Rows
from engine.errors import SettingsError
from engine.language.analyzer import analyzer
from engine.model import QueryPlan
from engine.retrieval.planning import PART, SIDE

FIRST_CANDIDATES = 10
MOST_TERMS = 3
MOST_AREAS = 6
FACET_MINIMUM = 2
# A facet of the question is evidenced from halfway between unrelated and equal: for vectors above the
# model's own zero, for words as a share of the best BM25 score.
FACET_SHARE = 0.5
MOST_QUERIES = 2
KEYWORDS_IN_QUERY = 5


class Compared(Enum):
    """What a facet's vector is made from: its text, a view of the question, or none."""

    AREA = "area"
    VIEW = "view"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Facet:
    """Something that needs evidence. ``text`` is what passages are compared with; ``queries`` are
    what is sent for it while it is open, one a round; ``view`` is the number of its view, if it is
    a part of the question; ``demanded`` says that it needs evidence whatever the question asks."""

    id: str
    name: str
    text: str
    queries: tuple[str, ...]
    required: bool
    minimum: int
    similarity: float
    compared: Compared = Compared.AREA
    view: int | None = None
    demanded: bool = False


def facets_for(corpus: Corpus, plan: QueryPlan, first: Rows, transaction: str | None) -> tuple[Facet, ...]:
    """The facets of a question. ``first`` are the scan's best rows.

    With an ontology: the areas that the transaction type requires, those that are always required,
    and those that the question or the first candidates touch. Without one, or where none is
    touched: the question's parts, and the terms that the first candidates share. Raises
    SettingsError for an unknown transaction type.
    """
    check_transaction(corpus, transaction)
    if corpus.ontology is not None:
        areas = _areas(corpus, corpus.ontology, plan, first, transaction)
        if areas:
            return areas
    return _derived(corpus, plan, first)


def check_transaction(corpus: Corpus, transaction: str | None) -> None:
    """Raises SettingsError for a transaction type that the corpus's ontology does not know."""
    if transaction is None or (corpus.ontology is not None and transaction in corpus.ontology.transactions):
        return
    known = ", ".join(corpus.ontology.transactions) if corpus.ontology else "none: the corpus has no ontology"
    raise SettingsError(f"unknown transaction type {transaction!r}; known types: {known}")


def _areas(
    corpus: Corpus, ontology: Ontology, plan: QueryPlan, first: Rows, transaction: str | None
) -> tuple[Facet, ...]:
    demanded = set(ontology.transactions.get(transaction, ())) if transaction else set()
    touch = _touched(corpus, ontology, plan, first)
    chosen = [
        area
        for area in ontology.areas
        if area.id in demanded or (area.required and transaction is None) or touch[area.id] > 0
    ]
    # The most touched first; the order of the ontology decides between equals.
    kept = sorted(chosen, key=lambda area: (area.id not in demanded, not area.required, -touch[area.id]))
    kept = kept[: max(MOST_AREAS, len(demanded))]
    return tuple(
        _area_facet(area, plan, area.id in demanded or (area.required and transaction is None))
        for area in kept
    )


def _touched(corpus: Corpus, ontology: Ontology, plan: QueryPlan, first: Rows) -> Counter[str]:
    """How often each area's keywords stand in the question (counted double) and in the first candidates."""
    terms_of = analyzer(plan.language)
    question = set(terms_of.terms(plan.views[0].text))
    passages = [set(terms_of.terms(p.text)) for p in corpus.passages(first[:FIRST_CANDIDATES])]
    touch: Counter[str] = Counter()
    for area in ontology.areas:
        keywords = [set(terms_of.terms(keyword)) for keyword in keywords_of(area, plan.language)]
        keywords = [keyword for keyword in keywords if keyword]
        asked = sum(keyword <= question for keyword in keywords)
        found = sum(any(keyword <= passage for keyword in keywords) for passage in passages)
        touch[area.id] = 2 * asked + (
            found if found >= FACET_MINIMUM and (asked or found > len(passages) / 2) else 0
        )
    return touch


def keywords_of(area: Area, language: str) -> tuple[str, ...]:
    """The area's keywords in a language, those of the ontology's first language where it has none."""
    if language in area.keywords:
        return area.keywords[language]
    return next(iter(area.keywords.values()), ())


def _area_facet(area: Area, plan: QueryPlan, required: bool) -> Facet:
    name = area.names.get(plan.language) or next(iter(area.names.values()), area.id)
    keywords = keywords_of(area, plan.language)
    words = " ".join(keywords[:KEYWORDS_IN_QUERY])
    return Facet(
        area.id,
        name,
        f"{name}: {', '.join(keywords)}",
        (f"{plan.views[0].text} {name}", f"{name} {words}"),
        required,
        area.minimum_passages,
        area.minimum_similarity,
        demanded=required,
    )


def _derived(corpus: Corpus, plan: QueryPlan, first: Rows) -> tuple[Facet, ...]:
    """The question's parts (all required), and the terms that several of the first candidates share."""
    terms = shared_terms(corpus, first)
    floor = corpus.similarity_floor
    parts = [number for number, view in enumerate(plan.views) if view.name in (PART, SIDE)] or [0]
    facets = []
    for count, number in enumerate(parts, 1):
        text = plan.views[number].text
        # The part alone was a view of the scan already: a term of the first candidates leads elsewhere.
        queries = tuple(f"{text} {term}" for term in terms[:MOST_QUERIES]) or (text,)
        facets.append(
            Facet(
                f"part-{count}",
                text,
                text,
                queries,
                True,
                FACET_MINIMUM,
                floor + FACET_SHARE * (1.0 - floor),
                Compared.VIEW,
                number,
            )
        )
    for count, term in enumerate(terms, 1):
        query = f"{plan.views[0].text} {term}"
        facets.append(
            Facet(f"term-{count}", term, term, (query,), False, FACET_MINIMUM, FACET_SHARE, Compared.WORDS)
        )
    return tuple(facets)


def shared_terms(corpus: Corpus, first: Rows) -> Sequence[str]:
    """Names of the entities that most of the first candidates share, at least two of them each."""
    mentioned = corpus.entities_of(first[:FIRST_CANDIDATES])
    counts = Counter(number for numbers in mentioned for number in set(numbers))
    often = sorted((number for number in counts if counts[number] >= 2), key=lambda n: (-counts[n], n))
    return [entity.name for entity in corpus.entities(often[:MOST_TERMS])]
