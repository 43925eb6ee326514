"""A question prepared for search: intent, constraints, views."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from engine.model.documents import Relation, Year, stored


class Intent(StrEnum):
    """The kind of answer that a question requests."""

    LOOKUP = "lookup"
    EXPLORATORY = "exploratory"
    COMPARATIVE = "comparative"
    MULTI_HOP = "multi_hop"
    CHANGES = "changes"


@stored
@dataclass(frozen=True, slots=True)
class View:
    """A view of the question: its words, and the retrievers that read it.

    ``name`` is its kind: literal, part, side, clause, register, acronym, terms, feedback, gap, or own (the
    user's); ``origin`` is the source of its words. ``weight`` scales its list in the fusion. ``dense`` is
    false for a list of words, which has no meaning to embed.
    """

    name: str
    text: str
    weight: float = 1.0
    dense: bool = True
    enabled: bool = True
    origin: str = ""


class DepthKind(StrEnum):
    """The depth of a question: named provisions and one hop, the measured default, or full settings."""

    LOOK_UP = "look-up"
    USUAL = "usual"
    DEEP = "deep"


@stored
@dataclass(frozen=True, slots=True)
class Depth:
    """The depth of a question, with the ``reason`` in words."""

    kind: DepthKind
    reason: str = ""


@stored
@dataclass(frozen=True, slots=True)
class Transaction:
    """The type of transaction of a question, by its id in the ontology, None for none.

    ``proposed``: it was derived from the question, not chosen; ``strength`` is its clarity, 0..1.
    """

    id: str | None
    proposed: bool = False
    strength: float = 1.0


@stored
@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints of a question.

    On passages: phrases they must or must not contain, documents by name, type, language and year (bounds
    included), the day on which they must be in force. On the case: its depth, and the type of transaction,
    "none" for none.
    """

    must_include: tuple[str, ...] = ()
    must_exclude: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    year_from: Year | None = None
    year_to: Year | None = None
    as_of: date | None = None
    depth: DepthKind | None = None
    transaction: str | None = None


@stored
@dataclass(frozen=True, slots=True)
class Suggestion:
    """A constraint that the question's prose may mean; it is shown and not applied.

    ``kind`` is a field of ``Constraints``, ``value`` its possible value, ``words`` the words of the question
    that suggest it.
    """

    kind: str
    value: str
    words: str = ""


class Naming(StrEnum):
    """The result of looking up a provision named in a question.

    It was found, is ambiguous, is missing in its document, or its document is not in the corpus.
    """

    FOUND = "found"
    SEVERAL = "several"
    MISSING = "missing"
    UNKNOWN = "unknown"


@stored
@dataclass(frozen=True, slots=True)
class Choice:
    """A provision that may be meant: its first passage and its label."""

    passage_id: str
    label: str = ""


@stored
@dataclass(frozen=True, slots=True)
class NamedProvision:
    """A provision that a question names by its number, in its own ``words``.

    With a defining ``relation`` it is the definition of a term in the question. ``passage_ids`` are its
    passages in reading order. ``choices``: the candidates if it is ambiguous, the nearest provisions if it is
    missing. ``leads``: its passages come first in the ranking. ``note`` is a remark for the user.
    """

    words: str
    status: Naming
    passage_ids: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    leads: bool = False
    note: str = ""
    relation: Relation = Relation.CITES


@stored
@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The plan of a search.

    ``references`` are provisions named in the question, as written, ``named`` the same in the corpus.
    ``focus`` are ids of documents whose own text it requests ("what does the Agency Code say on notice?").
    ``depth`` is None if the settings decide it. ``evidence`` are the words that determined the intent.
    ``document_types`` and ``document_ids`` are those of the corpus that its prose names. ``edited``: a user
    changed it.
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
