"""Whether a sentence says no more than its quotes: quantities, numbers, negation and opposites.

Deterministic, and one-sided: what is told is a doubt with a name, and no doubt is no proof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.language.script import western_digits
from engine.language.statements import Agreement, Match, compare, read

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """A quote, its language, and how its source is cited: a sentence may name the provision it quotes."""

    words: str
    language: str
    cited: str


def doubts_of(text: str, language: str, quotes: Sequence[Said]) -> tuple[str, ...]:
    """What of a sentence its quotes do not carry, in words; nothing where they carry it as far as can be
    told. Across languages only numbers are compared."""
    claim = read(text, language)
    doubts: list[str] = []
    accounted: list[tuple[int, int]] = []
    same = [quote.words for quote in quotes if quote.language.split("-")[0] == claim.language]
    if same:
        compared = compare(claim, read(" \n ".join(same), language))
        for pairing in compared.quantities:
            if pairing.match is not Match.ABSENT:
                accounted.append((pairing.claim.span.start, pairing.claim.span.end))
            if pairing.match in (Match.DIFFERENT, Match.BOUND):
                doubts.append(f"“{pairing.claim.text}” is not what the quotes say")
            elif pairing.match is Match.ABSENT and not any(map(str.isdigit, pairing.claim.text)):
                doubts.append(f"“{pairing.claim.text}” is not in the quotes")
        if Agreement.OPPOSITE in (compared.modality, compared.polarity) or compared.opposites:
            doubts.append("it denies or turns round what the quotes say")
    printed = set(_NUMBER.findall(western_digits(" ".join(f"{one.words} {one.cited}" for one in quotes))))
    for number in _NUMBER.finditer(western_digits(text)):
        inside = any(start <= number.start() and number.end() <= end for start, end in accounted)
        if not inside and number[0] not in printed:
            doubts.append(f"“{number[0]}” is not in the quotes")
    return tuple(dict.fromkeys(doubts))
