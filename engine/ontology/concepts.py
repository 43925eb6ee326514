"""The concepts of an ontology in texts, and where in a corpus the provisions are that they name."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.ontology import WITHOUT_LANGUAGE
from engine.corpus.protocol import Concept, Corpus, Ontology, Rows
from engine.language.analysis import analyzer
from engine.ontology.citing import Provision, provision

# The concepts of a text that are followed, the most important first, and passages of each of an article.
MOST_FOLLOWED, PER_ARTICLE = 6, 6
MOST_IMPORTANT = 5

Phrase = tuple[tuple[str, ...], int, str]


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """A concept that a text names, and by which of its names and keywords."""

    concept: Concept
    words: str


@dataclass(frozen=True, slots=True)
class Article:
    """A provision of a concept: as the ontology cites it, where it is, and whether it defines the concept."""

    said: str
    found: Provision
    defines: bool = False


class Concepts:
    """Looks concepts up, by the terms of their names and keywords and by the provisions that they name. It
    does not hold the corpus that it was made from, and is asked with the same one."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._phrases: dict[str, Mapping[str, list[Phrase]]] = {}
        self._articles: dict[str, tuple[Article, ...]] = {}
        self._at: Mapping[int, tuple[tuple[Concept, Article], ...]] | None = None
        self._lock = threading.RLock()

    @cached_property
    def by_id(self) -> Mapping[str, Concept]:
        """All concepts by id."""
        return {concept.id: concept for concept in self.ontology.concepts}

    @cached_property
    def children(self) -> Mapping[str, tuple[Concept, ...]]:
        """The concepts right under each, in the order of the ontology."""
        found: dict[str, list[Concept]] = {}
        for concept in self.ontology.concepts:
            if concept.parent is not None:
                found.setdefault(concept.parent, []).append(concept)
        return {name: tuple(below) for name, below in found.items()}

    def above(self, concept: Concept) -> tuple[Concept, ...]:
        """The wider concepts, the nearest first."""
        found, parent = [], concept.parent
        while parent is not None:
            found.append(self.by_id[parent])
            parent = found[-1].parent
        return tuple(found)

    def in_order(self) -> Iterator[Concept]:
        """All concepts, each right after the one above it and what stands under that before it."""
        waiting = [concept for concept in reversed(self.ontology.concepts) if concept.parent is None]
        while waiting:
            yield (concept := waiting.pop())
            waiting.extend(reversed(self.children.get(concept.id, ())))

    def named_in(self, text: str, language: str) -> tuple[NamedConcept, ...]:
        """The concepts that a text names, the most important first; a name inside of a longer one that the
        text has there is none."""
        terms = analyzer(language).terms(text)
        by_first = self._phrases_in(language)
        spans = [
            (start, start + len(phrase), number, words)
            for start, term in enumerate(terms)
            for phrase, number, words in by_first.get(term, ())
            if tuple(terms[start : start + len(phrase)]) == phrase
        ]
        found: dict[int, str] = {}
        for start, stop, number, words in spans:
            longer = any(first <= start and stop <= last and last - first > stop - start
                         for first, last, _, _ in spans)  # fmt: skip
            if not longer:
                found.setdefault(number, words)
        concepts = self.ontology.concepts
        order = sorted(found, key=lambda number: (-concepts[number].importance, number))
        return tuple(NamedConcept(concepts[number], found[number]) for number in order)

    def articles(self, corpus: Corpus, concept: Concept) -> tuple[Article, ...]:
        """The provision that defines a concept, where one does, and its articles, in their order."""
        with self._lock:
            if concept.id not in self._articles:
                defining = [concept.defined_in] if concept.defined_in else []
                self._articles[concept.id] = tuple(
                    Article(said, provision(corpus, said), defines)
                    for defines, listed in ((True, defining), (False, concept.articles))
                    for said in listed
                )
            return self._articles[concept.id]

    def at(self, corpus: Corpus, rows: Rows) -> Iterator[tuple[int, Concept, Article]]:
        """The concepts that name the provisions which passages belong to: row, concept, its article."""
        with self._lock:
            if self._at is None:
                reached: dict[int, list[tuple[Concept, Article]]] = {}
                for concept in self.ontology.concepts:
                    for article in self.articles(corpus, concept):
                        for row in article.found.rows.tolist():
                            reached.setdefault(row, []).append((concept, article))
                self._at = {row: tuple(listed) for row, listed in reached.items()}
        for row in rows.tolist():
            for concept, article in self._at.get(row, ()):
                yield row, concept, article

    def _phrases_in(self, language: str) -> Mapping[str, Sequence[Phrase]]:
        """The names and keywords in a language as terms, by their first term."""
        with self._lock:
            if language not in self._phrases:
                found: dict[str, list[Phrase]] = {}
                for number, concept in enumerate(self.ontology.concepts):
                    for words in names_of(concept, language):
                        terms = tuple(analyzer(language).terms(words))
                        if terms:
                            found.setdefault(terms[0], []).append((terms, number, words))
                self._phrases[language] = found
            return self._phrases[language]


def names_of(concept: Concept, language: str) -> tuple[str, ...]:
    """What a concept is called in a language, and what the ontology gives without one."""
    spoken = dict.fromkeys((language, language.split("-")[0], WITHOUT_LANGUAGE))
    names = [concept.names[one] for one in spoken if one in concept.names]
    return tuple(dict.fromkeys((*names, *(word for one in spoken for word in concept.keywords.get(one, ())))))


def problems(corpus: Corpus, known: Concepts) -> Iterator[str]:
    """What is wrong with the provisions that concepts name: those that the corpus does not have."""
    for concept in known.ontology.concepts:
        for article in known.articles(corpus, concept):
            if article.found.problem:
                what = "defined_in" if article.defines else "articles"
                yield f"concept {concept.id}: {what}: {article.said}: {article.found.problem}"


_KNOWN: WeakKeyDictionary[Corpus, Concepts] = WeakKeyDictionary()


def concepts_of(corpus: Corpus) -> Concepts | None:
    """The concepts of an open corpus, looked up once while its ontology stays as it is; None where it has
    none."""
    ontology = corpus.ontology
    if ontology is None or not ontology.concepts:
        return None
    known = _KNOWN.get(corpus)
    if known is None or known.ontology is not ontology:
        known = _KNOWN[corpus] = Concepts(ontology)
    return known


def first_rows(articles: Sequence[Article], most: int) -> tuple[Rows, list[Article]]:
    """The first passages of each of some provisions, at most so many each, shape (n,), and whose they are."""
    pairs = [(row, article) for article in articles for row in article.found.rows[:most].tolist()]
    return np.array([row for row, _ in pairs], np.int32), [article for _, article in pairs]
