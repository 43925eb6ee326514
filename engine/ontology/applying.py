"""Apply an ontology to a corpus: concepts in texts, their provisions, and rules on facts."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.external_text import external_resolver
from engine.corpus.ontology import WITHOUT_LANGUAGE
from engine.corpus.protocol import Concept, Corpus, Ontology, Rows
from engine.corpus.rule_expressions import Fact, Rule, Unknown, evaluate, names_in, scales_of
from engine.corpus.rule_values import Value, value_text
from engine.errors import SettingsError
from engine.language.analysis import analyzer
from engine.language.references import find_mentions
from engine.model import Status, TargetKind

# Passages shown of a provision; the rest is a click away.
MOST_SHOWN = 8
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A passage of a cited provision, verbatim. ``validity`` is empty if it is in force on the day or
    unknown, else "no longer in force" or "not yet in force"."""

    passage_id: str
    label: str
    document: str
    text: str
    language: str
    validity: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A provision cited by a rule. ``problem`` is why it was not found, in words; ``more`` counts the
    passages of the provision that are not among ``texts``."""

    words: str
    texts: tuple[CitedText, ...] = ()
    more: int = 0
    problem: str = ""

    @property
    def lapsed(self) -> str:
        """The validity problem that all shown texts share; else empty."""
        found = {text.validity for text in self.texts}
        return found.pop() if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class Provision:
    """The target of a citation: its rows, shape (n,), empty with a ``problem`` in words."""

    rows: Rows
    problem: str = ""


def find_provision(corpus: Corpus, words: str, languages: Sequence[str] = ("en",)) -> Provision:
    """Find the provision that an id or a citation in words names, by today's law (the text that authors of an
    ontology see); for a whole document its first passage."""
    words = words.strip()
    rows = _by_id(corpus, words)
    if len(rows):
        return Provision(rows)
    problem = "it does not name a provision"
    for language in dict.fromkeys((*languages, *corpus.info().languages)):
        for mention in find_mentions(words, language):
            for reference in external_resolver(corpus).resolve(mention, words, language, date.today()):
                if reference.status is Status.RESOLVED and reference.target_id is not None:
                    found = external_resolver(corpus).rows(reference.target_kind, reference.target_id)
                    if reference.target_kind is not TargetKind.DOCUMENT:
                        return Provision(found)
                    if not _DIGIT.search(words.replace(reference.text, "")):
                        return Provision(found[:1])
                    problem = "its document is known, its number is not understood: give the provision's id"
                elif reference.status is Status.AMBIGUOUS:
                    problem = f"it may mean {', '.join(reference.candidates[:4])}"
                else:
                    problem = "this corpus has no such provision"
    return Provision(np.empty(0, np.int32), problem)


def cite(corpus: Corpus, words: str, day: date, languages: Sequence[str] = ("en",)) -> Citation:
    """Return the provision that an id or a citation in words names, verbatim, with its validity on a day."""
    found = find_provision(corpus, words, languages)
    shown = found.rows[:MOST_SHOWN]
    if not len(shown):
        return Citation(words, problem=found.problem)
    documents, numbers = corpus.documents(), corpus.document_numbers(shown).tolist()
    expired, valid = corpus.out_of_force(day)[shown], corpus.in_force(day)[shown]
    texts = []
    for index, passage in enumerate(corpus.passages(shown)):
        document = documents[numbers[index]]
        validity = "no longer in force" if expired[index] else "" if valid[index] else "not yet in force"
        name, title = passage.label or passage.id, document.title or document.id
        texts.append(CitedText(passage.id, name, title, passage.text, passage.language, validity))
    return Citation(words, tuple(texts), max(0, len(found.rows) - MOST_SHOWN))


def _by_id(corpus: Corpus, name: str) -> Rows:
    """Return the rows of a passage or section, or the first row of a document; empty for another name."""
    rows = corpus.rows([name])
    if rows[0] >= 0:
        return rows
    # The id of a section begins with that of its document.
    for number, document in enumerate(corpus.documents()):
        if name == document.id:
            return corpus.by_document([name])[0][:1]
        if name.startswith(document.id):
            for section in corpus.sections(corpus.document_sections(number).tolist()):
                if section.id == name:
                    return corpus.by_document([document.id])[0][section.first : section.stop]
    return np.empty(0, np.int32)


# Concepts of a text that are followed (the most important first), and passages of each article.
MOST_FOLLOWED, PER_ARTICLE = 6, 6
MOST_IMPORTANT = 5

Phrase = tuple[tuple[str, ...], int, str]


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """A concept that a text names, with the name or keyword found."""

    concept: Concept
    words: str


@dataclass(frozen=True, slots=True)
class Article:
    """A provision of a concept: as the ontology cites it, its target, and whether it defines the concept."""

    words: str
    found: Provision
    defines: bool = False


class Concepts:
    """Finds concepts by the terms of their names and keywords, and by their provisions. It keeps no reference
    to its corpus; callers pass the same one each time."""

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
        """The direct children of each concept, in the order of the ontology."""
        found: dict[str, list[Concept]] = {}
        for concept in self.ontology.concepts:
            if concept.parent is not None:
                found.setdefault(concept.parent, []).append(concept)
        return {name: tuple(below) for name, below in found.items()}

    def above(self, concept: Concept) -> tuple[Concept, ...]:
        """Return the wider concepts, the nearest first."""
        found, parent = [], concept.parent
        while parent is not None:
            found.append(self.by_id[parent])
            parent = found[-1].parent
        return tuple(found)

    def in_order(self) -> Iterator[Concept]:
        """Yield all concepts in depth-first order."""
        stack = [concept for concept in reversed(self.ontology.concepts) if concept.parent is None]
        while stack:
            yield (concept := stack.pop())
            stack.extend(reversed(self.children.get(concept.id, ())))

    def named_in(self, text: str, language: str) -> tuple[NamedConcept, ...]:
        """Return the concepts that a text names, the most important first, without names that are part of a
        longer name there."""
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
        """Return the provision that defines a concept, if any, and its articles, in order."""
        with self._lock:
            if concept.id not in self._articles:
                defining = [concept.defined_in] if concept.defined_in else []
                self._articles[concept.id] = tuple(
                    Article(words, find_provision(corpus, words), defines)
                    for defines, provisions in ((True, defining), (False, concept.articles))
                    for words in provisions
                )
            return self._articles[concept.id]

    def at(self, corpus: Corpus, rows: Rows) -> Iterator[tuple[int, Concept, Article]]:
        """Yield the concepts whose provisions contain passages: row, concept, article."""
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
        """Return the names and keywords in a language as terms, by first term."""
        with self._lock:
            if language not in self._phrases:
                found: dict[str, list[Phrase]] = {}
                for number, concept in enumerate(self.ontology.concepts):
                    for words in get_names(concept, language):
                        terms = tuple(analyzer(language).terms(words))
                        if terms:
                            found.setdefault(terms[0], []).append((terms, number, words))
                self._phrases[language] = found
            return self._phrases[language]


def get_names(concept: Concept, language: str) -> tuple[str, ...]:
    """Return a concept's names and keywords in a language, and those without a language."""
    spoken = dict.fromkeys((language, language.split("-")[0], WITHOUT_LANGUAGE))
    names = [concept.names[one] for one in spoken if one in concept.names]
    return tuple(dict.fromkeys((*names, *(word for one in spoken for word in concept.keywords.get(one, ())))))


def find_problems(corpus: Corpus, known: Concepts) -> Iterator[str]:
    """Yield the provisions of concepts that the corpus does not have."""
    for concept in known.ontology.concepts:
        for article in known.articles(corpus, concept):
            if article.found.problem:
                what = "defined_in" if article.defines else "articles"
                yield f"concept {concept.id}: {what}: {article.words}: {article.found.problem}"


_KNOWN: WeakKeyDictionary[Corpus, Concepts] = WeakKeyDictionary()


def get_concepts(corpus: Corpus) -> Concepts | None:
    """Return the concepts of an open corpus, cached until its ontology changes; None if it has none."""
    ontology = corpus.ontology
    if ontology is None or not ontology.concepts:
        return None
    known = _KNOWN.get(corpus)
    if known is None or known.ontology is not ontology:
        known = _KNOWN[corpus] = Concepts(ontology)
    return known


def first_rows(articles: Sequence[Article], most: int) -> tuple[Rows, list[Article]]:
    """Return the first ``most`` passages of each provision, shape (n,), and their articles."""
    pairs = [(row, article) for article in articles for row in article.found.rows[:most].tolist()]
    return np.array([row for row, _ in pairs], np.int32), [article for _, article in pairs]


class Verdict(StrEnum):
    """Result of a rule; it cannot hold if a provision that it cites is not in force."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "needs"
    NOT_IN_FORCE = "not in force"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A rule applied to the law of a ``day``. ``needs`` are names of facts that would decide it, ``reasons``
    why the given ones do not; ``used`` are names and values of the given facts; ``warnings`` are problems of
    its citations."""

    rule: Rule
    name: str
    verdict: Verdict
    because: str
    needs: tuple[str, ...]
    reasons: tuple[str, ...]
    used: tuple[tuple[str, str], ...]
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]
    day: date


def facts_from(ontology: Ontology, given: Mapping[str, str]) -> dict[str, Value]:
    """Parse facts that a user wrote; empty values are ignored. Raises SettingsError for an unknown fact or
    an invalid value."""
    known = {fact.id: fact for fact in ontology.facts}
    if unknown := sorted(set(given) - set(known)):
        listed = ", ".join(known) or "none: this corpus has no rules"
        raise SettingsError(f"unknown fact {unknown[0]!r}; known facts: {listed}")
    return {name: known[name].value(text) for name, text in given.items() if text.strip()}


def apply_rules(
    corpus: Corpus,
    ontology: Ontology,
    facts: Mapping[str, Value],
    day: date,
    *,
    transaction: str | None = None,
    language: str = "en",
) -> tuple[Outcome, ...]:
    """Apply the rules for a type of transaction (None: all rules), in the order of the ontology."""
    applicable = [
        rule
        for rule in ontology.rules
        if transaction is None or not rule.transactions or transaction in rule.transactions
    ]
    return tuple(_applied(corpus, ontology, rule, facts, day, language) for rule in applicable)


def in_language(words: Mapping[str, str], language: str, otherwise: str = "") -> str:
    """Return the words in a language, else in English, else the first available ones."""
    return words.get(language) or words.get("en") or next(iter(words.values()), otherwise)


def fact_name(fact: Fact, language: str) -> str:
    """Return the name of a fact."""
    return in_language(fact.names, language, fact.id)


def _applied(
    corpus: Corpus, ontology: Ontology, rule: Rule, facts: Mapping[str, Value], day: date, language: str
) -> Outcome:
    known = {fact.id: fact for fact in ontology.facts}
    found = evaluate(rule.when, facts, scales_of(ontology.facts))
    unknown = found if isinstance(found, Unknown) else Unknown()
    named = [fact for fact in ontology.facts if fact.id in names_in(rule.when)]
    citations = tuple(cite(corpus, words, day, (language, "en")) for words in rule.cite)
    verdict = Verdict.OPEN if isinstance(found, Unknown) else Verdict.HOLDS if found else Verdict.FAILS
    if any(citation.lapsed for citation in citations):
        # The facts do not matter: the cited law is not in force on that day.
        verdict = Verdict.NOT_IN_FORCE
    return Outcome(
        rule,
        in_language(rule.names, language, rule.id),
        verdict,
        in_language(rule.because, language),
        tuple(fact_name(known[name], language) for name in known if name in unknown.needs),
        tuple(sorted(unknown.reasons)),
        tuple(
            (fact_name(fact, language), value_text(facts[fact.id], fact.unit))
            for fact in named
            if fact.id in facts
        ),
        citations,
        _warnings(citations, day),
        day,
    )


def _warnings(citations: Sequence[Citation], day: date) -> tuple[str, ...]:
    found = [f"{one.words}: {one.problem}" for one in citations if one.problem]
    found += [f"{one.words} is {one.lapsed} on {day.isoformat()}" for one in citations if one.lapsed]
    if not citations:
        found.append("this rule cites no provision")
    return tuple(found)
