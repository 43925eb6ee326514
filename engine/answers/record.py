"""An answer as one object: sentences, what they cite word for word, what contradicts, what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from engine.llm import Usage
from engine.model import Grade, PartEvidence, Span

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
