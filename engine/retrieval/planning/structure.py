"""Sub-questions by the structure of a question: the sides it compares, its clauses. Parts: ``parting.py``."""

from __future__ import annotations

from typing import NamedTuple

from engine.language.analysis import analyzer
from engine.retrieval.planning.words import words_of

# A name of more words is a clause: the two sides of a comparison are shorter.
LONGEST_SIDE = 16

MARKS = " -–•.?!؟。？,،，:;"


class Compared(NamedTuple):
    """Two things that a question compares, the frame in which it does, and whether that comes first."""

    pair: tuple[str, str]
    frame: str
    before: bool


def compared(text: str, language: str) -> Compared | None:
    """What a question compares; None where it compares nothing."""
    for pattern in words_of(language).compare:
        match = pattern.fullmatch(text.strip(MARKS))
        if match is None:
            continue
        named = match.groupdict()
        frame = (named.get("frame") or "").strip(MARKS)
        pair = ((named["a"] or "").strip(MARKS), (named["b"] or "").strip(MARKS))
        if not all(_says_something(side, language) and len(side.split()) <= LONGEST_SIDE for side in pair):
            continue
        before = bool(named.get("frame")) and match.start("frame") < match.start("a")
        return Compared(pair, frame, before)
    return None


def sides(text: str, language: str) -> list[str]:
    """One question for each side of a comparison: the side and the frame both share; empty without one."""
    found = compared(text, language)
    if found is None:
        return []
    pair, frame, before = found
    return [f"{frame} {side}".strip() if before else f"{side} {frame}".strip() for side in pair]


def clauses(text: str, language: str) -> list[str]:
    """The inner clause of a question about something that must be found first, and the outer one."""
    for pattern in words_of(language).clauses:
        match = pattern.fullmatch(text.strip(MARKS))
        if match is None:
            continue
        inner, outer = match["inner"].strip(MARKS), match["outer"].strip(MARKS)
        if len(analyzer(language).terms(inner)) >= 2 and _says_something(outer, language):
            return [inner, outer]
    return []


def _says_something(text: str, language: str) -> bool:
    return bool(analyzer(language).terms(text))
