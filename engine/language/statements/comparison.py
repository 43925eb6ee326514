"""Compare a sentence with a claim: content, quantities, modality, negation, opposites.

A comparison is not a verdict: it reports what agrees and what differs, with numbers. Content agreement is the
share of the claim's content words in the sentence, weighted by rarity, as in the monolingual alignment of
Sultan, Bethard and Sumner (2014, https://aclanthology.org/Q14-1018), with stems and listed synonyms instead
of embeddings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import partial

from engine.language.analysis import analyzer
from engine.language.statements.quantities import Bound, Kind, Quantity
from engine.language.statements.reading import Modal, Modality, Statement

# Number of content words on each side of a quantity to compare, and the lead in shared words by which another
# quantity of the sentence is the corresponding one.
COMPANY, CLEAR_LEAD = 4, 2
_PLACE = "place "
_BORDER = re.compile(r"[,;،؛]\s")

# Rarity of a stem, 0 to 1 or any positive weight; 1 if unknown.
Rarity = Callable[[str], float]


class Match(StrEnum):
    """Result of comparing a claim's quantity with the sentence."""

    EQUAL = "equal"
    DIFFERENT = "different"
    BOUND = "other bound"
    ABSENT = "absent"


class Agreement(StrEnum):
    """Agreement of modality or polarity."""

    SAME = "same"
    WEAKER = "different"
    OPPOSITE = "opposite"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class Pairing:
    """A quantity of the claim and its counterpart in the sentence."""

    claim: Quantity
    source: Quantity | None
    match: Match


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of a comparison.

    ``agreement``: rarity-weighted share of the claim's content in the sentence, 0 to 1. ``coverage``: share
    of the sentence's content in the claim. ``missing``: words of the claim that the sentence lacks.
    ``opposites``: words of both that contradict each other. ``differences``: descriptions of the differences.
    """

    agreement: float
    coverage: float
    shared: tuple[str, ...]
    missing: tuple[str, ...]
    quantities: tuple[Pairing, ...]
    modality: Agreement
    polarity: Agreement
    opposites: tuple[tuple[str, str], ...]
    differences: tuple[str, ...]

    @property
    def equal(self) -> int:
        """Number of quantities of the claim that the sentence also has."""
        return sum(pairing.match is Match.EQUAL for pairing in self.quantities)

    @property
    def different(self) -> int:
        """Number of quantities of the claim that differ in the sentence."""
        return sum(pairing.match in (Match.DIFFERENT, Match.BOUND) for pairing in self.quantities)

    @property
    def absent(self) -> int:
        """Number of quantities of the claim without a counterpart in the sentence."""
        return sum(pairing.match is Match.ABSENT for pairing in self.quantities)

    @property
    def differs(self) -> bool:
        """True if there is a specific difference: a quantity, modality, negation or opposite."""
        return bool(self.different or self.opposites) or Agreement.OPPOSITE in (self.modality, self.polarity)


def compare(claim: Statement, sentence: Statement, rarity: Rarity = lambda stem: 1.0) -> Comparison:
    """Compare a claim with a sentence of any languages; words agree only within one language."""
    stems, theirs = claim.stems, sentence.stems
    weight = {stem: max(rarity(stem), 0.05) for stem in stems | theirs}
    shared = stems & theirs
    agreement = _share(shared, stems, weight)
    coverage = _share(shared, theirs, weight)
    pairings = tuple(_pair(quantity, claim, sentence) for quantity in claim.quantities)
    modality, modals = _modality(claim, sentence)
    polarity, denied = _polarity(claim, sentence)
    opposites = _opposites(claim, sentence)
    differences = [_quantity_words(pairing) for pairing in pairings]
    if modality in (Agreement.OPPOSITE, Agreement.WEAKER) and modals is not None:
        differences.append(_modal_words(*modals))
    if polarity is Agreement.OPPOSITE:
        differences.append(f"one of the two denies it: “{denied}”")
    differences += [f"the source states “{theirs_}”, the claim states “{own}”" for own, theirs_ in opposites]
    missing = tuple(dict.fromkeys(term.word for term in claim.terms if term.stem not in theirs))
    return Comparison(
        agreement,
        coverage,
        tuple(sorted(shared)),
        missing,
        pairings,
        modality,
        polarity,
        opposites,
        tuple(words for words in differences if words),
    )


def _share(shared: frozenset[str], all_of: frozenset[str], weight: dict[str, float]) -> float:
    total = sum(weight[stem] for stem in all_of)
    return sum(weight[stem] for stem in shared) / total if total else 0.0


# Quantities


def _pair(quantity: Quantity, claim: Statement, sentence: Statement) -> Pairing:
    """Choose the sentence's quantity for a quantity of the claim: an equal one, or the one with most common
    context."""
    others = [other for other in sentence.quantities if quantity.comparable(other)]
    if quantity.kind is Kind.YEAR:
        within = [
            other
            for other in sentence.quantities
            if other.kind is Kind.DATE and _year(other) == quantity.value
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
    if _bounds_differ(quantity, closest):
        return Pairing(quantity, closest, Match.BOUND)
    return Pairing(quantity, closest, Match.EQUAL)


def _year(quantity: Quantity) -> float:
    return float(date.fromordinal(int(quantity.value)).year)


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


def _bounds_differ(one: Quantity, other: Quantity) -> bool:
    """Return True for an upper and a lower limit; a missing limit is no difference."""
    return {one.bound, other.bound} == {Bound.UPPER, Bound.LOWER}


def _quantity_words(pairing: Pairing) -> str:
    own, source = pairing.claim, pairing.source
    if pairing.match is Match.DIFFERENT and source is not None:
        return f"the source states {source.text}, the claim states {own.text}"
    if pairing.match is Match.BOUND and source is not None:
        ways = {Bound.UPPER: "at most", Bound.LOWER: "at least"}
        theirs, ours = (f"{ways[one.bound]} {one.text}" for one in (source, own))
        return f"the source states {theirs}, the claim states {ours}"
    return ""


# Modality and negation

_OPPOSITE = {
    frozenset((Modality.MUST, Modality.MUST_NOT)),
    frozenset((Modality.MAY, Modality.MUST_NOT)),
    frozenset((Modality.MUST, Modality.NEED_NOT)),
}
_ALIKE = {
    frozenset((Modality.MUST_NOT, Modality.ONLY)),
    frozenset((Modality.MAY, Modality.NEED_NOT)),
    frozenset((Modality.MUST, Modality.ONLY)),
}


def _modality(claim: Statement, sentence: Statement) -> tuple[Agreement, tuple[Modal, Modal] | None]:
    """Return the worst agreement of the claim's modal verbs with the sentence, and the two verbs.

    Each is compared with the unused one that governs the most similar words; after the first, only with
    common words.
    """
    worst, where = Agreement.UNSAID, None
    if not claim.modals or not sentence.modals:
        return worst, None
    order = (Agreement.UNSAID, Agreement.SAME, Agreement.WEAKER, Agreement.OPPOSITE)
    met: list[Modal] = []
    for own in claim.modals:
        free = [modal for modal in sentence.modals if modal not in met]
        theirs = max(free or sentence.modals, key=partial(_likeness, own))
        if met and not own.governs & theirs.governs:
            continue
        met.append(theirs)
        found = _of_modals(own.modality, theirs.modality)
        if order.index(found) > order.index(worst):
            worst, where = found, (own, theirs)
    return worst, where


def _likeness(own: Modal, other: Modal) -> tuple[int, bool]:
    return len(own.governs & other.governs), own.modality is other.modality


def _of_modals(own: Modality, theirs: Modality) -> Agreement:
    if own is Modality.MUST and theirs is Modality.ONLY:
        return Agreement.WEAKER  # "may, provided that": leave under a condition makes no duty.
    pair = frozenset((own, theirs))
    if len(pair) == 1 or pair in _ALIKE:
        return Agreement.SAME
    return Agreement.OPPOSITE if pair in _OPPOSITE else Agreement.WEAKER


def _modal_words(own: Modal, theirs: Modal) -> str:
    return f"the source states “{theirs.modality}”, the claim states “{own.modality}”"


def _polarity(claim: Statement, sentence: Statement) -> tuple[Agreement, str]:
    """Return whether one statement denies what the other affirms of the same words."""
    own, theirs = _negated(claim), _negated(sentence)
    both = claim.stems & sentence.stems
    open_ended = _opened(claim) | _opened(sentence) | claim.exempt | sentence.exempt
    split = ((own ^ theirs) & both) - open_ended
    agreed = own & theirs & both
    heads = (claim.heads | sentence.heads) & split
    if split and not agreed and (heads or len(split) >= max(1, len(both) // 3)):
        return Agreement.OPPOSITE, ", ".join(sorted(split))
    if agreed or not split:
        return Agreement.SAME, ""
    return Agreement.WEAKER, ""


def _negated(statement: Statement) -> frozenset[str]:
    forbidden = (modal.governs for modal in statement.modals if modal.modality is Modality.MUST_NOT)
    return statement.denied.union(*forbidden)


def _opened(statement: Statement) -> frozenset[str]:
    """Return words that are not simply denied: "not ... unless", "need not"."""
    open_ones = (Modality.ONLY, Modality.NEED_NOT)
    return frozenset().union(*(m.governs for m in statement.modals if m.modality in open_ones))


def _opposites(claim: Statement, sentence: Statement) -> tuple[tuple[str, str], ...]:
    """Return words of an antonym pair if neither text has both sides; also "before" and "after"."""
    found: list[tuple[str, str]] = []
    own, theirs = _by_pair(claim), _by_pair(sentence)
    stem_of = analyzer(claim.language).stem
    for pair in own.keys() & theirs.keys():
        sides, other = own[pair], theirs[pair]
        if len(sides) == 1 and len(other) == 1 and sides.keys() != other.keys():
            own_word, their_word = next(iter(sides.values())), next(iter(other.values()))
            # If the same word is on both sides, one side is negated, which polarity reports.
            if stem_of(own_word) != stem_of(their_word):
                found.append((own_word, their_word))
    times = dict(claim.times)
    words = {-1: "before", 1: "after"}
    for stem, sign in sentence.times:
        if times.get(stem, sign) != sign and (stem, times[stem]) not in sentence.times:
            found.append((words[times[stem]], words[sign]))
    return tuple(dict.fromkeys(found))


def _by_pair(statement: Statement) -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = {}
    for pair, side, word in statement.sides:
        found.setdefault(pair, {})[side] = word
    return found
