"""Which items are the most telling: what the ranking would learn most of, and nothing that was said."""

from __future__ import annotations

import numpy as np
import pytest

from engine.review.sampling import DEPTH, Ranking, most_informative

NOTHING = np.zeros((0, 0), np.float32)


def ranking(*rows: int, judged: tuple[int, ...] = ()) -> Ranking:
    """A ranking of these rows, of which those at some indices were judged."""
    return Ranking(np.array(rows, np.int32), np.setdiff1d(np.arange(len(rows)), judged))


def told(
    rankings: list[Ranking], count: int, vectors: object = None, judged: tuple[int, ...] = ()
) -> list[int]:
    known = np.zeros((len(rankings), 0), np.float32) if vectors is None else np.array(vectors, np.float32)
    items = most_informative(rankings, known, count, judged)
    assert len(set(items)) == len(items)
    return [int(rankings[number].rows[one]) for number, one in items]


def test_a_passage_that_stands_high_elsewhere_comes_first() -> None:
    rankings = [ranking(1, 2, 3), ranking(9, 2, 4), ranking(8, 2, 5)]
    assert told(rankings, 1) == [2]
    every = told(rankings, 100)
    assert len(every) == 9
    # Of the passages that no other question has, the one that ranks best for its own.
    assert [row for row in every if row in (1, 3)] == [1, 3]


def test_the_same_passage_is_not_asked_about_again_and_again() -> None:
    rankings = [ranking(number, 2, 3) for number in (10, 11, 12, 13)]
    assert set(told(rankings, 3)) == {2, 3}


def test_like_questions_count_for_more() -> None:
    rankings = [ranking(1, 2), ranking(2, 9), ranking(1, 8), ranking(2, 7)]
    assert told(rankings, 1, [(1, 0), (0, 1), (1, 0), (0, -1)]) == [1]


def test_what_was_judged_is_not_asked_again_and_teaches_less_elsewhere() -> None:
    rankings = [ranking(1, 2, 3, judged=(1,)), ranking(4, 2, 5)]
    assert (0, 1) not in most_informative(rankings, np.zeros((2, 0), np.float32), 100)
    asked = [*(ranking(number, 2, 3, judged=(1,)) for number in (10, 11, 12)), ranking(13, 2, 3)]
    assert told(asked, 1) == [2]
    assert told(asked, 1, judged=(2, 2, 2)) == [3]


@pytest.mark.parametrize("count", [0, -1])
def test_nothing_is_asked_of_nobody(count: int) -> None:
    assert told([ranking(1, 2)], count) == []
    assert most_informative([], NOTHING, 5) == []
    assert told([ranking(1, 2, judged=(0, 1))], 5) == []


def test_what_stands_low_counts_for_little_and_is_asked_about_last() -> None:
    long = ranking(*range(100))
    found = told([long, long], 200)
    assert set(found[: 2 * DEPTH]) == set(range(DEPTH))
    assert len(found) == 200
