"""The nouns: what a document collection and an investigation are made of.

Values only: frozen, without behaviour beyond their own consistency. Relation names follow ELI and
schema.org/Legislation where those have a word (``cites``, ``amends``, ``repeals``, ``based_on``,
``applies_to``).

Inside the engine a passage is addressed by its *row*: its position in the corpus (int32). Ids are
for people, files and other programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Any

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Relation(StrEnum):
    """How one provision relates to another; the last two exist on trails only, never in a text."""

    CITES = "cites"
    AMENDS = "amends"
    REPEALS = "repeals"
    SUPERSEDES = "supersedes"
    DEFINES = "defines"
    EXCEPTION_TO = "exception_to"
    EXTENDS = "extends"
    APPLIES_TO = "applies_to"
    BASED_ON = "based_on"
    PART_OF = "part_of"
    NEXT_TO = "next_to"
    MENTIONS = "mentions"
    SIMILAR_TO = "similar_to"
    MATCHES = "matches"


class Direction(StrEnum):
    """Which way a relation was followed: from the seed outwards, or back to the seed."""

    OUT = "out"
    IN = "in"


class Status(StrEnum):
    """What the resolver could say of a reference. Ambiguity is a status, never a guess."""

    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"


# Statuses of a text that no longer holds, by whatever end it came to.
OUT_OF_FORCE = ("repealed", "superseded", "annulled", "expired", "withdrawn", "not in force")


class SectionKind(StrEnum):
    """The level of a node in a document's hierarchy, outermost first."""

    BOOK = "book"
    PART = "part"
    TITLE = "title"
    CHAPTER = "chapter"
    SECTION = "section"
    SUBSECTION = "subsection"
    ARTICLE = "article"
    RULE = "rule"
    PARAGRAPH = "paragraph"
    ANNEX = "annex"
    SCHEDULE = "schedule"
    PREAMBLE = "preamble"
    RECITAL = "recital"
    GUIDANCE = "guidance"
    DEFINITIONS = "definitions"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range ``[start, end)`` in a passage's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")


@dataclass(frozen=True, slots=True)
class Document:
    """One source: an act, a rulebook, a contract.

    ``aliases`` are the names other texts use for it ("COBS", "BGB", "the Agency Code"); ``issuer`` is
    the body that made it; ``source`` names the file it was read from ("laws.zip/uu-6.pdf").
    ``quality`` is a grade of the source text in 0..1, None where nobody graded it.
    """

    id: str
    title: str
    language: str = "und"
    type: str | None = None
    number: str | None = None
    year: int | None = None
    status: str | None = None
    version: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    issuer: str | None = None
    aliases: tuple[str, ...] = ()
    quality: float | None = None
    source: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: NOTHING, hash=False)


@dataclass(frozen=True, slots=True)
class Section:
    """A node in a document's hierarchy.

    ``number`` is the number as the document prints it, without the word for its kind ("4.3.2",
    "IV", "433"). Its passages are the positions ``first`` (included) to ``stop`` (excluded) of its
    document, those of its subsections included.
    """

    id: str
    document_id: str
    parent_id: str | None
    kind: SectionKind
    number: str | None
    title: str
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class Passage:
    """The atom: a span of one document's text.

    ``id`` is made from document and path, or is the id that the source gave. ``source_id`` is the
    id by which the source, and so a gold standard, knows it: equal to ``id`` unless a long line was
    cut into parts. ``position`` counts within the document from 0. ``number`` is the provision's own
    number ("4.3.2", "433", "14"), ``paragraph`` what stands below it, parts joined by "/" ("2/a").
    ``headings`` go from the outside in and leave out the document's title. ``label`` is how a
    lawyer would cite it inside its document ("Article 14(2)"). ``page`` counts from 1. ``overlap``:
    so many characters at the start of ``text`` repeat the end of the passage before.
    """

    id: str
    document_id: str
    section_id: str | None
    position: int
    text: str
    language: str = "und"
    kind: SectionKind = SectionKind.HEADING
    number: str | None = None
    paragraph: str | None = None
    label: str = ""
    headings: tuple[str, ...] = ()
    source_id: str = ""
    status: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    page: int | None = None
    overlap: int = 0
    metadata: Mapping[str, Any] = field(default_factory=lambda: NOTHING, hash=False)

    def __post_init__(self) -> None:
        if not self.source_id:
            object.__setattr__(self, "source_id", self.id)


class TargetKind(StrEnum):
    """What a reference points at."""

    PASSAGE = "passage"
    SECTION = "section"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Reference:
    """A link from a passage to a passage, a section or a document.

    ``span`` covers exactly the characters of ``text`` in the source passage. ``target_id`` is None
    unless ``status`` is resolved; ``candidates`` holds what an ambiguous reference may mean.
    """

    source_id: str
    span: Span
    text: str
    relation: Relation
    status: Status
    target_kind: TargetKind | None = None
    target_id: str | None = None
    candidates: tuple[str, ...] = ()
    confidence: float = 1.0
    grammar: str = ""


class EntityKind(StrEnum):
    """How an entity was recognised."""

    DEFINED_TERM = "defined_term"
    NAME = "name"
    ACRONYM = "acronym"
    ORGANISATION = "organisation"
    STANDARD = "standard"
    HEADING = "heading"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing, defined term or legal concept that passages mention.

    ``definitions`` are the ids of the passages that define it, the first of each document that does; for
    what a document is about (``EntityKind.TITLE``) its first passage.
    """

    id: str
    name: str
    kind: EntityKind
    language: str = "und"
    definitions: tuple[str, ...] = ()


class Intent(StrEnum):
    """What kind of answer a question asks for."""

    LOOKUP = "lookup"
    EXPLORATORY = "exploratory"
    COMPARATIVE = "comparative"
    MULTI_HOP = "multi_hop"


@dataclass(frozen=True, slots=True)
class View:
    """One way to see the question: its words, and the retrievers that read it.

    ``name`` says what it is made of: literal, part, side, clause, register, acronym, terms, feedback,
    gap, or own (a person's); ``origin`` says where its words come from. ``weight`` scales its list in
    the fusion. ``dense`` is false for a list of words, which has no meaning to embed.
    """

    name: str
    text: str
    weight: float = 1.0
    dense: bool = True
    enabled: bool = True
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a question demands of every passage: phrases it must or must not hold, documents by name,
    type, language and year (bounds included), the day on which it must be in force."""

    must_include: tuple[str, ...] = ()
    must_exclude: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    year_from: int | None = None
    year_to: int | None = None
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A constraint that the question's prose may mean; it is shown and not applied.

    ``kind`` is the field of ``Constraints``, ``value`` what would stand there, ``words`` the words of
    the question that told it.
    """

    kind: str
    value: str
    words: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The question seen several ways; ``references`` are provisions that the question itself names.

    ``evidence`` are the words that told the intent. ``document_types`` and ``document_ids`` are those of
    the corpus that its prose names. ``edited``: a person changed it.
    """

    question: str
    language: str
    views: tuple[View, ...]
    references: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    intent: Intent | None = None
    evidence: tuple[str, ...] = ()
    document_types: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    constraints: Constraints = Constraints()
    suggestions: tuple[Suggestion, ...] = ()
    strategy: str = "balanced"
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a trail: how a passage was reached, and from where.

    ``source_id`` is None where the step starts at the question (scan) or at a gap's query.
    ``quote`` holds the words that made the link, verbatim from ``quoted_from`` (a passage id), or
    the query that was sent. ``strength`` is the strategy's own score for the link, 0..1. ``rank`` is
    the 1-based rank in the list that found it, for scan and gap hops.
    """

    target_id: str
    source_id: str | None
    strategy: str
    relation: Relation
    direction: Direction
    round: int
    strength: float
    quote: str = ""
    quoted_from: str | None = None
    detail: str = ""
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class RetrieverHit:
    """What one retriever said of a passage for one view: 1-based rank and its raw score."""

    retriever: str
    view: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One addend of a passage's final score; the parts of a passage add up to its score."""

    name: str
    value: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage in the final ranking. ``text`` is a source span, never a summary.

    ``assembled_ids`` are the passages whose text stands in ``text``, in document order; more than
    one where neighbours were put together. ``same_words`` are other well-ranked passages whose text is
    word for word that of ``passage``.
    """

    rank: int
    passage: Passage
    document: Document
    text: str
    score: float
    breakdown: tuple[ScorePart, ...]
    trails: tuple[tuple[Hop, ...], ...]
    hits: tuple[RetrieverHit, ...] = ()
    assembled_ids: tuple[str, ...] = ()
    pinned: bool = False
    same_words: tuple[str, ...] = ()


class AreaState(StrEnum):
    """How well an area of the question is evidenced."""

    COVERED = "covered"
    WEAK = "weak"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class AreaCoverage:
    """Evidence for one legal area or facet.

    ``similarity`` is the mean similarity of the evidence to the area, 0..1. ``closed_in`` is the
    round in which it became covered (0 = the scan). ``query`` is what was sent to close its gap.
    """

    id: str
    name: str
    state: AreaState
    required: bool
    evidence: tuple[str, ...]
    minimum: int
    similarity: float
    closed_in: int | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class StrategyCount:
    """What one strategy did in one round: leads proposed, admitted, refused (by reason)."""

    strategy: str
    proposed: int
    admitted: int
    refused: Mapping[str, int] = field(default_factory=lambda: NOTHING, hash=False)
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RetrieverCount:
    """What one retriever gave to a list of passages, best first: how many of them it found, how many nobody
    else found, and the place of the first. ``off`` says why it did not search."""

    retriever: str
    found: int = 0
    alone: int = 0
    first: int | None = None
    off: str = ""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """One turn of the loop. ``number`` 0 is the scan; ``retrievers`` are those that it asked."""

    number: int
    seeds: tuple[str, ...]
    strategies: tuple[StrategyCount, ...]
    admitted: int
    refused: int
    pool_size: int
    milliseconds: float
    retrievers: tuple[RetrieverCount, ...] = ()


class StopReason(StrEnum):
    """Why an investigation ended; the first to fire wins."""

    ROUNDS = "rounds"
    NOTHING_NEW = "nothing_new"
    TOO_LITTLE_NEW = "too_little_new"
    POOL_FULL = "pool_full"
    COVERAGE = "coverage"
    CONFIDENCE = "confidence"
    COMPLETENESS = "completeness"
    SUFFICIENCY = "sufficiency"
    TIME = "time"
    CALLS = "calls"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Completeness:
    """Estimate of the share of relevant passages that the pool already holds, with its interval.

    ``alone`` of the ``best`` passages of the pool were found by one way only; ``evidence`` are the numbers
    that the estimate was made of, by name, each 0..1.
    """

    estimate: float
    low: float
    high: float
    method: str = "Chao1"
    best: int = 0
    alone: int = 0
    evidence: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop with its reason and the numbers behind it."""

    reason: StopReason
    numbers: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)
    completeness: Completeness | None = None


class Verdict(StrEnum):
    """A person's judgement."""

    RELEVANT = "relevant"
    IRRELEVANT = "irrelevant"
    WRONG_LINK = "wrong_link"


@dataclass(frozen=True, slots=True)
class Review:
    """A person's verdict on a passage, or on the hop by which it was reached."""

    passage_id: str
    verdict: Verdict
    hop: Hop | None = None
    note: str = ""
