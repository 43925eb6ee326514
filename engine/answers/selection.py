"""Choose the units of a brief: the one that answers, then units that serve the question as well and add to
it.

A unit's score is a weighted sum of its passage's rank and of the question's words in unit, passage and
heading (``WEIGHTS``, fitted by conditional logistic regression on the gold passages, see "The brief" in
benchmarks/RESULTS.md). Additions are chosen greedily by maximal marginal relevance (Carbonell and Goldstein
1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.answers.relevance import (
    SPECIFIC,
    Asks,
    QuestionMatcher,
    WordShares,
    answers_modal,
    gives,
    gives_in_row,
    kinds_elsewhere,
    measures,
    modals_in,
    opens_with_condition,
    without_names,
)
from engine.answers.units import Unit, is_head, word_count
from engine.language.analysis import analyzer
from engine.model import SectionKind

# A brief is read in half a minute, at five words a second.
LONGEST_BRIEF = 150
MOST_UNITS = 4
# Weights of the features of a unit: rank of its passage; question words in the unit; in unit and headings;
# pairs of words in the unit; words and pairs in the passage around it; focus of the heading on the question;
# first position in its provision.
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
# Words alone rank provisions less well than vectors do, so the heading counts more.
BY_WORDS = {**WEIGHTS, "rank": 0.2, "focus": 0.2}
# Each word above LONG lowers the score by LONGER.
LONG, LONGER = 45, 0.0008
# Words of a sentence that is about the two words of a question that it has.
SHORT_SENTENCE = 25
# Added to the score for each tenth of cosine similarity above HALF.
MEANING, HALF = 0.02, 0.5
# Required lead over the best unit of any other provision, smaller if the unit gives the kind of answer that
# is asked for: (with vectors, with words alone). Then the required share of the question, and the share below
# which a unit is not even close. Fitted on the gold passages (benchmarks/RESULTS.md, "The brief").
SURE, SURE_OF_KIND = (0.09, 0.15), (0.05, 0.09)
SURE_COVERAGE, CLOSE = 0.3, 0.2
# A question for yes or no depends on each of its words.
NEARLY_ALL = 0.65
# Recitals and preambles give reasons; a provision answers.
INTRODUCTORY = (SectionKind.RECITAL, SectionKind.PREAMBLE)
# A sentence with this share of the question needs no lead.
STATED = 0.9
# A named provision comes first if its score reaches this share of the answer's.
NEAR_BEST = 0.97
# Subtracted for a unit that begins as a departure or with another case; added for an answer in figures.
DEPARTURE, FIGURES = 0.06, 0.04
# Added for each general kind of answer that is asked for.
OF_KIND = 0.06
# Added under a heading whose focus on the question is at least ALL_OF_IT.
EXACT, ALL_OF_IT = 0.05, 0.95
# Added for each word of a table row's first cell that the question prints identically.
CELL = 0.05
# An earlier sentence of the provision is the rule that a later one builds on if it gives the kind of answer
# and covers RULE of the later one's share; else if it reaches AS_GOOD of its share and NEARLY of its score
# under a heading with focus GOVERNED.
RULE, AS_GOOD, NEARLY, GOVERNED = 0.5, 0.85, 0.75, 0.6
# Share of what a sentence has of the question that is in its condition if it presupposes what is asked.
PRESUPPOSED = 0.4
# Minimum score and minimum question coverage of additions, relative to the first unit.
FLOOR, AS_MUCH = 0.85, 0.8
REPETITION = 0.25
# Weight of question words that no chosen unit has.
NEWS = 0.2
# Units whose words overlap by this share are duplicates.
SAME = 0.8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit with the score of its passage, 0..1 (1 is the best of the ranking), the areas it is evidence of
    (closest first), its index in the passage, the words of the passage, and its vector's cosine similarity to
    the question (None if unknown). ``of_parties``: a clause of a contract that the question does not name."""

    unit: Unit
    prior: float
    areas: tuple[str, ...] = ()
    place: int = 0
    around: str = ""
    near: float | None = None
    of_parties: bool = False

    @property
    def provision(self) -> tuple[str, str]:
        """The document and number of the unit's provision, else its document and passage."""
        passage = self.unit.pieces[-1].passage
        return passage.document_id, passage.number or passage.id


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate compared with the question. ``coverage`` is the share of the question in unit and headings,
    ``gives`` the kinds of answers asked for that it gives; ``own`` is the share in the unit alone.
    ``permits``: its modal verbs answer those of the question. ``elsewhere``: it leaves the answer to
    another provision."""

    candidate: Candidate
    terms: frozenset[str]
    word_shares: WordShares
    words: int
    worth: float
    coverage: float
    gives: frozenset[Asks]
    focus: float = 0.0
    figures: bool = False
    cells: int = 0
    own: float = 0.0
    permits: bool = True
    elsewhere: bool = False


def compare_units(
    candidates: Iterable[Candidate], bearing: QuestionMatcher, kinds: frozenset[Asks]
) -> list[Compared]:
    """Compare candidates with the question."""
    return [_read(candidate, bearing, kinds) for candidate in candidates]


def _read(candidate: Candidate, bearing: QuestionMatcher, kinds: frozenset[Asks]) -> Compared:
    unit = candidate.unit
    passage = unit.pieces[-1].passage
    reader = analyzer(passage.language)
    terms, around = reader.terms(without_names(unit.text, passage.language)), reader.terms(candidate.around)
    heading = reader.terms(" ".join(passage.headings))
    of_heading = bearing.word_shares(heading)
    word_shares = bearing.word_shares(terms)
    headed = np.maximum(word_shares, of_heading)
    coverage, focus = float(bearing.weights @ headed), bearing.focus(passage)
    by_words = candidate.near is None
    parts = {
        "rank": candidate.prior,
        # Under a heading that names its subject, a sentence need not repeat it.
        "own": max(float(bearing.weights @ word_shares), coverage * focus),
        "headed": coverage,
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
    kinds_given = frozenset(kind for kind in kinds if gives(unit.text, passage.language, kind))
    elsewhere = kinds_elsewhere(unit.text, passage.language, kinds) - kinds_given
    kinds_given |= elsewhere
    given = modals_in(unit.text, passage.language)
    permits = answers_modal(bearing.modals, given)
    if not permits:
        kinds_given -= {Asks.WHETHER}
    presupposes = Asks.WHEN in kinds and _presupposes(unit.text, passage.language, bearing)
    if presupposes:
        kinds_given -= {Asks.WHEN}
    if Asks.CONSEQUENCE in kinds and _presupposes(unit.text, passage.language, bearing):
        kinds_given |= {Asks.CONSEQUENCE}
    cells = 0
    if unit.in_table:
        columns, title = unit.pieces[0].text, " ".join(passage.headings[-1:])
        question_terms = frozenset(bearing.terms)
        kinds_given |= {
            kind for kind in kinds if gives_in_row(columns, title, passage.language, kind, question_terms)
        }
        cells = bearing.printed(unit.pieces[-1].text.partition("|")[0])
        worth += CELL * cells
    figures = measures(unit.text, passage.language, kinds)
    worth += (
        EXACT * (focus >= ALL_OF_IT)
        + FIGURES * figures
        - DEPARTURE * bearing.is_special_case(unit.text, passage.language)
        - DEPARTURE * (not permits)
        - 2 * DEPARTURE * presupposes
        - 2 * DEPARTURE * (passage.kind in INTRODUCTORY)
        - 3 * DEPARTURE * candidate.of_parties
    )
    worth += 0.0 if candidate.near is None else 10 * MEANING * (candidate.near - HALF)
    return Compared(
        candidate,
        frozenset(terms),
        headed.astype(np.float32),
        words,
        worth,
        coverage,
        kinds_given,
        focus,
        figures,
        cells,
        float(bearing.weights @ word_shares),
        permits and (bearing.modals != {"may"} or _grants(given, kinds)),
        bool(elsewhere),
    )


def _grants(given: frozenset[str], kinds: frozenset[Asks]) -> bool:
    """True if a sentence with some modal verbs answers who may do something, or whether it is allowed."""
    return "may" in given if Asks.WHO in kinds else bool(given) or Asks.WHETHER not in kinds


def _presupposes(text: str, language: str, bearing: QuestionMatcher) -> bool:
    """True if a sentence begins with a condition that has much of the question, and its last word.

    "When this Act enters into force, ..." does not answer when it does, but what happens then.
    """
    condition, reader = opens_with_condition(text, language), analyzer(language)
    shares = bearing.word_shares(reader.terms(condition))
    asked = np.flatnonzero(bearing.weights)
    if not condition or not len(asked) or not shares[asked[-1]]:
        return False
    whole = bearing.share(reader.terms(without_names(text, language)))
    return float(bearing.weights @ shares) >= PRESUPPOSED * whole


def join_equal_rows(one: Compared, units: Iterable[Compared]) -> Compared:
    """Join a table row with the rows that the question's words do not distinguish from it; return any other
    unit unchanged."""
    unit = one.candidate.unit
    if not unit.in_table or len(unit.pieces) < 2:
        return one
    rows = [
        other.candidate.unit.pieces[-1]
        for other in units
        if other.candidate.unit.pieces[0].span == unit.pieces[0].span
        and other.candidate.unit.main == unit.main
        and (other.cells, round(other.coverage, 3)) == (one.cells, round(one.coverage, 3))
    ]
    joined = replace(unit, pieces=(unit.pieces[0], *rows))
    return replace(one, candidate=replace(one.candidate, unit=joined))


def rank_answers(units: Sequence[Compared], kinds: frozenset[Asks]) -> list[Compared]:
    """Return the units that may answer, best first: those that give the specific kind of answer asked for, or
    all if none does."""
    specific = kinds & SPECIFIC
    good = [one for one in units if specific & one.gives] if specific else []
    if Asks.LIMIT in kinds:
        most = max((len(specific & one.gives) for one in good), default=0)
        good = [one for one in good if len(specific & one.gives) == most]
    return sorted(good or units, key=lambda one: -(one.worth + OF_KIND * len(one.gives - specific)))


def is_sure(one: Compared, units: Iterable[Compared], kinds: frozenset[Asks]) -> bool:
    """True if a unit surely answers: it gives the kind of answer asked for and leads all other provisions.

    The lead is more telling than the score: a question in lay words shares few words with the rule that
    governs it, as with every other."""
    specific = kinds & SPECIFIC
    if (specific and not specific & one.gives) or one.coverage < SURE_COVERAGE:
        return False
    if {Asks.WHETHER, Asks.WHEN, Asks.CONSEQUENCE} & (kinds - one.gives) or not one.permits:
        return False
    if one.coverage < NEARLY_ALL and Asks.WHETHER in kinds:
        return False
    own, passage = one.candidate.provision, one.candidate.unit.pieces[-1].passage
    if passage.kind in INTRODUCTORY or one.candidate.of_parties:
        return False
    # A figure is asked for: a provision without one is no rival of a sentence that has it.
    rivals = [other for other in units if other.candidate.provision != own]
    if specific and one.figures:
        rivals = [other for other in rivals if other.figures and specific & other.gives]
    next_best = max((other.worth for other in rivals), default=0.0)
    needed = (SURE_OF_KIND if specific else SURE)[one.candidate.near is None]
    lead = one.worth - next_best
    return lead >= needed or (lead >= 0 and _states_question(one, kinds))


def shares_by_chance(one: Compared, bearing: QuestionMatcher) -> bool:
    """True if a unit may have the one or two words of a question by chance: one needs a heading of its own,
    two a heading or a short sentence."""
    asked = int((bearing.weights > 0).sum())
    if asked == 1:
        return one.focus < ALL_OF_IT
    return asked == 2 and one.focus < HALF and one.words > SHORT_SENTENCE


def _states_question(one: Compared, kinds: frozenset[Asks]) -> bool:
    """True if a short sentence of a provision has nearly every word of the question and the answer's kind."""
    head = word_count(one.candidate.unit.pieces[0].text)
    telling = kinds - {Asks.WHO, Asks.CONSEQUENCE}
    return one.own >= STATED and min(head, one.words) <= LONG and bool(telling) and kinds <= one.gives


def rule_before(one: Compared, units: Sequence[Compared], kinds: frozenset[Asks]) -> Compared | None:
    """Return the earlier unit of the same provision that states the rule varied or continued by a unit."""
    specific = kinds & SPECIFIC
    for other in sorted(units, key=lambda unit: unit.candidate.place):
        candidate = other.candidate
        if candidate.provision != one.candidate.provision or candidate.place >= one.candidate.place:
            continue
        if overlap(candidate.unit, one.candidate.unit) or (specific and not specific & other.gives):
            continue
        if specific and other.figures >= one.figures and other.coverage >= RULE * one.coverage:
            return other
        if specific:
            continue
        as_good = other.coverage >= AS_GOOD * one.coverage and other.worth >= NEARLY * one.worth
        if as_good and one.focus >= GOVERNED:
            return other
    return None


def choose_additions(
    first: Sequence[Compared], others: Sequence[Compared], bearing: QuestionMatcher
) -> list[Compared]:
    """Return the units to add to the first ones, best first: at most one a passage, as good as the first, no
    duplicates."""
    if not first:
        return []
    taken = list(first)
    left = _best_of_passages([one for one in others if one not in taken])
    worth, coverage = first[0].worth, first[0].coverage
    left = [one for one in left if one.worth >= FLOOR * worth and one.coverage >= AS_MUCH * coverage]
    while left and len(taken) < MOST_UNITS:
        budget = LONGEST_BRIEF - sum(one.words for one in taken)
        left = [one for one in left if one.words <= budget and not _repeats(one, taken)]
        if not left:
            break
        best = max(left, key=lambda one: _gain(one, taken, bearing))
        taken.append(best)
        left.remove(best)
    return taken[len(first) :]


def _best_of_passages(units: Sequence[Compared]) -> list[Compared]:
    """Return the best unit of each passage: another passage adds more than a second unit of the same."""
    best: dict[int, Compared] = {}
    for one in units:
        current = best.get(one.candidate.unit.main)
        if current is None or one.worth > current.worth:
            best[one.candidate.unit.main] = one
    return list(best.values())


def _gain(one: Compared, taken: Sequence[Compared], bearing: QuestionMatcher) -> float:
    """Return the marginal relevance of a unit next to the chosen ones."""
    before = np.max([other.word_shares for other in taken], axis=0)
    news = float(bearing.weights @ np.maximum(one.word_shares - before, 0.0))
    repeats = max(_likeness(one.terms, other.terms) for other in taken)
    return one.worth * (1.0 - REPETITION * repeats) + NEWS * one.candidate.prior * news


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _repeats(one: Compared, taken: Sequence[Compared]) -> bool:
    return any(_likeness(one.terms, other.terms) >= SAME for other in taken) or any(
        overlap(one.candidate.unit, other.candidate.unit) for other in taken
    )


def overlap(one: Unit, other: Unit) -> bool:
    """True if two units share words of the source; items of one list may share its head."""
    pieces = [piece for piece in one.pieces if len(one.pieces) == 1 or not is_head(piece.text)]
    return any(
        piece.row == taken.row and piece.span.start < taken.span.end and taken.span.start < piece.span.end
        for piece in pieces
        for taken in other.pieces
    )
