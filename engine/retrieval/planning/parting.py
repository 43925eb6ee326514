"""Split a question that asks several things into parts that can each be understood alone.

A question is split between its sentences, and after a conjunction ("and") before another question ("who may
waive it?"). Statements before the first question (the background) are repeated before each part. A pronoun of
a later part gets its referent in brackets, "what does it (the Mooring Order) supersede?", by the patterns of
its language; if they do not decide it, the part stays with the previous one. Only conjunctions are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.ingestion.structure.segmentation import sentence_starts
from engine.language.analysis import analyzer
from engine.retrieval.planning.words import MARKS, Referring, Words, compared, term_asked, words_of

# A later part of fewer terms ("and why?") is too short to be searched alone, unless it asks for the meaning
# of a term, or shares one of two terms with the first part.
SHORTEST_PART = 3
# A question word needs this many words after it to be a question: "how and when", "in what cases and how".
FEWEST_WORDS = 2
MOST_PARTS = 5
# A longer subject, in characters, is a clause.
LONGEST_SUBJECT = 120

_STATEMENT_END = re.compile(r"[.。!！][\s\"'”’»)）\]]*\Z")
# A restatement: "... ? (...?)", "... ?/...?".
_RESTATED = re.compile(r"\s*[/(（]")
_OPENING, _CLOSING = "([{（「『《«“„", ")]}）」』》»”“"
# From here on characters have full width, and so have their brackets.
_WIDE = "\u3000"
_BLANKS = " \t\n/-–•"


@dataclass(slots=True)
class _Piece:
    """A span of the question that asks something, the background before it, and its words as a part."""

    start: int
    end: int
    background: tuple[str, ...]
    words: str


def parts(text: str, language: str) -> list[str]:
    """Return the parts of a question that asks several things, at most five; empty if it asks one."""
    words = words_of(language)
    found: list[_Piece] = []
    for piece in _pieces(text, language, words):
        if len(found) == MOST_PARTS:
            found[-1].words += text[found[-1].end :].rstrip(_BLANKS)
            break
        if found:
            first = text[found[0].start : found[0].end]
            resolved = _resolve_pronouns(
                piece.words, first, language, words, has_background=bool(piece.background)
            )
            if resolved is None:
                last = found[-1]
                last.words = (last.words + text[last.end : piece.end]).strip(_BLANKS)
                last.end = piece.end
                continue
            piece.words = resolved
        found.append(piece)
    return [_with_background(piece) for piece in found] if len(found) > 1 else []


def split_background(text: str, language: str) -> tuple[str, str] | None:
    """Split a question into background and question; None without background."""
    first = next(_pieces(text, language, words_of(language)), None)
    if first is None or not first.background:
        return None
    return " ".join(filter(None, first.background)), text[first.start :].strip(_BLANKS)


def _with_background(piece: _Piece) -> str:
    """Return a part after its background."""
    if piece.background and _STATEMENT_END.search(piece.background[-1]):
        return " ".join((*piece.background, piece.words[:1].upper() + piece.words[1:]))
    return " ".join((*piece.background, piece.words))


def _pieces(text: str, language: str, words: Words) -> Iterator[_Piece]:
    """Yield what the sentences of a question ask, piece by piece; each has index terms."""
    background: list[str] = []
    waiting: _Piece | None = None
    for start, end in _sentences(text, language):
        sentence = text[start:end].strip(_BLANKS)
        is_request = any(pattern.search(sentence) for pattern in words.requests)
        states = _STATEMENT_END.search(sentence) and not is_request
        asks = not states and _asks(sentence, words) and not _RESTATED.match(text[start:end])
        if waiting is not None and not asks:
            span = text[waiting.start : end].rstrip(_BLANKS)
            waiting.end, waiting.words = waiting.start + len(span), span.lstrip(_BLANKS)
            continue
        if states:
            background.append(sentence)
            continue
        frame = _frame(sentence, words)
        for first, last in _cut(text, start, end, words):
            before = (*background, frame) if frame and first > start else tuple(background)
            if waiting is not None:
                if analyzer(language).terms(waiting.words):
                    yield waiting
                else:
                    first, before = waiting.start, waiting.background
            span = text[first:last].rstrip(_BLANKS)
            waiting = _Piece(first, first + len(span), before, span.lstrip(_BLANKS))
    if waiting is not None:
        yield waiting


def _sentences(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a question's sentences; none ends inside brackets."""
    starts = [at for at in sentence_starts(text, language) if not _is_enclosed(text, at)]
    yield from pairwise((*starts, len(text)))


def _cut(text: str, start: int, end: int, words: Words) -> Iterator[tuple[int, int]]:
    """Cut a sentence at conjunctions between two questions and yield the spans."""
    if words.border is not None:
        for match in words.border.finditer(text, start, end):
            before = text[start : match.start()].strip(_BLANKS)
            if _is_enclosed(text, match.start()) or not _asks(before, words):
                continue
            if _is_bare_question_word(before, words):
                continue
            if _continues_clause(before, text[match.end() : end], words):
                continue
            yield start, match.start()
            start = match.end()
    yield start, end


def _frame(sentence: str, words: Words) -> str:
    """Return the clause before a sentence's question, which applies to all it asks: "If the agent dies,"."""
    found = [match for pattern in words.asks if (match := pattern.search(sentence)) is not None]
    first = min(found, key=lambda match: match.start(), default=None)
    if first is None or not sentence[first.start() :].startswith((",", "，", "،")):
        return ""
    return sentence[: first.start() + 1]


def _is_enclosed(text: str, at: int) -> bool:
    """Return whether a position is inside brackets or quotes that close after it."""
    for opening, closing in zip(_OPENING, _CLOSING, strict=True):
        if text.count(opening, 0, at) > text.count(closing, 0, at) and closing in text[at:]:
            return True
    return text.count('"', 0, at) % 2 == 1 and '"' in text[at:]


def _asks(piece: str, words: Words) -> bool:
    return any(pattern.search(piece) for pattern in words.asks)


def _is_bare_question_word(piece: str, words: Words) -> bool:
    """Return whether a piece is only a question word, or one with a noun: "how", "in what cases"."""
    found = [match for pattern in words.asks if (match := pattern.search(piece)) is not None]
    rest = min((piece[match.end() :] for match in found), key=len, default=piece)
    return piece[-1:] < _WIDE and len(rest.split()) < FEWEST_WORDS


def _continues_clause(before: str, after: str, words: Words) -> bool:
    """Return whether the words after a conjunction continue a clause before it.

    For example "firms which hold money and which lend it", "when and by which body".
    """
    last = before.rpartition(" ")[2]
    if any(pattern.fullmatch(last) for pattern in words.relatives):
        return True
    for pattern in words.relatives:
        match = pattern.match(after)
        if match is not None and re.search(rf"(?<=\w)\s{re.escape(match[0])}\b", before, re.IGNORECASE):
            return True
    return False


def _resolve_pronouns(
    piece: str, first: str, language: str, words: Words, *, has_background: bool
) -> str | None:
    """Add the referents of a later part's pronouns; None if it cannot be understood without the rest."""
    for referring in words.refers:
        if referring.implied and has_background:
            continue
        for match in referring.pronoun.finditer(piece):
            if referring.own is not None and referring.own.search(piece[: match.start()]):
                continue
            subject = _subject(first, language, referring)
            return None if subject is None else _insert(piece, match.end(), subject)
    terms = analyzer(language).terms(piece)
    if len(terms) < words.short:
        subjects = (_subject(first, language, referring) for referring in words.refers)
        subject = next(filter(None, subjects), None)
        if subject is not None:
            return _insert(piece, len(piece.rstrip(MARKS)), subject)
    if len(terms) >= (1 if has_background else SHORTEST_PART) or term_asked(piece.strip(MARKS), language):
        return piece
    shared = not set(terms).isdisjoint(analyzer(language).terms(first))
    return piece if shared and len(terms) > 1 else None


def _insert(piece: str, at: int, subject: str) -> str:
    """Insert a subject in brackets at a position, in the width of its script."""
    if subject.casefold() in piece.casefold():
        return piece
    wide = subject[:1] >= _WIDE
    return f"{piece[:at]}（{subject}）{piece[at:]}" if wide else f"{piece[:at]} ({subject}){piece[at:]}"


def _subject(first: str, language: str, referring: Referring) -> str | None:
    """Return the subject of the first part that a pronoun refers to."""
    both = compared(first, language)
    if both is not None and not both.before:
        return " / ".join(both.pair) if referring.several else None
    for pattern in referring.subjects:
        match = pattern.search(first.strip(MARKS))
        subject = match["subject"].strip(MARKS) if match is not None else ""
        if analyzer(language).terms(subject) and len(subject) <= LONGEST_SUBJECT:
            return subject
    return None
