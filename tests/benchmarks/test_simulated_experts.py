"""Played experts: what they say and what it costs, and the learning curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.simulated_experts import Asked, Drawing, Experts, judged
from engine.review.learning.observing import Observed


def pool(size: int) -> Observed:
    """A pool of so many passages, the first ranked best, of which none was judged."""
    return Observed(
        question="?",
        rows=np.arange(size, dtype=np.int32),
        names=(),
        values=np.zeros((0, size), np.float32),
        shipped=-np.arange(size, dtype=np.float32),
        vector=None,
        judged=np.zeros(0, np.intp),
        worth=np.zeros(0, np.float32),
        voices=np.zeros(0, np.float32),
        scan=np.zeros(0, np.intp),
        reached=0.0,
    )


def asked(gold: range, size: int = 2000) -> Asked:
    is_gold = np.isin(np.arange(size), gold)
    return Asked(pool(size), is_gold, tuple(map(str, range(size))), {str(one): 1.0 for one in gold})


def test_who_makes_no_mistake_says_what_is_gold() -> None:
    question = asked(range(10))
    ((seen,), (count,)) = judged([question], Experts(noise=0), Drawing(20, 5))
    assert count == len(seen.judged) == 25
    assert (seen.worth == question.is_gold[seen.judged]).all()
    assert (seen.voices == 1).all()


@pytest.mark.parametrize("gold", [0, 1000])
def test_a_second_looks_at_what_is_called_relevant_and_a_third_settles(gold: int) -> None:
    question = asked(range(gold))
    noise, size = 0.2, 2000
    ((seen,), (count,)) = judged([question], Experts(noise=noise, second=True), Drawing(size, 0))
    first = noise * (size - gold) + (1 - noise) * gold
    differ = noise * (1 - noise) * size
    assert count == pytest.approx(size + first + differ, rel=0.05)
    # Two voices where two agree that it is relevant; who settles counts alone.
    both = noise**2 * (size - gold) + (1 - noise) ** 2 * gold
    assert (seen.voices == 2).sum() == pytest.approx(both, rel=0.25)
    assert (seen.worth[seen.voices == 2] == 1).all()
    wrong = (seen.worth != question.is_gold[seen.judged]).mean()
    assert wrong < noise


def test_fatigue_adds_mistakes() -> None:
    questions = [replace(asked(range(0), 200), gold={}) for _ in range(10)]
    seen, _ = judged(questions, Experts(number=1, noise=0, fatigue=0.02), Drawing(200, 0))
    assert seen[0].worth.sum() == 0
    assert seen[9].worth.mean() > 0.2
