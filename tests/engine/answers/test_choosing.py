"""When a unit surely answers: it gives what is asked for, and nothing else comes near."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.relevance import Asks
from engine.answers.selection import Candidate, Compared, is_sure, rank_answers
from engine.answers.units import Piece, Unit
from engine.model import Passage, Span

NOTHING: frozenset[Asks] = frozenset()
DEADLINE = frozenset({Asks.DEADLINE})
WORTHS = st.floats(0.0, 1.2, allow_nan=False)


def unit(
    number: str,
    worth: float,
    *,
    coverage: float = 0.8,
    near: float | None = 0.7,
    gives: frozenset[Asks] = NOTHING,
) -> Compared:
    passage = Passage(f"act/art-{number}", "act", None, int(number), "A rule.", "en", number=number)
    candidate = Candidate(Unit((Piece(int(number), passage, Span(0, 7)),), int(number)), 1.0, near=near)
    return Compared(candidate, frozenset(), np.zeros(1, np.float32), 2, worth, coverage, gives)


@given(st.lists(WORTHS, min_size=1, max_size=6))
def test_at_most_one_provision_is_sure(worths: list[float]) -> None:
    units = [unit(str(number), worth) for number, worth in enumerate(worths)]
    sure = [one for one in units if is_sure(one, units, NOTHING)]
    assert len(sure) <= 1
    assert all(one.worth == max(worths) for one in sure)


@given(WORTHS, WORTHS)
def test_what_another_provision_says_as_well_is_not_sure(worth: float, other: float) -> None:
    first, second = unit("1", worth), unit("2", other)
    alone = is_sure(first, [first], NOTHING)
    # Another one can only make it less sure; a second sentence of its own provision changes nothing.
    assert not is_sure(first, [first, second], NOTHING) or alone
    assert is_sure(first, [first, unit("1", other)], NOTHING) == alone


def test_what_does_not_give_the_kind_of_answer_is_never_sure() -> None:
    silent, told = unit("1", 1.0), unit("2", 0.5, gives=DEADLINE)
    assert is_sure(silent, [silent, told], NOTHING)
    assert not is_sure(silent, [silent, told], DEADLINE)
    assert rank_answers([silent, told], DEADLINE) == [told]
    assert rank_answers([silent], DEADLINE) == [silent]


def test_what_bears_little_of_the_question_is_never_sure() -> None:
    assert not is_sure(unit("1", 1.0, coverage=0.25), [], NOTHING)


@pytest.mark.parametrize(
    ("worth", "by_meaning", "by_words"), [(0.85, False, False), (0.8, True, False), (0.7, True, True)]
)
def test_words_alone_must_tell_it_more_clearly(worth: float, by_meaning: bool, by_words: bool) -> None:
    other = unit("2", worth)
    assert is_sure(unit("1", 0.9), [other], NOTHING) is by_meaning
    assert is_sure(unit("1", 0.9, near=None), [other], NOTHING) is by_words
