"""Thresholds of coverage learned from verdicts, on pairs that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage_learned import Asked, Pair, Pairs, told


def asked(border: float, count: int = 80) -> list[Asked]:
    """Questions with two areas: gold is in the first, whose score is above the border; the other is below."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(count):
        high, low = border + 0.02 + 0.1 * rng.random(), max(0.0, border - 0.02 - 0.1 * rng.random())
        there, other = Pair("a", high, True, ("p", "q"), True), Pair("b", low, True, ("r", "s"), False)
        found.append(Asked(f"question {number}", ("p", "q", "r", "s"), frozenset("p"), (there, other)))
    return found


@pytest.mark.parametrize("border", [0.2, 0.5])
def test_the_threshold_is_learned_towards_where_verdicts_part_the_pairs(border: float) -> None:
    pairs = Pairs(asked(border))
    labels = pairs.judged(0.0, np.random.default_rng(0))
    assert (labels == pairs.true).all()
    _, _, thresholds = pairs.learned(labels, 0.0)
    for threshold in thresholds:
        assert min(border, 0.3) < threshold < max(border, 0.3)


def test_too_few_judged_passages_say_nothing_of_an_area() -> None:
    one = Asked("q", ("p",), frozenset("p"), (Pair("a", 0.5, True, ("p", "q"), True),))
    assert np.isnan(Pairs([one]).judged(0.0, np.random.default_rng(0))).all()


def test_what_is_fixed_and_what_is_learned_is_told() -> None:
    first, *lines = told(asked(0.5), 0.1, 2)
    assert first == "80 questions, 160 pairs, 0.50 true; AUC 1.000"
    assert "  fixed at 0.30: 0.500, true of covered 0.50" in lines
    assert len([line for line in lines if "learned, by area" in line]) == 5
