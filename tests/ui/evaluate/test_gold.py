"""Which of a set's questions are asked."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation import Question
from ui.evaluate.gold import sample_questions, spread


@given(st.integers(1, 300), st.integers(1, 100))
def test_spread_evenly_and_each_once(held: int, wanted: int) -> None:
    questions = [Question(str(number), "", {}) for number in range(held)]
    chosen = spread(questions, wanted)
    numbers = [int(question.id) for question in chosen]
    assert len(numbers) == len(set(numbers)) == min(held, wanted)
    assert numbers == sorted(numbers)
    gaps = {after - before for before, after in itertools.pairwise(numbers)}
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_the_sample_has_its_questions() -> None:
    assert len(sample_questions()) >= 40
