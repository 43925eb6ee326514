"""Read the content words, quantities and modal verbs of a sentence, and compare the quantities of two."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from engine.language.analysis import analyzer
from engine.language.characters import without_note_calls
from engine.language.references import find_mentions
from engine.language.statements.lexicon import Lexicon, lexicon
from engine.language.statements.quantities import Bound, Kind, Quantity, quantities_in
from engine.model import Span

# Number of content words on each side of a quantity to compare, and the lead in shared words by which another
# quantity of the sentence is the corresponding one.
COMPANY, CLEAR_LEAD = 4, 2
_PLACE = "place "
_BORDER = re.compile(r"[,;،؛]\s")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Term:
    """A content word: its stem, for comparison, and its span."""

    stem: str
    span: Span
    word: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, read. ``modals`` are the spans of its modal verbs."""

    text: str
    language: str
    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    modals: tuple[Span, ...]

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


def _stated(text: str, language: str, citations: list[Span]) -> Statement:
    words, text = lexicon(language), without_note_calls(text)
    quantities = quantities_in(text, language, citations)
    verbs = [Span(*match.span()) for match in words.modal.finditer(text)]
    signs = (words.cues[name] for name in ("not", "except", "only"))
    cues = [Span(*match.span()) for sign in signs for match in sign.finditer(text)]
    passed = [*citations, *(quantity.span for quantity in quantities), *verbs, *cues]
    # "May not exceed 30" limits a quantity.
    limits = [*citations, *(Span(*match.span()) for match in words.bound.finditer(text))]
    modals = tuple(verb for verb in verbs if not _overlaps(verb, limits))
    return Statement(text, language, _terms(text, language, passed, words), quantities, modals)


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)


def _terms(text: str, language: str, passed: list[Span], words: Lexicon) -> tuple[Term, ...]:
    reader = analyzer(language)
    found = []
    for match in _WORD.finditer(text):
        span = Span(match.start(), match.end())
        if match[0].isdigit() or _overlaps(span, passed):
            continue
        # "Principal's": the ending is not part of the word.
        plain = re.sub(r"['’]s\Z", "", match[0])
        found += [
            Term(words.meanings.get(stem, stem), span, match[0])
            for stem in reader.terms_of_word(plain)
            if len(stem) > 1 or not stem.isalpha()
        ]
    return tuple(found)


class Match(StrEnum):
    """Result of comparing a claim's quantity with the sentence."""

    EQUAL = "equal"
    DIFFERENT = "different"
    BOUND = "other bound"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Pairing:
    """A quantity of a sentence and its counterpart in another one."""

    claim: Quantity
    source: Quantity | None
    match: Match


def pair_quantities(claim: Statement, sentence: Statement) -> tuple[Pairing, ...]:
    """Return the counterpart of each quantity of a claim in a sentence."""
    return tuple(_pair(quantity, claim, sentence) for quantity in claim.quantities)


def _pair(quantity: Quantity, claim: Statement, sentence: Statement) -> Pairing:
    """Choose the sentence's quantity for a quantity of the claim: an equal one, or the one with most common
    context."""
    others = [other for other in sentence.quantities if quantity.comparable(other)]
    if quantity.kind is Kind.YEAR:
        within = [
            other
            for other in sentence.quantities
            if other.kind is Kind.DATE and date.fromordinal(int(other.value)).year == quantity.value
        ]
        if within:
            return Pairing(quantity, within[0], Match.EQUAL)
    if not others:
        return Pairing(quantity, None, Match.ABSENT)
    near = _company(quantity, claim)
    likeness = {other: _weight(near & _company(other, sentence)) for other in others}
    best = max(others, key=lambda other: (likeness[other], quantity.same_as(other)))
    equal = [other for other in others if quantity.same_as(other)]
    if not equal:
        return Pairing(quantity, best, Match.DIFFERENT)
    closest = max(equal, key=lambda other: likeness[other])
    # Of several comparable quantities the claim means the one with the same surrounding words.
    with_best, with_closest = (near & _company(other, sentence) for other in (best, closest))
    leads = likeness[best] - likeness[closest] >= CLEAR_LEAD or with_closest < with_best
    if leads and not quantity.place and not any(map(best.same_as, claim.quantities)):
        return Pairing(quantity, best, Match.DIFFERENT)
    # An upper and a lower limit differ; a missing limit is no difference.
    if {quantity.bound, closest.bound} == {Bound.UPPER, Bound.LOWER}:
        return Pairing(quantity, closest, Match.BOUND)
    return Pairing(quantity, closest, Match.EQUAL)


def _company(quantity: Quantity, statement: Statement) -> frozenset[str]:
    """Return the content words around a quantity, up to a comma or the next quantity of its kind.

    Positions in time ("the second year") are included and end only the context of other positions.
    """
    rivals = [
        other.span
        for other in statement.quantities
        if other is not quantity and other.kind is quantity.kind and other.place == quantity.place
    ]
    start, end = quantity.span.start, quantity.span.end
    commas = [match.start() for match in _BORDER.finditer(statement.text)]
    left = max(
        [*(span.end for span in rivals if span.end <= start), *(c for c in commas if c < start)], default=0
    )
    whole = len(statement.text)
    right = min(
        [*(span.start for span in rivals if span.start >= end), *(c for c in commas if c >= end)],
        default=whole,
    )
    before = [term for term in statement.terms if left <= term.span.start and term.span.end <= start]
    behind = [term for term in statement.terms if end <= term.span.start and term.span.end <= right]
    places = [
        f"{_PLACE}{other.value:g} {other.unit}"
        for other in statement.quantities
        if other.place and other is not quantity and left <= other.span.start < right
    ]
    return frozenset([*places, *(term.stem for term in (*before[-COMPANY:], *behind[:COMPANY]))])


def _weight(company: frozenset[str]) -> int:
    return sum(2 if one.startswith(_PLACE) else 1 for one in company)
