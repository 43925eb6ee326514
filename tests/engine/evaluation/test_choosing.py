"""Which of a set's questions are asked."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.evaluation import Question
from engine.evaluation.questions import choose_questions, spread_evenly


def of(number: int) -> list[Question]:
    return [Question(str(each), "", {}) for each in range(number)]


@given(st.integers(1, 300), st.integers(1, 100))
def test_spread_evenly_and_each_once(held: int, wanted: int) -> None:
    numbers = [int(question.id) for question in spread_evenly(of(held), wanted)]
    assert len(numbers) == len(set(numbers)) == min(held, wanted)
    assert numbers == sorted(numbers)
    gaps = {after - before for before, after in pairwise(numbers)}
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_first_ones_every_so_many_and_at_most() -> None:
    assert [q.id for q in choose_questions(of(10), limit=3)] == ["0", "1", "2"]
    assert [q.id for q in choose_questions(of(10), every=4)] == ["0", "4", "8"]
    assert [q.id for q in choose_questions(of(10), every=2, limit=4, most=2)] == ["0", "4"]
    assert len(choose_questions(of(10))) == 10


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"every": -1}, {"most": 0}])
def test_less_than_one_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match=f"--{next(iter(wrong))}: must be at least 1"):
        choose_questions(of(3), **wrong)
