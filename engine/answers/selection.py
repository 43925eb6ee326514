"""Which units a brief is made of: first the one that answers, then those that serve the question as well and
say something new.

What a unit is worth is a weighted sum of how its passage ranks and of what unit, passage and heading hold of
the question (``WEIGHTS``, fitted by conditional logistic regression on which passage is gold, see "The brief"
in benchmarks/RESULTS.md). What is added behind the first is chosen greedily, by maximal marginal relevance
(Carbonell and Goldstein 1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.answers.relevance import TELLING, Asks, Bearing, Held, departs, gives, gives_in_row, measures
from engine.answers.units import Unit, is_head, word_count
from engine.language.analysis import analyzer

# A brief is read in half a minute, at five words a second.
LONGEST_BRIEF = 150
MOST_UNITS = 4
# What a unit is worth for: the rank of its passage, its own words, its words and those of its headings, its
# pairs of words, the words and the pairs of the passage around it, how far the heading is about nothing else,
# and for standing first in its provision.
WEIGHTS = {
    "rank": 0.35,
    "own": 0.16,
    "headed": 0.16,
    "pairs": 0.20,
    "around": 0.08,
    "near": 0.15,
    "focus": 0.15,
    "first": 0.04,
}
# Words alone rank provisions less well than vectors do: there the heading says more.
BY_WORDS = {**WEIGHTS, "rank": 0.2, "focus": 0.2}
# A unit of more words than so many loses a little for each more.
LONG, LONGER = 45, 0.0008
# What a unit is worth more for each tenth that its passage's vector is nearer to the question's than half.
MEANING, HALF = 0.02, 0.5
# A unit surely answers that is worth so much more than those of all other provisions, less where it gives the
# kind of answer that is asked for: by meaning and words, and by words alone. It bears so much of a question;
# one that bears less than ``CLOSE`` is not even close to it. Which passage is gold told how much
# (benchmarks/RESULTS.md, "The brief").
SURE, SURE_OF_KIND = (0.09, 0.15), (0.05, 0.09)
SURE_BEARS, CLOSE = 0.3, 0.2
# What a named provision says comes first where it is worth so much of what answers.
NEAR_BEST = 0.97
# What a unit is worth less that begins as a departure from a rule, and more that gives the kind of answer in
# figures.
DEPARTURE, FIGURES = 0.06, 0.04
# What a unit is worth more under a heading that is about what is asked and nothing else.
EXACT, ALL_OF_IT = 0.05, 0.95
# What a row of a table is worth more for each word of its first cell that the question has as it is printed.
CELL = 0.05
# An earlier sentence of the same provision is the rule that a later one builds on where it gives the kind of
# answer too and bears so much of what that bears; else where it bears and is worth these shares of it, and
# the heading is so far about nothing else.
RULE, AS_GOOD, NEARLY, GOVERNED = 0.5, 0.85, 0.75, 0.6
# What is added behind the first is worth so much of it and bears so much of what it bears.
FLOOR, AS_MUCH = 0.85, 0.8
REPETITION = 0.25
# What a unit adds for words of the question that no chosen one holds.
NEWS = 0.2
# Words of units that are the same to this share say the same.
SAME = 0.8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit with the worth of its passage, 0..1 (1 is the best of the ranking), the areas it is evidence of,
    the closest first, how many units stand before it in its passage, the words of that passage, and how near
    its vector is to that of the question (cosine), where that is known."""

    unit: Unit
    prior: float
    areas: tuple[str, ...] = ()
    place: int = 0
    around: str = ""
    near: float | None = None

    @property
    def provision(self) -> tuple[str, str]:
        """What the unit is a part of: the document and the number of its provision, else its passage."""
        passage = self.unit.pieces[-1].passage
        return passage.document_id, passage.number or passage.id


@dataclass(frozen=True, slots=True)
class Read:
    """A candidate, compared with the question. ``bears`` is how much of it unit and headings hold, ``gives``
    which of the kinds of answers that it asks for."""

    candidate: Candidate
    terms: frozenset[str]
    held: Held
    words: int
    worth: float
    bears: float
    gives: frozenset[Asks]
    focus: float = 0.0
    figures: bool = False
    cells: int = 0


def read(candidates: Iterable[Candidate], bearing: Bearing, kinds: frozenset[Asks]) -> list[Read]:
    """Candidates, compared with the question."""
    return [_read(candidate, bearing, kinds) for candidate in candidates]


def _read(candidate: Candidate, bearing: Bearing, kinds: frozenset[Asks]) -> Read:
    unit = candidate.unit
    passage = unit.pieces[-1].passage
    reader = analyzer(passage.language)
    terms, around = reader.terms(unit.text), reader.terms(candidate.around)
    heading = reader.terms(" ".join(passage.headings))
    above = bearing.held(heading)
    held = bearing.held(terms)
    headed = np.maximum(held, above)
    bears, focus = float(bearing.weights @ headed), bearing.focus(passage)
    by_words = candidate.near is None
    parts = {
        "rank": candidate.prior,
        # Under a heading that names it, a sentence need not repeat what it is about.
        "own": max(float(bearing.weights @ held), bears * focus),
        "headed": bears,
        "pairs": bearing.pairs(terms),
        "around": bearing.share((*heading, *around)),
        "near": bearing.pairs((*heading, *around)),
        "focus": focus,
        "first": 1.0 / (1 + candidate.place),
    }
    words = word_count(unit.text)
    worth = sum(
        (BY_WORDS if by_words else WEIGHTS)[name] * value for name, value in parts.items()
    ) - LONGER * max(0, words - LONG)
    given = frozenset(kind for kind in kinds if gives(unit.text, passage.language, kind))
    cells = 0
    if unit.in_table:
        columns, title = unit.pieces[0].text, " ".join(passage.headings[-1:])
        wanted = frozenset(bearing.terms)
        given |= {kind for kind in kinds if gives_in_row(columns, title, passage.language, kind, wanted)}
        cells = bearing.printed(unit.pieces[-1].text.partition("|")[0])
        worth += CELL * cells
    figures = measures(unit.text, passage.language, kinds)
    worth += (
        EXACT * (focus >= ALL_OF_IT) + FIGURES * figures - DEPARTURE * departs(unit.text, passage.language)
    )
    worth += 0.0 if candidate.near is None else 10 * MEANING * (candidate.near - HALF)
    return Read(
        candidate,
        frozenset(terms),
        headed.astype(np.float32),
        words,
        worth,
        bears,
        given,
        focus,
        figures,
        cells,
    )


def with_like_rows(one: Read, units: Iterable[Read]) -> Read:
    """A row of a table together with those that the words of the question do not tell from it; any other unit
    as it is."""
    unit = one.candidate.unit
    if not unit.in_table or len(unit.pieces) < 2:
        return one
    rows = [
        other.candidate.unit.pieces[-1]
        for other in units
        if other.candidate.unit.pieces[0].span == unit.pieces[0].span
        and other.candidate.unit.main == unit.main
        and (other.cells, round(other.bears, 3)) == (one.cells, round(one.bears, 3))
    ]
    joined = replace(unit, pieces=(unit.pieces[0], *rows))
    return replace(one, candidate=replace(one.candidate, unit=joined))


def answering(units: Sequence[Read], kinds: frozenset[Asks]) -> list[Read]:
    """The units that may answer, best first: those that give the kind of answer that is asked for where few
    sentences do, and all where none gives it."""
    telling = kinds & TELLING
    good = [one for one in units if telling & one.gives] if telling else []
    return sorted(good or units, key=lambda one: -(one.worth + 0.02 * len(one.gives - telling)))


def is_sure(one: Read, units: Iterable[Read], kinds: frozenset[Asks]) -> bool:
    """Whether a unit surely answers: it gives the kind of answer that is asked for, and no unit of another
    provision is worth nearly as much. How much a unit is worth by itself tells less: a question in lay words
    shares few of them with the very rule that governs it, and with every other."""
    telling = kinds & TELLING
    if (telling and not telling & one.gives) or one.bears < SURE_BEARS:
        return False
    own = one.candidate.provision
    next_best = max((other.worth for other in units if other.candidate.provision != own), default=0.0)
    needed = (SURE_OF_KIND if telling else SURE)[one.candidate.near is None]
    return one.worth - next_best >= needed


def rule_before(one: Read, units: Sequence[Read], kinds: frozenset[Asks]) -> Read | None:
    """The earlier unit of the same provision that states the rule which a unit varies or goes on with."""
    telling = kinds & TELLING
    for other in sorted(units, key=lambda unit: unit.candidate.place):
        candidate = other.candidate
        if candidate.provision != one.candidate.provision or candidate.place >= one.candidate.place:
            continue
        if overlap(candidate.unit, one.candidate.unit) or (telling and not telling & other.gives):
            continue
        if telling and other.figures >= one.figures and other.bears >= RULE * one.bears:
            return other
        if telling:
            continue
        as_good = other.bears >= AS_GOOD * one.bears and other.worth >= NEARLY * one.worth
        if as_good and one.focus >= GOVERNED:
            return other
    return None


def added(first: Sequence[Read], others: Sequence[Read], bearing: Bearing) -> list[Read]:
    """The units to be told behind the first ones, best first: of each passage one, as good as the first,
    and none that says what was said."""
    if not first:
        return []
    taken = list(first)
    left = _best_of_passages([one for one in others if one not in taken])
    worth, bears = first[0].worth, first[0].bears
    left = [one for one in left if one.worth >= FLOOR * worth and one.bears >= AS_MUCH * bears]
    while left and len(taken) < MOST_UNITS:
        room = LONGEST_BRIEF - sum(one.words for one in taken)
        left = [one for one in left if one.words <= room and not _says_the_same(one, taken)]
        if not left:
            break
        best = max(left, key=lambda one: _gain(one, taken, bearing))
        taken.append(best)
        left.remove(best)
    return taken[len(first) :]


def _best_of_passages(units: Sequence[Read]) -> list[Read]:
    """Of each passage the unit that serves the question best: another passage says more than a second one."""
    best: dict[int, Read] = {}
    for one in units:
        known = best.get(one.candidate.unit.main)
        if known is None or one.worth > known.worth:
            best[one.candidate.unit.main] = one
    return list(best.values())


def _gain(one: Read, taken: Sequence[Read], bearing: Bearing) -> float:
    """What a unit adds to those taken."""
    before = np.max([other.held for other in taken], axis=0)
    news = float(bearing.weights @ np.maximum(one.held - before, 0.0))
    repeats = max(_likeness(one.terms, other.terms) for other in taken)
    return one.worth * (1.0 - REPETITION * repeats) + NEWS * one.candidate.prior * news


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _says_the_same(one: Read, taken: Sequence[Read]) -> bool:
    return any(_likeness(one.terms, other.terms) >= SAME for other in taken) or any(
        overlap(one.candidate.unit, other.candidate.unit) for other in taken
    )


def overlap(one: Unit, other: Unit) -> bool:
    """Whether two units share words of the source; items of one list share its head."""
    pieces = [piece for piece in one.pieces if len(one.pieces) == 1 or not is_head(piece.text)]
    return any(
        piece.row == taken.row and piece.span.start < taken.span.end and taken.span.start < piece.span.end
        for piece in pieces
        for taken in other.pieces
    )
