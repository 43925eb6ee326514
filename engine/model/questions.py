"""A question as it is searched: what it asks, what it requires, the views it is seen by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from engine.model.documents import Relation


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


class DepthKind(StrEnum):
    """How deep a question goes: what it names and one hop, as has proved enough, as the settings allow."""

    LOOK_UP = "look-up"
    USUAL = "usual"
    DEEP = "deep"


@dataclass(frozen=True, slots=True)
class Depth:
    """How deep a question goes, and the ``reason`` in words."""

    kind: DepthKind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Transaction:
    """The type of transaction that a question is about, by its id in the ontology, None for none.

    ``proposed``: its own words told it, nobody chose; ``strength`` how clearly, 0..1.
    """

    id: str | None
    proposed: bool = False
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a question constraints of every passage: phrases it must or must not hold, documents by name,
    type, language and year (bounds included), the day on which it must be in force; and of the case: how
    deep it goes, and the type of transaction, "none" for none."""

    must_include: tuple[str, ...] = ()
    must_exclude: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    year_from: int | None = None
    year_to: int | None = None
    as_of: date | None = None
    depth: DepthKind | None = None
    transaction: str | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A constraint that the question's prose may mean; it is shown and not applied.

    ``kind`` is the field of ``Constraints``, ``value`` what would stand there, ``words`` the words of
    the question that told it.
    """

    kind: str
    value: str
    words: str


class Naming(StrEnum):
    """What became of a provision that a question names: found, one of several, not in its document, or of a
    document that the corpus has not."""

    FOUND = "found"
    SEVERAL = "several"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Choice:
    """A provision that may be meant: its first passage, and what it is called."""

    passage_id: str
    label: str


@dataclass(frozen=True, slots=True)
class NamedProvision:
    """A provision that a question names by its number, in the question's own ``words``; or, by a ``relation``
    that defines, the passages that define the term which it asks for.

    ``passage_ids`` is what it names, in reading order. ``choices``: which provisions it may be where there
    are several, the nearest ones where there is none. ``leads``: its passages stand first in the ranking.
    ``note`` says what a person should know of it.
    """

    words: str
    status: Naming
    passage_ids: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    leads: bool = False
    note: str = ""
    relation: Relation = Relation.CITES


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The question seen several ways; ``references`` are provisions that the question itself names, as it
    writes them, ``named`` what they are in the corpus.

    ``focus`` are ids of documents whose own text it asks for ("what does the Agency Code say on notice?").
    ``depth``: how deep it goes, None where the settings say it.
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
    named: tuple[NamedProvision, ...] = ()
    focus: tuple[str, ...] = ()
    depth: Depth | None = None
