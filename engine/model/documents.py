"""Documents, sections, passages, relations and references between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import ConfigDict, Field, with_config

# Marks on the fields of values that are stored as they are: ranges, rounding, no unknown fields.

# A value that records and files of users contain: unknown fields and infinite numbers are errors.
stored = with_config(ConfigDict(extra="forbid", allow_inf_nan=False))


@dataclass(frozen=True, slots=True)
class Digits:
    """Marks a number that is rounded to some digits when it is written."""

    count: int


Rounded = Annotated[float, Digits(6)]
Estimate = Annotated[float, Digits(4)]
Milliseconds = Annotated[float, Digits(2)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Year = Annotated[int, Field(ge=1, le=9999)]


# An empty, immutable mapping.

NOTHING: Mapping[str, Any] = MappingProxyType({})


# Relations between provisions, and statuses of references.


class Relation(StrEnum):
    """The relation of one provision to another.

    ``SIMILAR_TO`` and ``MATCHES`` exist on trails only, and the three after them only between the elements of
    an ontology and of a corpus; texts state none of the five.

    If two rules conflict, the source is the exception (``EXCEPTION_TO``: "notwithstanding Rule 5"), or its
    target prevails (``SUBJECT_TO``: "subject to Rule 5", "except as provided in Rule 5"), or both apply
    (``WITHOUT_PREJUDICE_TO``). Of terms, the target ``DEFINES`` a term of the source, and the source
    ``INTERPRETS`` a term of the target.
    """

    CITES = "cites"
    AMENDS = "amends"
    REPEALS = "repeals"
    SUPERSEDES = "supersedes"
    DEFINES = "defines"
    INTERPRETS = "interprets"
    EXCEPTION_TO = "exception_to"
    SUBJECT_TO = "subject_to"
    WITHOUT_PREJUDICE_TO = "without_prejudice_to"
    EXTENDS = "extends"
    APPLIES_TO = "applies_to"
    BASED_ON = "based_on"
    PART_OF = "part_of"
    NEXT_TO = "next_to"
    MENTIONS = "mentions"
    SIMILAR_TO = "similar_to"
    MATCHES = "matches"
    BELONGS_TO = "belongs_to"
    REQUIRES = "requires"
    PARENT_OF = "parent_of"


class Direction(StrEnum):
    """The direction in which a relation was followed: from the seed, or back to the seed."""

    OUT = "out"
    IN = "in"


class Status(StrEnum):
    """The result of resolving a reference. Ambiguity is a status, never a guess."""

    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"


# The effect of a link's source on its target, in words: "Article 15 makes an exception to Article 14".
RELATION_VERBS: Mapping[Relation, str] = {
    Relation.CITES: "cites",
    Relation.AMENDS: "amends",
    Relation.REPEALS: "repeals",
    Relation.SUPERSEDES: "supersedes",
    Relation.DEFINES: "takes a term from",
    Relation.INTERPRETS: "explains a term of",
    Relation.EXCEPTION_TO: "makes an exception to",
    Relation.SUBJECT_TO: "is subject to",
    Relation.WITHOUT_PREJUDICE_TO: "applies without prejudice to",
    Relation.EXTENDS: "extends",
    Relation.APPLIES_TO: "applies to",
    Relation.BASED_ON: "is based on",
    Relation.PART_OF: "is part of",
    Relation.NEXT_TO: "is next to",
    Relation.MENTIONS: "mentions",
    Relation.SIMILAR_TO: "is similar to",
    Relation.MATCHES: "matches",
    Relation.BELONGS_TO: "belongs to",
    Relation.REQUIRES: "requires evidence of",
    Relation.PARENT_OF: "is wider than",
}


# Grades of sources.


class Grade(StrEnum):
    """The grade of a source, best first; None means no grade, which is below every grade."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"

    def reaches(self, minimum: Grade) -> bool:
        """Return whether this grade is at least as good as another."""
        return self.value <= minimum.value


# Documents, sections, passages, references, entities.

# The metadata field with the family of versions that a document belongs to.
FAMILY = "family"
# The metadata field with the version, or the edition of a standard: "2 of 5".
EDITION = "edition"
# Statuses of a text that is no longer in force.
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

    def overlaps(self, other: Span) -> bool:
        """Return whether two spans have a character in common."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Document:
    """A source: an act, a rulebook, a contract.

    ``aliases`` are its names in other texts ("COBS", "BGB", "the Agency Code"); ``issuer`` is the body that
    made it; ``source`` is the name of its file ("laws.zip/uu-6.pdf"). ``quality`` is a grade of the source
    text in 0..1, None if it is ungraded.
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

    ``number`` is the number as printed, without the word for its kind ("4.3.2", "IV", "433"). Its passages,
    including those of its subsections, have positions from ``first`` to ``stop`` (exclusive) in the document.
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
    """The unit of retrieval: a span of one document's text.

    ``id`` is made from document and path, or is the id given by the source. ``source_id`` is the id in the
    source and so in a gold standard: equal to ``id`` unless a long line was cut into parts. ``position`` is
    the index within the document, from 0. ``number`` is the provision's own number ("4.3.2", "433", "14"),
    ``paragraph`` is its subdivision, parts joined by "/" ("2/a"). ``headings`` are from the outermost to the
    innermost, without the document's title. ``label`` is its citation within the document ("Article 14(2)").
    ``page`` counts from 1. ``overlap`` is the number of characters at the start of ``text`` that repeat the
    end of the previous passage.
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
    """The kind of a reference's target."""

    PASSAGE = "passage"
    SECTION = "section"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Reference:
    """A link from a passage to a passage, a section or a document.

    ``span`` covers exactly the characters of ``text`` in the source passage. ``target_id`` is None unless
    ``status`` is resolved; ``candidates`` are the possible targets of an ambiguous reference.
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
class Role:
    """The role of a party, such as "Agent" in a contract, with the id of the passage that states it."""

    name: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing, defined term or legal concept that passages mention.

    ``definitions`` are the ids of the passages that define it, the first of each defining document; for the
    subject of a document (``EntityKind.TITLE``) its first passage. ``aliases`` are other names stated in the
    texts: acronyms, short names of documents. ``roles`` are those of a party to contracts. ``score``, 0 to 1,
    is the certainty that it is a named thing (``engine/language/entities.py``).
    """

    id: str
    name: str
    kind: EntityKind
    language: str = "und"
    definitions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    score: float = 1.0
