"""Sub-questions by the structure of a question: its parts, the sides it compares, its clauses."""

from __future__ import annotations

import re

from engine.language.analyzer import analyzer
from engine.retrieval.planning.words import words_of

# A part of fewer terms ("and why?") says too little to be searched on its own.
SHORTEST_PART = 3
MOST_PARTS = 4
# A name of more words is a clause: the two sides of a comparison are shorter.
LONGEST_SIDE = 16

# Where any question falls into parts: sentence ends and semicolons.
_END = re.compile(r"(?<=[.?!;؟؛。？；])\s+|(?<=[。？；])")
_MARKS = " -–•.?!؟。？,،，:;"


def parts(text: str, language: str) -> list[str]:
    """The parts of a question that asks several things; empty where it asks one."""
    border = words_of(language).border
    sentences = [piece for piece in _END.split(text) if piece]
    pieces = [part for piece in sentences for part in (border.split(piece) if border else (piece,))]
    pieces = [piece.strip(" -–•") for piece in pieces if piece and piece.strip()]
    terms = analyzer(language).batch(pieces)
    long_enough = [piece for piece, words in zip(pieces, terms, strict=True) if len(words) >= SHORTEST_PART]
    return long_enough[:MOST_PARTS] if len(long_enough) > 1 else []


def sides(text: str, language: str) -> list[str]:
    """One question for each side of a comparison: the side and the frame both share; empty without one."""
    for pattern in words_of(language).compare:
        match = pattern.fullmatch(text.strip(_MARKS))
        if match is None:
            continue
        named = match.groupdict()
        frame = (named.get("frame") or "").strip(_MARKS)
        pair = [(named[side] or "").strip(_MARKS) for side in ("a", "b")]
        if not all(_says_something(side, language) and len(side.split()) <= LONGEST_SIDE for side in pair):
            continue
        before = "frame" in pattern.groupindex and match.start("frame") < match.start("a")
        return [f"{frame} {side}".strip() if before else f"{side} {frame}".strip() for side in pair]
    return []


def clauses(text: str, language: str) -> list[str]:
    """The inner clause of a question about something that must be found first, and the outer one."""
    for pattern in words_of(language).clauses:
        match = pattern.fullmatch(text.strip(_MARKS))
        if match is None:
            continue
        inner, outer = match["inner"].strip(_MARKS), match["outer"].strip(_MARKS)
        if len(analyzer(language).terms(inner)) >= 2 and _says_something(outer, language):
            return [inner, outer]
    return []


def _says_something(text: str, language: str) -> bool:
    return bool(analyzer(language).terms(text))
