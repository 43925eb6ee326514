"""Which units a brief is made of: those that serve the question best and say something new.

Greedy maximal marginal relevance (Carbonell and Goldstein 1998): each choice is worth what it holds of the
question, times the rank of its passage, less what it repeats; each area of the question that has evidence is
served before one is served twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.answers.units import Unit, is_head, word_count
from engine.investigation.asked import Asked
from engine.investigation.wanted import holds
from engine.language.analyzer import analyzer

# A brief is read in half a minute, at five words a second.
LONGEST_BRIEF = 150
MOST_UNITS = 6
# What a unit is worth for standing in its passage, whatever its own words are.
OF_PASSAGE = 0.6
# Words that stand in the headings above a unit count less than its own.
IN_HEADINGS = 0.5
REPETITION = 0.25
# What a unit is worth more that holds the kind of quantity which the question asks for.
WANTED = 0.25
# What a unit adds for words of the question that no chosen one holds.
NEWS = 0.2
# A unit worth less than this share of the best is left out; one that serves an area not yet served may be
# worth less.
FLOOR, AREA_FLOOR = 0.6, 0.5
# Words of units that are the same to this share say the same.
SAME = 0.8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit with the worth of its passage, 0..1 (1 is the best of the ranking), and the areas it is
    evidence of, the closest first."""

    unit: Unit
    prior: float
    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    candidate: Candidate
    terms: frozenset[str]
    held: NDArray[np.float32]
    words: int
    worth: float


def chosen(candidates: Iterable[Candidate], asked: Asked, areas: Sequence[str]) -> list[Candidate]:
    """The candidates of a brief, best first; at least one where there are any."""
    read = _best_of_passages(_read(candidate, asked) for candidate in candidates)
    taken: list[_Read] = []
    served: set[str] = set()
    open_areas = [area for area in areas if any(area in one.candidate.areas for one in read)]
    while read and len(taken) < MOST_UNITS:
        room = LONGEST_BRIEF - sum(one.words for one in taken)
        fitting = [one for one in read if not taken or one.words <= room]
        waiting = {area for area in open_areas if area not in served}
        best = _next(fitting, taken, waiting, asked)
        if best is None:
            break
        taken.append(best)
        served.update(best.candidate.areas)
        read = [one for one in read if one is not best and not _says_the_same(one, taken)]
    return [one.candidate for one in taken]


def _best_of_passages(read: Iterable[_Read]) -> list[_Read]:
    """Of each passage the unit that serves the question best: another passage says more than a second one."""
    best: dict[int, _Read] = {}
    for one in read:
        known = best.get(one.candidate.unit.main)
        if known is None or one.worth > known.worth:
            best[one.candidate.unit.main] = one
    return list(best.values())


def _read(candidate: Candidate, asked: Asked) -> _Read:
    unit = candidate.unit
    passage = unit.pieces[-1].passage
    reader = analyzer(passage.language)
    terms = frozenset(reader.terms(unit.text))
    above = asked.held(reader.terms(" ".join(passage.headings)))
    held = np.maximum(asked.held(terms).astype(np.float32), IN_HEADINGS * above).astype(np.float32)
    worth = candidate.prior * (OF_PASSAGE + (1.0 - OF_PASSAGE) * float(asked.weights @ held))
    if holds(unit.text, passage.language, asked.wanted):
        worth *= 1.0 + WANTED
    return _Read(candidate, terms, held, word_count(unit.text), worth)


def _next(read: Sequence[_Read], taken: Sequence[_Read], waiting: set[str], asked: Asked) -> _Read | None:
    """The best next one: of an area that waits, if it is good enough, else of all."""
    best_worth = max((one.worth for one in (*taken, *read)), default=0.0)
    scored = [(_gain(one, taken, asked), -place, one) for place, one in enumerate(read)]
    if not taken:
        return max(scored, key=lambda item: item[:2])[2] if scored else None
    for floor, among in (
        (AREA_FLOOR, [item for item in scored if waiting.intersection(item[2].candidate.areas)]),
        (FLOOR, scored),
    ):
        good = [item for item in among if item[2].worth >= floor * best_worth]
        if good:
            return max(good, key=lambda item: item[:2])[2]
    return None


def _gain(one: _Read, taken: Sequence[_Read], asked: Asked) -> float:
    """What a unit adds to those taken."""
    if not taken:
        return one.worth
    before = np.max([other.held for other in taken], axis=0)
    news = float(asked.weights @ np.maximum(one.held - before, 0.0))
    repeats = max(_likeness(one.terms, other.terms) for other in taken)
    return one.worth * (1.0 - REPETITION * repeats) + NEWS * one.candidate.prior * news


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _says_the_same(one: _Read, taken: Sequence[_Read]) -> bool:
    return any(_likeness(one.terms, other.terms) >= SAME for other in taken) or any(
        _overlap(one.candidate.unit, other.candidate.unit) for other in taken
    )


def _overlap(one: Unit, other: Unit) -> bool:
    """Whether two units share words of the source; items of one list share its head."""
    pieces = [piece for piece in one.pieces if len(one.pieces) == 1 or not is_head(piece.text)]
    return any(
        piece.row == taken.row and piece.span.start < taken.span.end and taken.span.start < piece.span.end
        for piece in pieces
        for taken in other.pieces
    )
