"""Facets of a question (areas of the ontology, or its own parts) and the affinity of passages to areas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.ontology import WITHOUT_LANGUAGE
from engine.corpus.protocol import Area, Corpus, Ontology, Rows, Scores
from engine.errors import SettingsError
from engine.investigation.evidence import key_phrases, question_parts
from engine.language.analysis import analyzer
from engine.language.embedders import Embedder
from engine.model import NamedProvision, QueryPlan
from engine.retrieval.planning import SIDE
from engine.retrieval.relevance import Relevance
from engine.retrieval.retrievers.base import best_scores
from engine.settings import AUTO

# Affinity of a passage to an area of the ontology, independent of the question
#
# The mean of up to four measures, each a share of the best in the corpus: the lexical score of the passage
# for the area's name and keywords; that of the best passage of its section; that of its document, because a
# section or document on an area has passages that do not repeat its keywords; and with vectors the similarity
# of meaning, above that of an average passage. The words are those of the passage's language. If the area has
# none in it, only meaning counts, or without vectors the area's words in the ontology's first language.

# Passages sampled evenly from the corpus, for its documents and for the average passage.
SAMPLED = 20_000
AVERAGED = 1_000
# Minimum difference between the cosines of the mean and the best passage of an area.
LEAST_SPREAD = 1e-6

Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Words:
    """The areas as queries to passages of one language.

    ``texts`` of the areas; ``cross_lingual``, whether a text is in another language, shape (areas,); and the
    ``best`` BM25 score of each text, shape (areas, 1).
    """

    texts: tuple[str, ...]
    cross_lingual: NDArray[np.bool_]
    best: Table

    @classmethod
    def of(cls, corpus: Corpus, areas: Sequence[Area], language: str) -> Words:
        """Make the queries of areas in a language."""
        own = tuple(text_in(area, language) for area in areas)
        texts = tuple(text or text_in(area) for text, area in zip(own, areas, strict=True))
        best = best_scores(corpus.search_lexical(texts, language, 1))[:, None]
        return cls(texts, np.array([not text for text in own], np.bool_), best)


class Affinity:
    """Computes the affinity of passages to some areas.

    It has no reference to its corpus, so that it can be cached; call it with the corpus it was made from.
    """

    def __init__(self, corpus: Corpus, areas: Sequence[Area]) -> None:
        self.areas = tuple(areas)
        self._languages = [document.language for document in corpus.documents()]
        self._words = {
            language: Words.of(corpus, self.areas, language) for language in sorted(set(self._languages))
        }
        self._documents, self._sections = self._sampled(corpus)

    def of(self, corpus: Corpus, rows: Rows, embedder: Embedder | None = None) -> Table:
        """Return the affinity of rows to each area, shape (areas, n), 0..1; by words alone without embedder.

        Raises ModelError if the embedder fails.
        """
        if not len(rows):
            return np.zeros((len(self.areas), 0), np.float32)
        numbers = corpus.document_numbers(rows)
        words = self._of_words(corpus, rows, numbers)
        measures = [words, self._with_sections(corpus, rows, words), self._documents[:, numbers]]
        if embedder is not None:
            meaning = self._of_meaning(corpus, rows, embedder)
            cross_lingual = self._cross_lingual(numbers)
            measures = [np.where(cross_lingual, meaning, table) for table in measures] + [meaning]
        mean: Table = (np.stack(measures).mean(axis=0)).astype(np.float32)
        return mean

    def _of_words(self, corpus: Corpus, rows: Rows, numbers: NDArray[np.int32]) -> Table:
        table = np.zeros((len(self.areas), len(rows)), np.float32)
        languages = np.array([self._languages[number] for number in numbers.tolist()])
        for language, words in self._words.items():
            here = np.flatnonzero(languages == language)
            if len(here) and words.best.any():
                raw = corpus.score_lexical(words.texts, language, rows[here])
                table[:, here] = np.divide(raw, words.best, out=np.zeros_like(raw), where=words.best > 0)
        return table

    def _with_sections(self, corpus: Corpus, rows: Rows, words: Table) -> Table:
        """Return the highest share of each passage or another one of its section, shape (areas, n)."""
        found = words.copy()
        for index, section in enumerate(corpus.section_numbers(rows).tolist()):
            known = self._sections.get(section)
            if known is not None:
                found[:, index] = np.maximum(found[:, index], known)
        return found

    def _cross_lingual(self, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return where an area has no words in the language of a passage, shape (areas, n)."""
        columns = [self._words[self._languages[number]].cross_lingual for number in numbers.tolist()]
        return np.stack(columns, axis=1)

    def _of_meaning(self, corpus: Corpus, rows: Rows, embedder: Embedder) -> Table:
        vectors = _embedded(embedder, tuple(text_in(area) for area in self.areas))
        sample = corpus.vectors(_sample_rows(len(corpus), AVERAGED))
        sample, found = sample[sample.any(axis=1)], corpus.vectors(rows)
        if not len(sample) or found.shape[1] != vectors.shape[1]:
            return np.zeros((len(self.areas), len(rows)), np.float32)
        mean = (vectors @ sample.T).mean(axis=1, keepdims=True)
        best = best_scores(corpus.search_dense(vectors, 1, -1.0))[:, None]
        shares = np.clip((vectors @ found.T - mean) / np.maximum(best - mean, LEAST_SPREAD), 0.0, 1.0)
        return np.where(found.any(axis=1), shares, 0.0).astype(np.float32)

    def _sampled(self, corpus: Corpus) -> tuple[Table, dict[int, Table]]:
        """Measure documents and sections by a sample of the corpus.

        Documents: the mean share of their passages, relative to the highest mean, shape (areas, documents).
        Sections, by number: the highest share of a passage, shape (areas,).
        """
        rows = _sample_rows(len(corpus), SAMPLED)
        numbers = corpus.document_numbers(rows)
        shares = self._of_words(corpus, rows, numbers)
        size = len(self._languages)
        counts = np.maximum(np.bincount(numbers, minlength=size), 1)
        ones = np.ones(len(rows), np.float32)
        members = scipy.sparse.csr_array((ones, (numbers, np.arange(len(rows)))), shape=(size, len(rows)))
        means = (members @ shares.T).T / counts
        best = means.max(axis=1, keepdims=True, initial=0.0)
        documents: Table = np.divide(means, best, out=np.zeros_like(means), where=best > 0).astype(np.float32)
        return documents, _most_by_section(corpus.section_numbers(rows), shares)


_KNOWN: WeakKeyDictionary[Corpus, Affinity] = WeakKeyDictionary()


def get_affinity(corpus: Corpus, areas: Sequence[Area]) -> Affinity:
    """Return the affinity to these areas; made once for a corpus until its ontology changes."""
    known = _KNOWN.get(corpus)
    if known is None or known.areas != tuple(areas):
        known = _KNOWN[corpus] = Affinity(corpus, areas)
    return known


def text_in(area: Area, language: str | None = None) -> str:
    """Return the name and keywords of an area in a language; None for the ontology's first.

    Empty if the area has no keywords in the language.
    """
    if language is None:
        language = next(iter(area.keywords), next(iter(area.names), ""))
    name = area.names.get(language, "")
    words = area.keywords.get(language, area.keywords.get(WITHOUT_LANGUAGE, ()))
    if area.keywords and not words:
        return ""
    return f"{name}: {', '.join(words)}" if name and words else name or ", ".join(words)


def _most_by_section(sections: NDArray[np.int32], shares: Table) -> dict[int, Table]:
    """Return the highest share in each section, by the section's number; ``shares``: (areas, n)."""
    order = np.argsort(sections, kind="stable")
    order = order[sections[order] >= 0]
    if not len(order):
        return {}
    numbers, first = np.unique(sections[order], return_index=True)
    most = np.maximum.reduceat(shares[:, order], first, axis=1)
    return dict(zip(numbers.tolist(), most.T, strict=True))


def _sample_rows(passages: int, limit: int) -> Rows:
    """Sample up to ``limit`` rows evenly from a corpus."""
    return np.unique(np.linspace(0, max(passages - 1, 0), min(passages, limit)).astype(np.int32))


@lru_cache(maxsize=8)
def _embedded(embedder: Embedder, texts: tuple[str, ...]) -> Table:
    """Return vectors of the areas' texts, which are the same for every question."""
    return embedder.encode(texts, "query")


# Facets: areas of the corpus's ontology, or the parts of the question itself

# Candidates of the scan whose shared entities extend queries.
FIRST_CANDIDATES = 10
MOST_TERMS = 3
MOST_AREAS = 24
PART_MINIMUM = 2
# The ids of phrases start with this.
PHRASE = "part-words-"
# Minimum similarity of a part's evidence, as a share of the best passage's.
PART_SHARE = 0.5
MOST_QUERIES = 2
KEYWORDS_IN_QUERY = 5
# A question touches an area from this share of its evidence on, or by a keyword of it.
TOUCHED = 0.12
# How steeply the weight of a passage falls with its relevance.
STEEP = 12.0
# The setting for no transaction type.
NONE = "none"


@dataclass(frozen=True, slots=True)
class Facet:
    """An ``area`` or a part of the question that needs evidence.

    A part is a sub-question, with the number of its ``view``, a provision that the question ``named``, or a
    phrase.

    ``queries`` are sent while it is open, one a round. It needs ``minimum`` passages, each with at least
    ``similarity``, a share of the best passage's, 0..1. ``required``: the transaction type or the ontology
    requires it, whatever the question touches.
    """

    id: str
    name: str
    queries: tuple[str, ...]
    required: bool
    minimum: int
    similarity: float
    area: Area | None = None
    view: int | None = None
    named: NamedProvision | None = None


def facets_for(
    relevance: Relevance, first: Rows, transaction: str | None, embedder: Embedder | None = None
) -> tuple[Facet, ...]:
    """Make the facets of a question. ``first`` are the scan's best rows, best first.

    With an ontology these are its areas, first those that the transaction type or the ontology requires; an
    area that is neither required nor touched has no queries. Without one, or if no area is touched, they are
    the question's parts. Raises SettingsError for an unknown transaction type.
    """
    corpus = relevance.corpus
    check_transaction(corpus, transaction)
    if corpus.ontology is not None:
        areas = _areas(corpus.ontology, relevance, first, transaction, embedder)
        if areas:
            return areas
    return _parts(corpus, relevance.plan, first)


def check_transaction(corpus: Corpus, transaction: str | None) -> None:
    """Raise SettingsError for a transaction type that the corpus's ontology does not have."""
    types = corpus.ontology.transactions if corpus.ontology is not None else {}
    if transaction is None or transaction in (AUTO, NONE, *types):
        return
    known = ", ".join(corpus.ontology.transactions) if corpus.ontology else "none: the corpus has no ontology"
    raise SettingsError(f"unknown transaction type {transaction!r}; known types: {known}")


def shares_of(affinities: NDArray[np.float32], relevance: Scores) -> NDArray[np.float32]:
    """Return the share of what the question finds that belongs to each area, shape (areas,), 0..1.

    This is the mean affinity of the passages, with weights that fall steeply with relevance, so that the best
    passages count most (measured: "Coverage" in benchmarks/RESULTS.md).
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
    """Make facets of the areas: those of the transaction type, then required, then most touched ones."""
    demanded = set(ontology.transactions.get(transaction, ())) if transaction else set()
    table = get_affinity(relevance.corpus, ontology.areas).of(relevance.corpus, first, embedder)
    shares = shares_of(table, relevance.of(first))
    asked = _count_keywords(ontology, relevance.plan)
    touch = {
        area.id: float(share) + TOUCHED * asked[area.id]
        for area, share in zip(ontology.areas, shares, strict=True)
    }
    required = {area.id for area in ontology.areas if area.required and transaction is None} | demanded
    if not required and max(touch.values(), default=0.0) < TOUCHED:
        return ()
    # The sort is stable: the order of the ontology decides between equal areas.
    ordered = sorted(
        ontology.areas, key=lambda area: (area.id not in demanded, area.id not in required, -touch[area.id])
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


def _count_keywords(ontology: Ontology, plan: QueryPlan) -> Counter[str]:
    """Count the keywords of each area in the question."""
    text, language = plan.views[0].text, plan.language
    return Counter(
        {area.id: keywords_in(text, keywords_of(area, language), language) for area in ontology.areas}
    )


def keywords_in(text: str, keywords: Iterable[str], language: str) -> int:
    """Count the keywords whose terms are all in a text."""
    analysis = analyzer(language)
    text_terms = set(analysis.terms(text))
    keyword_terms = [set(analysis.terms(keyword)) for keyword in keywords]
    return sum(bool(terms) and terms <= text_terms for terms in keyword_terms)


def keywords_of(area: Area, language: str) -> tuple[str, ...]:
    """Return the area's keywords in a language, or in the ontology's first language if it has none."""
    if language in area.keywords:
        return area.keywords[language]
    return next(iter(area.keywords.values()), ())


def _area_facet(area: Area, plan: QueryPlan, required: bool, touched: bool, minimum: int) -> Facet:
    name = area.names.get(plan.language) or next(iter(area.names.values()), area.id)
    words = " ".join(keywords_of(area, plan.language)[:KEYWORDS_IN_QUERY])
    queries = (f"{plan.views[0].text} {name}", f"{name} {words}") if required or touched else ()
    return Facet(area.id, name, queries, required, minimum, area.minimum_similarity, area)


def _parts(corpus: Corpus, plan: QueryPlan, first: Rows) -> tuple[Facet, ...]:
    """Make facets of the question's parts, all required.

    These are its sub-questions, or if it asks one thing, the provisions that it names and its phrases.
    """
    terms = shared_terms(corpus, first)
    facets = []
    sides = [(number, view.text) for number, view in enumerate(plan.views) if view.name == SIDE]
    for count, (number, name) in enumerate(question_parts(plan) or sides, 1):
        text = plan.views[number].text
        # The part alone was already a view of the scan; a term of the first candidates adds something new.
        queries = tuple(f"{text} {term}" for term in terms[:MOST_QUERIES]) or (text,)
        facets.append(Facet(f"part-{count}", name, queries, True, PART_MINIMUM, PART_SHARE, view=number))
    if facets:
        return tuple(facets)
    text = plan.views[0].text
    for named in plan.named:
        facets.append(Facet(f"part-named-{len(facets) + 1}", named.words, (), True, 1, 0.0, named=named))
        text = text.replace(named.words, " , ")
    for phrase in key_phrases(text, plan.language, corpus):
        # A query for a phrase brings nothing that the scan did not find: its words are in the question.
        facets.append(Facet(f"{PHRASE}{len(facets) + 1}", phrase, (), True, 1, 0.0))
    return tuple(facets) or (Facet("part-1", text, (), True, PART_MINIMUM, PART_SHARE, view=0),)


def shared_terms(corpus: Corpus, first: Rows) -> Sequence[str]:
    """Return the names of entities that at least two of the first candidates mention, most frequent first."""
    mentioned = corpus.entities_of(first[:FIRST_CANDIDATES])
    counts = Counter(number for numbers in mentioned for number in set(numbers))
    frequent = sorted((number for number in counts if counts[number] >= 2), key=lambda n: (-counts[n], n))
    return [entity.name for entity in corpus.entities(frequent[:MOST_TERMS])]
