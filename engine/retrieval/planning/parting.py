"""The parts of a question that asks several things, each to be understood by itself.

A question falls apart between its sentences, and behind a joint ("and") where a question of its own begins
("who may waive it?"). What is told before anything is asked stands in front of every part. A pronoun of a
later part gets what it stands for in brackets, "what does it (the Mooring Order) supersede?", by the patterns
of its language and nothing else; where they leave it open, the part stays with the one before. No word but
the joints is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.ingestion.structure.segmentation import sentence_starts
from engine.language.analysis import analyzer
from engine.retrieval.planning.words import MARKS, Referring, Words, compared, term_asked, words_of

# A later part of fewer terms ("and why?") says too little to be searched on its own, unless it asks for the
# meaning of a term, or has one of two in common with the first.
SHORTEST_PART = 3
# With fewer words behind it a question word is not asked alone: "how and when", "in what cases and how".
FEWEST_WORDS = 2
MOST_PARTS = 5
# A subject of more characters is a clause.
LONGEST_SUBJECT = 120

_TOLD = re.compile(r"[.。!！][\s\"'”’»)）\]]*\Z")
# The same once more in other words: "... ? (...?)", "... ?/...?".
_RESTATED = re.compile(r"\s*[/(（]")
_OPENING, _CLOSING = "([{（「『《«“„", ")]}）」』》»”“"
# From here on characters are as wide as high, and so are their brackets.
_WIDE = "\u3000"
_BLANKS = " \t\n/-–•"


@dataclass(slots=True)
class _Piece:
    """A stretch of the question that asks something, what was told before it, and its words as a part."""

    start: int
    end: int
    told: tuple[str, ...]
    words: str


def parts(text: str, language: str) -> list[str]:
    """The parts of a question that asks several things, at most five; empty where it asks one."""
    words = words_of(language)
    found: list[_Piece] = []
    for piece in _pieces(text, language, words):
        alone = piece.words
        if len(found) == MOST_PARTS:
            found[-1].words += text[found[-1].end :].rstrip(_BLANKS)
            break
        if found:
            first = text[found[0].start : found[0].end]
            known = _understood(alone, first, language, words, told=bool(piece.told))
            if known is None:
                last = found[-1]
                last.words = (last.words + text[last.end : piece.end]).strip(_BLANKS)
                last.end = piece.end
                continue
            alone = known
        piece.words = alone
        found.append(piece)
    return [_alone(piece) for piece in found] if len(found) > 1 else []


def told_and_asked(text: str, language: str) -> tuple[str, str] | None:
    """What a question tells first, and what it asks then; None where it tells nothing."""
    first = next(_pieces(text, language, words_of(language)), None)
    if first is None or not first.told:
        return None
    return " ".join(one for one in first.told if one), text[first.start :].strip(_BLANKS)


def _alone(piece: _Piece) -> str:
    """A part behind what was told before it."""
    if piece.told and _TOLD.search(piece.told[-1]):
        return " ".join((*piece.told, piece.words[:1].upper() + piece.words[1:]))
    return " ".join((*piece.told, piece.words))


def _pieces(text: str, language: str, words: Words) -> Iterator[_Piece]:
    """What the sentences of a question ask, piece by piece; the first of them says something."""
    told: list[str] = []
    waiting: _Piece | None = None
    for start, end in _sentences(text, language):
        sentence = text[start:end].strip(_BLANKS)
        states = _TOLD.search(sentence) and not any(one.search(sentence) for one in words.requests)
        asks = not states and _begins_to_ask(sentence, words) and not _RESTATED.match(text[start:end])
        if waiting is not None and not asks:
            said = text[waiting.start : end].rstrip(_BLANKS)
            waiting.end, waiting.words = waiting.start + len(said), said.lstrip(_BLANKS)
            continue
        if states:
            told.append(sentence)
            continue
        frame = _frame(sentence, words)
        for first, last in _cut(text, start, end, words):
            before = (*told, frame) if frame and first > start else tuple(told)
            if waiting is not None:
                if analyzer(language).terms(waiting.words):
                    yield waiting
                else:
                    first, before = waiting.start, waiting.told
            said = text[first:last].rstrip(_BLANKS)
            waiting = _Piece(first, first + len(said), before, said.lstrip(_BLANKS))
    if waiting is not None:
        yield waiting


def _sentences(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a question stand; none ends inside brackets."""
    starts = [at for at in sentence_starts(text, language) if not _inside(text, at)]
    yield from pairwise((*starts, len(text)))


def _cut(text: str, start: int, end: int, words: Words) -> Iterator[tuple[int, int]]:
    """A sentence cut at its joints, where both sides ask something."""
    if words.border is not None:
        for match in words.border.finditer(text, start, end):
            before = text[start : match.start()].strip(_BLANKS)
            if _inside(text, match.start()) or not _begins_to_ask(before, words):
                continue
            if _asks_nothing_yet(before, words):
                continue
            if _goes_on(before, text[match.end() : end], words):
                continue
            yield start, match.start()
            start = match.end()
    yield start, end


def _frame(sentence: str, words: Words) -> str:
    """What a sentence says before it begins to ask, and means for all that it asks: "If the agent dies,"."""
    found = [match for pattern in words.asks if (match := pattern.search(sentence)) is not None]
    first = min(found, key=lambda match: match.start(), default=None)
    if first is None or not sentence[first.start() :].startswith((",", "，", "،")):
        return ""
    return sentence[: first.start() + 1]


def _inside(text: str, at: int) -> bool:
    """Whether a place stands inside brackets or quotes that close behind it."""
    for opening, closing in zip(_OPENING, _CLOSING, strict=True):
        if text.count(opening, 0, at) > text.count(closing, 0, at) and closing in text[at:]:
            return True
    return text.count('"', 0, at) % 2 == 1 and '"' in text[at:]


def _begins_to_ask(piece: str, words: Words) -> bool:
    return any(pattern.search(piece) for pattern in words.asks)


def _asks_nothing_yet(piece: str, words: Words) -> bool:
    """Whether a piece is a question word alone, or one with a noun: "how", "in what cases"."""
    found = [match for pattern in words.asks if (match := pattern.search(piece)) is not None]
    behind = min((piece[match.end() :] for match in found), key=len, default=piece)
    return piece[-1:] < _WIDE and len(behind.split()) < FEWEST_WORDS


def _goes_on(before: str, behind: str, words: Words) -> bool:
    """Whether what stands behind a joint only goes on with a clause of what stands before it: "firms which
    hold money and which lend it", "when and by which body"."""
    last = before.rpartition(" ")[2]
    if any(pattern.fullmatch(last) for pattern in words.relatives):
        return True
    for pattern in words.relatives:
        match = pattern.match(behind)
        if match is not None and re.search(rf"(?<=\w)\s{re.escape(match[0])}\b", before, re.IGNORECASE):
            return True
    return False


def _understood(piece: str, first: str, language: str, words: Words, *, told: bool) -> str | None:
    """A later part with what its pronouns stand for; None where it cannot be understood without the rest.
    ``told``: something stands in front of it."""
    for referring in words.refers:
        if referring.implied and told:
            continue
        for match in referring.pronoun.finditer(piece):
            if referring.own is not None and referring.own.search(piece[: match.start()]):
                continue
            subject = _subject(first, language, referring)
            return None if subject is None else _with(piece, match.end(), subject)
    terms = analyzer(language).terms(piece)
    if len(terms) < words.short:
        subjects = (_subject(first, language, referring) for referring in words.refers)
        subject = next((one for one in subjects if one), None)
        if subject is not None:
            return _with(piece, len(piece.rstrip(MARKS)), subject)
    if len(terms) >= (1 if told else SHORTEST_PART) or term_asked(piece.strip(MARKS), language):
        return piece
    shared = not set(terms).isdisjoint(analyzer(language).terms(first))
    return piece if shared and len(terms) > 1 else None


def _with(piece: str, at: int, subject: str) -> str:
    """A part with what is meant in brackets behind a place, as its script writes them."""
    if subject.casefold() in piece.casefold():
        return piece
    wide = subject[:1] >= _WIDE
    return f"{piece[:at]}（{subject}）{piece[at:]}" if wide else f"{piece[:at]} ({subject}){piece[at:]}"


def _subject(first: str, language: str, referring: Referring) -> str | None:
    """What the first part is about, as a pronoun takes it up."""
    both = compared(first, language)
    if both is not None and not both.before:
        return " / ".join(both.pair) if referring.several else None
    for pattern in referring.subjects:
        match = pattern.search(first.strip(MARKS))
        subject = match["subject"].strip(MARKS) if match is not None else ""
        if analyzer(language).terms(subject) and len(subject) <= LONGEST_SUBJECT:
            return subject
    return None
