"""What a document collection is made of: documents, sections, passages, references, entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from engine.model.nothing import NOTHING
from engine.model.relations import Relation, Status

# The field of a document's metadata that names the family it is a version in.
FAMILY = "family"
# The field that says which of the versions, or of the editions of a standard, a document is: "2 of 5".
EDITION = "edition"
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

    def overlaps(self, other: Span) -> bool:
        """Return whether the two have a character in common."""
        return self.start < other.end and other.start < self.end


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
class Role:
    """What a passage makes of somebody: "Agent" in a contract, by the id of the passage that says so."""

    name: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing, defined term or legal concept that passages mention.

    ``definitions`` are the ids of the passages that define it, the first of each document that does; for
    what a document is about (``EntityKind.TITLE``) its first passage. ``aliases`` are other names that the
    texts say are its own: acronyms, short names of documents. ``roles`` are those of a party to contracts.
    ``score``, 0 to 1, is how surely it is a thing with a name (``engine/language/entities.py``).
    """

    id: str
    name: str
    kind: EntityKind
    language: str = "und"
    definitions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    score: float = 1.0
