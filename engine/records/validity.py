"""Whether a passage is in force, as a badge of a few words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.language.front_page import STANDARD
from engine.model import EDITION, OUT_OF_FORCE, Document, Passage

_IN_FORCE = frozenset({"in force", "in_force", "inforce", "current", "valid"})


@dataclass(frozen=True, slots=True)
class Badge:
    """``old`` where the passage is not, or not yet, or no longer in force."""

    words: str
    old: bool


def day(when: date) -> str:
    """A date as people write it: 31 Dec 2023."""
    return f"{when.day} {when:%b %Y}"


def badge(passage: Passage, document: Document, today: date) -> Badge | None:
    """The badge of a passage on a day; its own status and dates count before its document's.

    None where neither says anything.
    """
    status = (passage.status or document.status or "").replace("_", " ").strip().lower()
    begin = passage.valid_from or document.valid_from
    end = passage.valid_to or document.valid_to
    if end is not None and end < today:
        return Badge(f"until {day(end)}", True)
    # With a known end the dates tell more: before it, what is repealed by now was in force.
    if status in OUT_OF_FORCE and end is None:
        return Badge(status, True)
    if begin is not None and begin > today:
        return Badge(f"from {day(begin)}", True)
    if end is not None:
        return Badge(f"in force until {day(end)}", False)
    if status in _IN_FORCE or begin is not None:
        return Badge("in force", False)
    return Badge(status, False) if status else None


def edition(document: Document) -> str:
    """Which of its versions or editions a document is: "version 2 of 5", "latest of 5 versions"; empty where
    it is the only one."""
    place, _, count = str(document.metadata.get(EDITION, "")).partition(" of ")
    if not count.isdigit():
        return ""
    word = "edition" if document.type == STANDARD else "version"
    return f"latest of {count} {word}s" if place == count else f"{word} {place} of {count}"
