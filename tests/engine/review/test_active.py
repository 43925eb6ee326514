"""Which items are the most telling: what the ranking would learn most of, and nothing that was said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.review.active import DEPTH, most_telling
from engine.review.learning.observing import Observed

NONE = np.zeros(0, np.float32)


def pool(rows: list[int], vector: tuple[float, ...] | None = None, judged: tuple[int, ...] = ()) -> Observed:
    """A pool of these rows, the first ranked best."""
    order = np.argsort(rows)
    scores = -np.arange(len(rows), dtype=np.float32)
    return Observed(
        question=f"{rows}",
        rows=np.array(rows, np.int32)[order],
        names=(),
        values=np.zeros((0, len(rows)), np.float32),
        shipped=scores[order],
        vector=None if vector is None else np.array(vector, np.float32),
        judged=np.array(judged, np.intp),
        worth=np.zeros(len(judged), np.float32),
        voices=np.ones(len(judged), np.float32),
        scan=np.zeros(0, np.intp),
        reached=0.0,
    )


def rows_of(pools: list[Observed], items: list[tuple[int, int]]) -> list[int]:
    return [int(pools[number].rows[place]) for number, place in items]


def test_a_passage_that_stands_high_elsewhere_comes_first() -> None:
    pools = [pool([1, 2, 3]), pool([9, 2, 4]), pool([8, 2, 5])]
    assert rows_of(pools, most_telling(pools, 1)) == [2]
    items = most_telling(pools, 100)
    assert len(set(items)) == len(items) == 9
    # Of the passages that no other question has, the one that ranks best for its own.
    alone = [row for row in rows_of(pools, items) if row in (1, 3)]
    assert alone == [1, 3]


def test_the_same_passage_is_not_asked_about_again_and_again() -> None:
    pools = [pool([number, 2, 3]) for number in (10, 11, 12, 13)]
    assert set(rows_of(pools, most_telling(pools, 3))) == {2, 3}


def test_like_questions_count_for_more() -> None:
    pools = [pool([1, 2], (1, 0)), pool([2, 9], (0, 1)), pool([1, 8], (1, 0)), pool([2, 7], (0, -1))]
    (first,) = rows_of(pools, most_telling(pools, 1))
    assert first == 1


def test_what_was_judged_is_not_asked_again_and_its_words_do_not_count() -> None:
    pools = [pool([1, 2, 3], judged=(1,)), pool([4, 2, 5])]
    items = most_telling(pools, 100)
    assert (0, 1) not in items
    relevant = [replace(one, worth=np.ones_like(one.worth)) for one in pools]
    assert most_telling(relevant, 100) == items
    asked = [pool([number, 2, 3], judged=(0,)) for number in (10, 11, 12)]
    assert rows_of([*asked, pool([13, 2, 3])], most_telling([*asked, pool([13, 2, 3])], 1)) == [3]


@pytest.mark.parametrize("count", [0, -1])
def test_nothing_is_asked_of_nobody(count: int) -> None:
    assert most_telling([pool([1, 2])], count) == []
    assert most_telling([], 5) == []
    assert most_telling([pool([1, 2], judged=(0, 1))], 5) == []


def test_only_candidates_are_asked_about_and_the_first_of_each_ranking_else() -> None:
    long = pool(list(range(100)))
    assert {place for _, place in most_telling([long, long], 500)} == set(range(DEPTH))
    chosen = [np.array([50, 3]), np.zeros(0, np.intp)]
    assert most_telling([long, long], 500, chosen) == [(0, 3), (0, 50)]
