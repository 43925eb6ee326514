"""An answer as one object: sentences, quotes located in their passages, numbered citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from engine.corpus.grades import grades_of
from engine.corpus.protocol import Corpus
from engine.investigation.pool import Reading
from engine.investigation.presentation import JOINT, text_of
from engine.investigation.record import Investigation
from engine.language.quotes import FEWEST_WORDS, Refusal, locate, sought
from engine.llm import Usage
from engine.model import Direction, Document, Grade, PartEvidence, Passage, Relation, Span
from engine.records.context import badge
from engine.records.phrases import full_citation, short_citation

# An answer as one object: sentences, what they cite word for word, what contradicts, what is
# missing.

# A link of the corpus: ids of the passage that makes it and of its target, its relation.
Link = tuple[str, str, str]


class Method(StrEnum):
    """Who wrote the sentences: a language model, or the sources themselves (a brief of their sentences)."""

    MODEL = "model"
    BRIEF = "brief"


class Support(StrEnum):
    """What the quotes of a sentence carry: all of it, not all of it, or nothing of it."""

    FULL = "supported"
    PART = "not fully supported"
    NONE = "no support"


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote with its source. ``number`` counts from 1 in an answer.

    ``key`` is the rank of the passage in the case, None for one that is not in the ranking. ``quote`` is as
    the source prints it; ``places`` are its exact characters by the id of the passage. ``cited`` is the full
    citation, ``short`` the name that people use, ``validity`` what is known of its force, ``old`` whether it
    is not in force on the day of the answer, ``grade`` that of the source, None where it has none.
    """

    number: int
    key: int | None
    passage_id: str
    quote: str
    places: tuple[tuple[str, Span], ...]
    cited: str
    short: str
    language: str = "und"
    validity: str = ""
    old: bool = False
    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in plain text. ``citations`` are numbers of the answer's citations; ``doubts`` say what
    they do not carry. ``area`` is the part of the question that it serves, ``language`` that of its words.
    ``link`` is the link of the corpus by which it limits a sentence before it, as of a conflict."""

    text: str
    citations: tuple[int, ...]
    support: Support = Support.FULL
    doubts: tuple[str, ...] = ()
    area: str = ""
    language: str = "und"
    link: Link | None = None


class ConflictKind(StrEnum):
    """How two sources disagree, or one replaces or limits the other."""

    REPLACED = "replaced"
    EXCEPTION = "exception"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that do not say the same, in words, each with its citation. ``link`` is the link of the
    corpus that says so, where one does."""

    kind: ConflictKind
    words: str
    citations: tuple[int, int]
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """``missing``: the pool does not contain an answer, and ``unanswered`` says what it lacks. Where it has
    sentences on the subject and none surely answers, ``unanswered`` says so, the sentences are those of the
    closest rule, none where nothing is close, and ``to_read`` are the numbers of the citations of more
    passages to read. It begins with a sentence that this is the law of today if the question is about another
    time. ``gaps`` are required areas without
    evidence. ``model`` names the language model, empty for a brief; ``usage`` is what it used, by task.
    ``milliseconds`` is how long the answer took. ``parts``: what was found for each part of a question that
    asks several things.
    """

    question: str
    language: str
    method: Method
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    conflicts: tuple[Conflict, ...] = ()
    missing: bool = False
    unanswered: str = ""
    to_read: tuple[int, ...] = ()
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    model: str = ""
    usage: Mapping[str, Usage] = field(default_factory=lambda: MappingProxyType({}))
    milliseconds: float = 0.0
    parts: tuple[PartEvidence, ...] = ()

    def citation(self, number: int) -> Citation:
        """The citation with a number."""
        return self.citations[number - 1]


# Quotes that an answer cites, held against the passage that they are cited from.
#
# The rules of what is verbatim are those of ``engine.language.quotes``. A text that a model was
# given may be several passages in a row; a quote that runs over their border has one span in each
# of them.

__all__ = ["FEWEST_WORDS", "Located", "Refusal", "locate", "sought", "verify"]


@dataclass(frozen=True, slots=True)
class Located:
    """A quote as its source prints it. ``places`` are its exact characters, by the id of the passage, in
    reading order; more than one where the quote runs over a border of passages."""

    words: str
    places: tuple[tuple[str, Span], ...]


def verify(quote: str, passages: Sequence[Passage]) -> Located | Refusal:
    """A quote in consecutive passages of one document, located, or why it is refused."""
    refusal: Refusal = Refusal.ABSENT
    for passage in passages:
        found = sought(quote, passage.text)
        if isinstance(found, Span):
            return Located(passage.text[found.start : found.end], ((passage.id, found),))
        # What nearly was a quote says more than that the words are absent from another passage.
        refusal = refusal if found is Refusal.ABSENT else found
    if len(passages) < 2:
        return refusal
    joined = text_of(passages)
    found = sought(quote, joined)
    if not isinstance(found, Span):
        return refusal if found is Refusal.ABSENT else found
    return Located(joined[found.start : found.end], _split(found, passages))


def _split(span: Span, passages: Sequence[Passage]) -> tuple[tuple[str, Span], ...]:
    """A span of joined passages as spans of each (see ``text_of`` for how they are joined)."""
    places, begin = [], 0
    for number, passage in enumerate(passages):
        skipped = passage.overlap if number else 0
        end = begin + len(passage.text) - skipped
        first, last = max(span.start, begin), min(span.end, end)
        if first < last:
            places.append((passage.id, Span(first - begin + skipped, last - begin + skipped)))
        begin = end + len(JOINT)
    return tuple(places)


# Numbered citations of an answer: each quote once, located to the character.


class Citations:
    """Gives out the citations of one answer in the order in which they are asked for."""

    def __init__(self, investigation: Investigation, corpus: Corpus) -> None:
        self.day = investigation.day or date.today()
        self.reading = Reading(corpus)
        self._corpus = corpus
        self._documents = corpus.documents()
        self._grades = grades_of(corpus)
        self._keys = _keys(investigation)
        self._made: dict[tuple[object, ...], Citation] = {}

    @property
    def made(self) -> tuple[Citation, ...]:
        """All citations so far, by number."""
        return tuple(self._made.values())

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Passages by id."""
        return self.reading.passages(self._corpus.rows(list(ids)))

    def document(self, passage: Passage) -> Document:
        """The document of a passage."""
        return self._documents[int(self._corpus.document_numbers(self._corpus.rows([passage.id]))[0])]

    def of(self, located: Located) -> Citation:
        """The citation of a quote; the same quote has one number."""
        known = self._made.get(located.places)
        if known is not None:
            return known
        passage_id = located.places[0][0]
        [passage] = self.passages([passage_id])
        document = self.document(passage)
        seal = badge(passage, document, self.day)
        keys = (self._keys.get(place) for place, _ in located.places)
        made = Citation(
            number=len(self._made) + 1,
            key=next((key for key in keys if key is not None), None),
            passage_id=passage_id,
            quote=located.words,
            places=located.places,
            cited=" ".join(full_citation(passage, document).split()),
            short=" ".join(short_citation(passage, document).split()),
            language=passage.language,
            validity=seal.words if seal else "",
            old=seal.old if seal else False,
            grade=self._grades.of(document),
        )
        self._made[located.places] = made
        return made

    def rows(self) -> dict[int, Citation]:
        """The first citation of each passage that is cited, by row."""
        first: dict[str, Citation] = {}
        for citation in self._made.values():
            for place, _ in citation.places:
                first.setdefault(place, citation)
        rows = self._corpus.rows(list(first)) if first else np.empty(0, np.int32)
        return dict(zip(rows.tolist(), first.values(), strict=True))


def _keys(investigation: Investigation) -> Mapping[str, int]:
    """The rank under which each passage of the ranking is shown."""
    keys: dict[str, int] = {}
    for found in reversed(investigation.passages):
        keys.update(dict.fromkeys(found.assembled_ids, found.rank))
    keys.update({found.passage.id: found.rank for found in investigation.passages})
    return keys


# Which sentences of a brief stand in it by a link of the corpus: exceptions, and what prevails.

_RELATIONS = tuple(Relation)
# How what limits a rule is linked to it.
_LIMITING = (
    (Direction.IN, (Relation.EXCEPTION_TO,)),
    (Direction.OUT, (Relation.SUBJECT_TO, Relation.WITHOUT_PREJUDICE_TO)),
)


def with_links(
    sentences: Sequence[Sentence], citations: Sequence[Citation], corpus: Corpus
) -> tuple[Sentence, ...]:
    """Sentences, each with the link by which it limits one before it, where the corpus has such a link."""
    passages = [
        list(dict.fromkeys(place for number in one.citations for place, _ in citations[number - 1].places))
        for one in sentences
    ]
    linked, before = [], dict[str, None]()
    for sentence, own in zip(sentences, passages, strict=True):
        found = _links(list(before), own, corpus) if before and own else iter(())
        linked.append(replace(sentence, link=next(found, None)))
        before.update(dict.fromkeys(own))
    return tuple(linked)


def _links(rules: list[str], limits: list[str], corpus: Corpus) -> Iterator[Link]:
    """The links by which some passages limit others, the first of those first."""
    rows = corpus.rows(rules)
    places = dict(zip(corpus.rows(limits).tolist(), limits, strict=True))
    for direction, relations in _LIMITING:
        found = corpus.neighbours(rows, relations, direction)
        inside = np.isin(found.rows, list(places))
        for origin, row, relation in zip(
            found.origins[inside].tolist(),
            found.rows[inside].tolist(),
            found.relations[inside].tolist(),
            strict=True,
        ):
            ends = (rules[origin], places[row])
            if ends[0] != ends[1]:
                yield (*(ends if direction is Direction.OUT else ends[::-1]), _RELATIONS[relation].value)
