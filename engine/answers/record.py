"""An answer as values: its sentences with their sources, its findings, and what changed between two days."""

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
from engine.language.quotes import FEWEST_WORDS, Refusal, find_quote, locate
from engine.language.word_diff import Run
from engine.llm import Usage
from engine.model import Direction, Document, Grade, PartEvidence, Passage, Relation, Span
from engine.records.context import badge
from engine.records.phrases import full_citation, short_citation

# What changed between two days, as values: provisions with both wordings and the amending text.


class ChangeKind(StrEnum):
    """What happened to a provision, or to a whole document, between two days.

    ``AMENDED``: another text amends it, and its new wording is not certain: read both.
    """

    CHANGED = "changed"
    NEW = "new"
    REMOVED = "removed"
    RENUMBERED = "renumbered"
    AMENDED = "amended"


@dataclass(frozen=True, slots=True)
class Amender:
    """A passage that makes a change, with its first day, None if unknown.

    ``text`` is that of the passage, ``words`` are those of its reference, empty if its metadata makes it.
    """

    passage_id: str
    citation: str
    text: str
    words: str
    relation: Relation
    since: date | None


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph with its old and new words aligned; its id and label on each day are empty if it is new or
    removed."""

    old_id: str
    new_id: str
    old_label: str
    new_label: str
    runs: tuple[Run, ...]

    @property
    def old(self) -> str:
        """The old wording."""
        return "".join(run.text for run in self.runs if run.kind != "new")

    @property
    def new(self) -> str:
        """The new wording."""
        return "".join(run.text for run in self.runs if run.kind != "old")


@dataclass(frozen=True, slots=True)
class Change:
    """A provision whose wording differs between two days; ``provision`` is empty for a whole document.

    ``was`` is its label before if it was renumbered. ``days`` are those on which its wording changed.
    ``parts`` are its paragraphs that differ, ``unchanged`` counts the others. ``by`` makes the change, empty
    if the corpus does not have that text. ``derived``: no source prints the new wording; it follows from the
    amendment. ``size`` is the number of provisions of a whole document. ``passages`` are those of the new
    wording, of the old one if it is removed; ``before`` those of the old wording.
    """

    kind: ChangeKind
    document: str
    title: str
    provision: str
    language: str
    days: tuple[date, ...] = ()
    was: str = ""
    parts: tuple[Part, ...] = ()
    unchanged: int = 0
    by: tuple[Amender, ...] = ()
    derived: bool = False
    size: int = 0
    passages: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed from one day to another. ``others`` counts the changes that the question is not about,
    ``undated`` the documents that state no day."""

    corpus: str
    first: date
    last: date
    changes: tuple[Change, ...]
    others: int = 0
    undated: int = 0


# The answer as one object: sentences with verified quotes, numbered citations, conflicts and
# gaps.

# A link of the corpus: id of the passage that makes it, id of its target, relation.
Link = tuple[str, str, str]


class Method(StrEnum):
    """Author of the sentences: a language model, or the sources themselves (a brief of their sentences)."""

    MODEL = "model"
    BRIEF = "brief"


class Support(StrEnum):
    """Whether the quotes of a sentence support all, part or none of it."""

    FULL = "supported"
    PART = "not fully supported"
    NONE = "no support"


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote with its source. ``number`` counts from 1 in an answer.

    ``key`` is the rank of the passage in the case, None if it is not in the ranking. ``quote`` is as the
    source prints it, ``places`` are its exact characters by passage id. ``cited`` is the full citation,
    ``short`` the common name. ``validity`` is the known validity in words, ``old`` is true if the source is
    not in force on the day of the answer, ``grade`` is that of the source, None if it has none.
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
    """One sentence in plain text. ``citations`` are numbers of the answer's citations; ``doubts`` are the
    parts they do not support. ``area`` is the part of the question it serves, ``language`` that of its words.
    ``link`` is the corpus link by which it limits an earlier sentence."""

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
    """Two sources that disagree, in words, with the citation of each. ``link`` is the corpus link between
    them, if there is one."""

    kind: ConflictKind
    words: str
    citations: tuple[int, int]
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or the reason why there is none.

    ``missing``: the pool does not contain an answer, and ``unanswered`` gives the reason. If sentences on the
    subject exist but none surely answers, ``unanswered`` is a note on this, the sentences are those of the
    closest rule, if any, and ``to_read`` has the citation numbers of further passages. If the question is
    about another time, ``unanswered`` begins with a note that this is today's law. ``gaps`` are required
    areas without evidence. ``model`` names the language model, empty for a brief; ``usage`` is its usage by
    task. ``milliseconds`` is the time taken. ``parts`` is the evidence for each part of a question that asks
    several things. ``changes`` is the answer to a question for what changed, None for another question.
    ``path`` are the references that connect two provisions, in words, for a question for their relation.
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
    changes: Changes | None = None
    path: tuple[str, ...] = ()

    def citation(self, number: int) -> Citation:
        """Return the citation with a number."""
        return self.citations[number - 1]


# A text shown to a model may be several consecutive passages; a quote across their border has one span in
# each. ``engine.language.quotes`` defines what is verbatim.
__all__ = ["FEWEST_WORDS", "Located", "Refusal", "find_quote", "locate", "verify"]


@dataclass(frozen=True, slots=True)
class Located:
    """A quote as its source prints it. ``places`` are its exact characters by passage id, in reading order;
    several if the quote crosses a border of passages."""

    words: str
    places: tuple[tuple[str, Span], ...]


def verify(quote: str, passages: Sequence[Passage]) -> Located | Refusal:
    """Locate a quote in consecutive passages of one document, or return why it is refused."""
    refusal: Refusal = Refusal.ABSENT
    for passage in passages:
        found = find_quote(quote, passage.text)
        if isinstance(found, Span):
            return Located(passage.text[found.start : found.end], ((passage.id, found),))
        # A near match is a better reason than the absence from another passage.
        refusal = refusal if found is Refusal.ABSENT else found
    if len(passages) < 2:
        return refusal
    joined = text_of(passages)
    found = find_quote(quote, joined)
    if not isinstance(found, Span):
        return refusal if found is Refusal.ABSENT else found
    return Located(joined[found.start : found.end], _split(found, passages))


def _split(span: Span, passages: Sequence[Passage]) -> tuple[tuple[str, Span], ...]:
    """Split a span of joined passages into spans of each (``text_of`` joins them)."""
    places, begin = [], 0
    for number, passage in enumerate(passages):
        skipped = passage.overlap if number else 0
        end = begin + len(passage.text) - skipped
        first, last = max(span.start, begin), min(span.end, end)
        if first < last:
            places.append((passage.id, Span(first - begin + skipped, last - begin + skipped)))
        begin = end + len(JOINT)
    return tuple(places)


class Citations:
    """Numbers the citations of one answer in the order of first use; each quote has one number."""

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
        """Return passages by id."""
        return self.reading.passages(self._corpus.rows(list(ids)))

    def document(self, passage: Passage) -> Document:
        """Return the document of a passage."""
        return self._documents[int(self._corpus.document_numbers(self._corpus.rows([passage.id]))[0])]

    def of(self, located: Located) -> Citation:
        """Return the citation of a quote, a new one at its first use."""
        existing = self._made.get(located.places)
        if existing is not None:
            return existing
        passage_id = located.places[0][0]
        [passage] = self.passages([passage_id])
        document = self.document(passage)
        badge_shown = badge(passage, document, self.day)
        keys = (self._keys.get(place) for place, _ in located.places)
        citation = Citation(
            number=len(self._made) + 1,
            key=next((key for key in keys if key is not None), None),
            passage_id=passage_id,
            quote=located.words,
            places=located.places,
            cited=" ".join(full_citation(passage, document).split()),
            short=" ".join(short_citation(passage, document).split()),
            language=passage.language,
            validity=badge_shown.words if badge_shown else "",
            old=badge_shown.old if badge_shown else False,
            grade=self._grades.of(document),
        )
        self._made[located.places] = citation
        return citation

    def rows(self) -> dict[int, Citation]:
        """Return the first citation of each cited passage, by row."""
        first: dict[str, Citation] = {}
        for citation in self._made.values():
            for place, _ in citation.places:
                first.setdefault(place, citation)
        rows = self._corpus.rows(list(first)) if first else np.empty(0, np.int32)
        return dict(zip(rows.tolist(), first.values(), strict=True))


def _keys(investigation: Investigation) -> Mapping[str, int]:
    """Return the rank under which each passage of the ranking is shown."""
    keys: dict[str, int] = {}
    for found in reversed(investigation.passages):
        keys.update(dict.fromkeys(found.assembled_ids, found.rank))
    keys.update({found.passage.id: found.rank for found in investigation.passages})
    return keys


_RELATIONS = tuple(Relation)
# Relations by which a provision limits a rule.
_LIMITING = (
    (Direction.IN, (Relation.EXCEPTION_TO,)),
    (Direction.OUT, (Relation.SUBJECT_TO, Relation.WITHOUT_PREJUDICE_TO)),
)


def with_links(
    sentences: Sequence[Sentence], citations: Sequence[Citation], corpus: Corpus
) -> tuple[Sentence, ...]:
    """Add to each sentence the corpus link by which it limits an earlier one, if there is one."""
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
    """Yield the links by which some passages limit others, in the order of those limited."""
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
