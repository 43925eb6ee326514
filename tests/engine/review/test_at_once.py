"""Many at one queue at once, and one that is killed: all is judged as often as wanted, nothing is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from engine.errors import InputError
from engine.records.store.store import CaseStore
from engine.review.model import Verdict
from engine.review.store import ReviewStore
from tests.engine.forked import Tell, killed
from tests.engine.review.queued import NO, YES, queue_of, queued_items

COUNT = 12


def work(address: str, queue_id: str, who: str, session: str, verdict: Verdict = YES) -> list[str]:
    """Judge until nothing is left; returns the keys of what was judged here."""
    found = []
    with closing(ReviewStore(address)) as reviews:
        while (turn := reviews.turn(queue_id, who, session)) is not None:
            reviews.judge(turn.item, verdict, reviewer=who, queue=queue_id)
            found.append(turn.item.key)
    return found


@pytest.mark.parametrize("wanted", [1, 2])
def test_each_is_judged_as_often_as_wanted_by_many_at_once(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any], address: str, wanted: int
) -> None:
    queue = queue_of(store, reviews, small, COUNT, wanted=wanted)
    tabs = [(who, session) for who in ("Ann", "Ben", "Cem") for session in ("one", "two")]
    with ThreadPoolExecutor(len(tabs)) as threads:
        done = list(threads.map(lambda tab: work(address, queue.id, *tab), tabs))
    found = reviews.assessments(queue=queue.id)
    keys = Counter(one.item.key for one in found)
    assert keys == {item.key: wanted for item in queued_items(reviews, queue)}
    assert Counter(key for own in done for key in own) == keys
    assert len({(one.item.key, one.reviewer) for one in found}) == len(found)
    assert reviews.queue(queue.id).judged == COUNT


def test_whoever_answers_without_a_turn_is_refused_once_enough_have(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any], address: str
) -> None:
    queue = queue_of(store, reviews, small, 1, wanted=2)
    (item,) = queued_items(reviews, queue)

    def say(who: str) -> str:
        with closing(ReviewStore(address)) as own:
            try:
                own.judge(item, YES, reviewer=who, queue=queue.id)
            except InputError as error:
                return str(error)
            return ""

    with ThreadPoolExecutor(6) as threads:
        told = Counter(threads.map(say, [f"Reviewer {number}" for number in range(6)]))
    assert told == {"": 2, "another reviewer has judged this in the meantime: take the next": 4}
    assert len(reviews.assessments(queue=queue.id)) == 2


def test_one_that_is_killed_loses_nothing_but_its_turn(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any], address: str
) -> None:
    queue = queue_of(store, reviews, small, 3)

    def take(tell: Tell) -> None:
        with closing(ReviewStore(address)) as own:
            first = own.turn(queue.id, "Ann")
            assert first is not None
            own.judge(first.item, YES, reviewer="Ann", queue=queue.id)
            assert own.turn(queue.id, "Ann", lease=4.0) is not None
            tell()
            time.sleep(60)

    def left() -> Iterator[int]:
        while (turn := reviews.turn(queue.id, "Ben")) is not None:
            reviews.judge(turn.item, NO, reviewer="Ben", queue=queue.id)
            yield turn.number

    with killed(take):
        pass
    assert list(left()) == [2]
    time.sleep(4.1)
    assert list(left()) == [1]
    found = {(one.item.key, one.reviewer) for one in reviews.assessments(queue=queue.id, is_current=True)}
    assert found == {("passage:p0", "Ann"), ("passage:p1", "Ben"), ("passage:p2", "Ben")}
