"""What a claim says otherwise at a place where all else is the same: a number, a limit, a modal verb, a
negation, an opposite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from engine.language.analyzer import analyzer
from engine.language.statements.lexicon import lexicon
from engine.language.statements.pairing import Pairs
from engine.language.statements.quantities import Kind
from engine.language.statements.tokens import Sort, Token


class Change(StrEnum):
    """What a claim says otherwise at a place where all else is the same."""

    NUMBER = "number"
    LIMIT = "limit"
    MODALITY = "modality"
    WEAKER = "weaker"
    NEGATION = "negation"
    OPPOSITE = "opposite"
    JOINT = "and for or"


@dataclass(frozen=True, slots=True)
class Changed:
    """A word of the claim and the one that the source has in its place; None where one has none."""

    change: Change
    claim: Token | None
    source: Token | None


def changes(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: Pairs,
    lost: list[int],
    left: list[int],
    language: str,
) -> tuple[list[Changed], list[int], list[int]]:
    """What the claim has at places where the source has something else of the kind."""
    changed: list[Changed] = []
    lost_here, left_here = set(lost), set(left)
    for own, theirs in gaps(len(claim), len(source), pairs, lost, left):
        for place in own:
            partner = next(
                (p for p in theirs if p in left_here and _rivals(claim[place], source[p], language)), None
            )
            if partner is None:
                continue
            changed.append(Changed(_kind(claim[place], source[partner]), claim[place], source[partner]))
            lost_here.discard(place)
            left_here.discard(partner)
        for place in own:
            if place in lost_here and claim[place].sort is Sort.NOT:
                changed.append(Changed(Change.NEGATION, claim[place], None))
                lost_here.discard(place)
        for place in theirs:
            if place in left_here and source[place].sort is Sort.NOT and _is_inside(theirs, pairs):
                changed.append(Changed(Change.NEGATION, None, source[place]))
                left_here.discard(place)
    return changed, sorted(lost_here), sorted(left_here)


def _is_inside(theirs: Sequence[int], pairs: Pairs) -> bool:
    """Whether a gap of the source lies between words of the claim, not in front of them or behind."""
    inside = pairs.of_claim.values()
    return bool(inside) and min(inside) < theirs[0] < max(inside)


def gaps(
    claims: int, sources: int, pairs: Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """What is unmatched between two matched words on either side."""
    anchors = [(-1, -1)]
    anchors += sorted((own, theirs) for own, theirs in pairs.of_claim.items() if own not in pairs.moved)
    anchors.append((claims, sources))
    for (own, theirs), (own_next, theirs_next) in pairwise(anchors):
        here = [place for place in lost if own < place < own_next]
        there = [place for place in left if theirs < place < theirs_next]
        if here or there:
            yield here, there


def instead(
    claim: Sequence[Token], source: Sequence[Token], pairs: Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[Token, Token]]:
    """What the source has where the claim has words that it lacks."""
    for own, theirs in gaps(len(claim), len(source), pairs, lost, left):
        mine = [claim[place] for place in own if claim[place].sort is Sort.CONTENT]
        other = [source[place] for place in theirs if source[place].sort is Sort.CONTENT]
        if mine and other:
            yield mine[0], other[0]


def _rivals(own: Token, theirs: Token, language: str) -> bool:
    """Whether one stands in the place of the other."""
    if own.sort is not theirs.sort:
        return False
    if own.sort is Sort.NUMBER:
        if own.quantity is None or theirs.quantity is None:
            return own.quantity is theirs.quantity
        return own.quantity.comparable(theirs.quantity)
    if own.sort in (Sort.MODAL, Sort.LIMIT):
        return True
    return own.sort is Sort.CONTENT and _opposed(own, theirs, language)


def _opposed(own: Token, theirs: Token, language: str) -> bool:
    words = lexicon(language)
    if words.language != language:
        return False
    stem = analyzer(language).stem
    one = dict(words.sides.get(stem(own.word), ()))
    other = dict(words.sides.get(stem(theirs.word), ()))
    return any(pair in other and other[pair] != side for pair, side in one.items())


_OPPOSITE = (
    {"must", "must_not"},
    {"may", "must_not"},
    {"must", "need_not"},
)


def _kind(own: Token, theirs: Token) -> Change:
    if own.sort is Sort.NUMBER:
        counts = own.quantity is not None and own.quantity.kind in (Kind.COUNT, Kind.YEAR)
        return Change.WEAKER if counts and own.quantity and own.quantity.kind is Kind.YEAR else Change.NUMBER
    if own.sort is Sort.LIMIT:
        return Change.LIMIT
    if own.sort is Sort.MODAL:
        return Change.MODALITY if {own.key, theirs.key} in _OPPOSITE else Change.WEAKER
    return Change.OPPOSITE
