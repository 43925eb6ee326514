"""What changed between two days, as values: provisions with both wordings and the amending text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from engine.language.word_diff import Run
from engine.model import Relation


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
