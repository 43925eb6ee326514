"""Parse the statement of a sentence: content words, quantities, modality and negation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from engine import languages
from engine.language.analysis import analyzer
from engine.language.characters import without_note_calls
from engine.language.references import find_mentions
from engine.language.statements.lexicon import Lexicon, group_of, lexicon
from engine.language.statements.quantities import Quantity, quantities_in
from engine.model import Span

# Number of content words after a negation or a modal verb that it affects.
REACH = 3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_CLAUSE = re.compile(r"[;:.!?]|,\s+(?:but|and|or|sofern|wenn|dass|aber|tetapi|mais|ولكن)\b")


class Modality(StrEnum):
    """The modality of an act in a sentence."""

    MUST = "must"
    MUST_NOT = "must not"
    MAY = "may"
    NEED_NOT = "need not"
    ONLY = "only if"
    NONE = "states"


@dataclass(frozen=True, slots=True)
class Term:
    """A content word: its stem, for comparison, and its span."""

    stem: str
    span: Span
    word: str


@dataclass(frozen=True, slots=True)
class Modal:
    """A modality with the stems of the words it governs."""

    modality: Modality
    governs: frozenset[str]
    span: Span


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, read.

    ``denied``: stems under a negation; ``heads``: those directly next to it. ``sides``: sides of antonym
    pairs, with the words. ``times``: stems after "before" (-1) and "after" (1). ``exempt``: stems in an
    exception ("unless ...").
    """

    text: str
    language: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    modals: tuple[Modal, ...]
    denied: frozenset[str]
    heads: frozenset[str]
    sides: tuple[tuple[int, int, str], ...]
    times: tuple[tuple[str, int], ...]
    exempt: frozenset[str] = frozenset()

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the content words."""
        return frozenset(term.stem for term in self.terms)


def read(text: str, language: str, citations: Iterable[Span] | None = None) -> Statement:
    """Read a sentence. ``citations``: spans of its references; found if None."""
    language = language.split("-")[0].lower()
    return _read(text, language) if citations is None else _stated(text, language, list(citations))


# Consecutive questions use the same sentences.
@lru_cache(maxsize=2048)
def _read(text: str, language: str) -> Statement:
    mentions = find_mentions(text, language)
    return _stated(text, language, [one.span for one in mentions if one.targets and not one.bare])


def _stated(text: str, language: str, spans: list[Span]) -> Statement:
    words, text = lexicon(language), without_note_calls(text)
    quantities = quantities_in(text, language, spans)
    modal = [*words.modal.finditer(text)]
    signs = (words.cues[name] for name in ("not", "except", "only"))
    cues = [Span(match.start(), match.end()) for sign in signs for match in sign.finditer(text)]
    verbs = [Span(match.start(), match.end()) for match in modal]
    passed = [*spans, *(quantity.span for quantity in quantities), *verbs, *cues]
    terms = _terms(text, language, passed, words)
    bounds = [Span(match.start(), match.end()) for match in words.bound.finditer(text)]
    # "May not exceed 30" limits a quantity and forbids nothing; "no later than" negates nothing.
    modals = _modals(text, modal, terms, words, [*spans, *bounds])
    denied, heads = _denied(text, terms, words, [*bounds, *verbs])
    return Statement(
        text,
        language,
        terms,
        quantities,
        modals,
        denied,
        heads,
        _sides(text, language, terms, words, denied),
        _times(text, terms, words),
        _exempt(text, terms, words),
    )


def _terms(text: str, language: str, passed: list[Span], words: Lexicon) -> tuple[Term, ...]:
    reader = analyzer(language)
    found = []
    for match in _WORD.finditer(text):
        span = Span(match.start(), match.end())
        if match[0].isdigit() or any(span.start < o.end and o.start < span.end for o in passed):
            continue
        # "Principal's": the ending is not part of the word.
        plain = re.sub(r"['’]s\Z", "", match[0])
        found += [
            Term(words.meanings.get(stem, stem), span, match[0])
            for stem in reader.terms_of_word(plain)
            if len(stem) > 1 or not stem.isalpha()
        ]
    return tuple(found)


def _clause(text: str, span: Span) -> Span:
    """Return the clause of a span."""
    start, end = 0, len(text)
    for match in _CLAUSE.finditer(text):
        if match.end() <= span.start:
            start = match.end()
        elif match.start() >= span.end:
            end = match.start()
            break
    return Span(start, end)


def _governed(text: str, span: Span, terms: tuple[Term, ...], words: Lexicon) -> frozenset[str]:
    """Return the stems of the content words that a cue affects: those after it; in German its whole
    clause."""
    clause = _clause(text, span)
    inside = [term for term in terms if clause.start <= term.span.start < clause.end]
    if languages.words(words.language).verb_last:
        return frozenset(term.stem for term in inside)
    behind = [term for term in inside if term.span.start >= span.end]
    return frozenset(term.stem for term in behind[:REACH])


def _modals(
    text: str, matches: list[re.Match[str]], terms: tuple[Term, ...], words: Lexicon, citations: list[Span]
) -> tuple[Modal, ...]:
    found = []
    for match in matches:
        span = Span(match.start(), match.end())
        if any(span.start < other.end and other.start < span.end for other in citations):
            continue
        modality = Modality(group_of(match).replace("_", " "))
        clause = _clause(text, span)
        modality = _narrowed(modality, text, span, clause, words)
        found.append(Modal(modality, _governed(text, span, terms, words), span))
    return tuple(found)


def _narrowed(modality: Modality, text: str, span: Span, clause: Span, words: Lexicon) -> Modality:
    """Convert "may only" and "may not ... unless" to permission under a condition."""
    if modality is Modality.MAY and words.cues["only"].search(text, clause.start, clause.end):
        return Modality.ONLY
    if modality is Modality.MUST_NOT and words.cues["except"].search(text, span.end):
        return Modality.ONLY
    return modality


def _denied(
    text: str, terms: tuple[Term, ...], words: Lexicon, passed: list[Span]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems under a plain negation, and those directly next to it.

    The negation of a modal verb belongs to the modality.
    """
    found: set[str] = set()
    heads: set[str] = set()
    for match in words.cues["not"].finditer(text):
        span = Span(match.start(), match.end())
        if any(span.start < other.end and other.start < span.end for other in passed):
            continue
        clause = _clause(text, span)
        inside = [term for term in terms if clause.start <= term.span.start < clause.end]
        behind = [term.stem for term in inside if term.span.start >= span.end][:REACH]
        before = [term.stem for term in inside if term.span.end <= span.start][-REACH:]
        found.update(behind)
        heads.update(behind[:1])
        if languages.words(words.language).verb_last:
            found.update(before)
            heads.update(before[-1:])
    return frozenset(found), frozenset(heads)


def _exempt(text: str, terms: tuple[Term, ...], words: Lexicon) -> frozenset[str]:
    """Return the stems after "unless", which are neither stated nor denied."""
    found: set[str] = set()
    for match in words.cues["except"].finditer(text):
        clause = _clause(text, Span(match.start(), match.end()))
        found.update(t.stem for t in terms if match.end() <= t.span.start < clause.end)
    return frozenset(found)


def _sides(
    text: str, language: str, terms: tuple[Term, ...], words: Lexicon, denied: frozenset[str]
) -> tuple[tuple[int, int, str], ...]:
    reader = analyzer(language)
    found = []
    for match in _WORD.finditer(text):
        stem = reader.stem(match[0])
        for pair, side in words.sides.get(stem, ()):
            own = words.meanings.get(stem, stem)
            flipped = 1 - side if own in denied and side < 2 else side
            found.append((pair, flipped, match[0]))
    return tuple(found)


def _times(text: str, terms: tuple[Term, ...], words: Lexicon) -> tuple[tuple[str, int], ...]:
    found = []
    for name, sign in (("before", -1), ("after", 1)):
        for match in words.cues[name].finditer(text):
            behind = next((term for term in terms if term.span.start >= match.end()), None)
            if behind is not None and behind.span.start - match.end() < 24:
                found.append((behind.stem, sign))
    return tuple(found)
