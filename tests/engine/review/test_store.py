"""Reviews on both databases: criteria, queues, what is refused, what is seen by whom, what goes with what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.errors import InputError
from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.model import ItemKind, Verdict
from engine.review.queues import MOST_INVITED, QueuedItem
from engine.review.store import ReviewStore
from tests.engine.records.store.test_deleting import run
from tests.engine.review.judged import passage
from tests.engine.review.queued import LATER, MATTER, NO, YES, items_of, kept, queue_of, queued_items


def turned(reviews: ReviewStore, queue_id: str, who: str, session: str = "") -> int | None:
    """The number of what a reviewer is to judge."""
    found = reviews.turn(queue_id, who, session)
    return None if found is None else found.number


def test_what_is_queued_is_what_is_handed_out(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    case_id = kept(store, small)
    item = passage("passage:a", case_id=case_id, text="§ 1 „Wörter“", copies=("passage:b",), rank=1)  # type: ignore[arg-type]
    queued = QueuedItem(item, "random", 0.25, ("Ann  B", "Ben"), 2)
    queue = reviews.make_queue(
        store.matter(MATTER), " Two\nwords ", [queued], who="Ann", settings={"random": 1}
    )
    assert (queue.name, queue.items, queue.judged, queue.settings) == ("Two words", 1, 0, {"random": 1})
    assert reviews.queues(store.matter(MATTER)) == [queue]
    assert reviews.items(queue.id) == {0: QueuedItem(item, "random", 0.25, ("Ann B", "Ben"), 2)}
    found = reviews.turn(queue.id, "Ann B")
    assert found is not None
    assert (found.item, found.question, found.criteria) == (item, small["question"], None)
    said = reviews.judge(item, YES, reviewer="Ann B", queue=queue.id, reason=" why ", note="", seconds=1.5)
    assert (said.item, said.reason, said.seconds, said.criteria) == (item, "why", 1.5, 0)
    assert reviews.assessments() == [said]


def test_verdicts_count_in_every_queue_that_has_the_item(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 2)
    first, second = queued_items(reviews, queue)
    said = reviews.judge(first, YES, reviewer="Ann")
    later = reviews.make_queue(
        store.matter(MATTER), "Later", [QueuedItem(first), QueuedItem(second)], who="Ann"
    )
    assert [reviews.queue(one.id).judged for one in (queue, later)] == [1, 1]
    assert turned(reviews, later.id, "Ben") == 1
    reviews.withdraw(said.number, reviewer="Ann")
    assert [reviews.queue(one.id).judged for one in (queue, later)] == [0, 0]


def test_an_earlier_word_cannot_be_taken_back_from_behind_a_later_one(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 1)
    (item,) = queued_items(reviews, queue)
    is_postponed = reviews.judge(item, LATER, reviewer="Ann", queue=queue.id)
    said = reviews.judge(item, YES, reviewer="Ann", queue=queue.id)
    for number, who in ((is_postponed.number, "Ann"), (said.number, "Ben"), (999, "Ann")):
        with pytest.raises(InputError, match="not your latest verdict"):
            reviews.withdraw(number, reviewer=who)
    assert reviews.assessments(is_current=True) == [said]
    back = reviews.withdraw(said.number, reviewer="Ann")
    with pytest.raises(InputError, match="not your latest verdict"):
        reviews.withdraw(back.number, reviewer="Ann")


def test_two_named_who_differ_wait_for_a_third_who_is_asked(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 2, wanted=2, assigned=("Ann", "Ben"), owner="cara")
    first, second = queued_items(reviews, queue)
    for item in (first, second):
        reviews.judge(item, YES, reviewer="Ann", queue=queue.id)
    reviews.judge(first, YES, reviewer="Ben", queue=queue.id)
    assert reviews.queue(queue.id).unsettled == 0
    reviews.judge(second, NO, reviewer="Ben", queue=queue.id)
    (listed,) = reviews.queues(None, "cara")
    assert (listed.judged, listed.unsettled) == (1, 1)
    assert reviews.turn(queue.id, "Dan") is None
    for owner in ("", "dan"):
        with pytest.raises(InputError, match="there is no queue"):
            reviews.assign(queue.id, "Dan", owner)
    assert reviews.assign(queue.id, " Dan\n", "cara").reviewers == ("Dan",)
    turn = reviews.turn(queue.id, "Dan")
    assert turn is not None
    assert turn.item == second
    assert reviews.turn(queue.id, "Eve") is None
    reviews.judge(second, NO, reviewer="Dan", queue=queue.id)
    found = reviews.queue(queue.id)
    assert (found.judged, found.unsettled) == (2, 0)
    assert reviews.progress(queue.id, "Dan").own == 1


def test_so_many_are_added_to_a_queue_and_no_more(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 1)
    for number in range(MOST_INVITED):
        reviews.assign(queue.id, f"Reviewer {number}")
    with pytest.raises(InputError, match=f"at most {MOST_INVITED} reviewers"):
        reviews.assign(queue.id, "One more")
    with pytest.raises(InputError, match="1 to 200 visible characters"):
        reviews.assign(queue.id, "x" * 201)
    reviews.forget_reviewer("Reviewer 3")
    assert reviews.queue(queue.id).reviewers[3].startswith("(forgotten ")


def test_criteria_have_versions_and_verdicts_say_which(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    matter, other = store.matter(MATTER), store.matter("Other")
    queue = queue_of(store, reviews, small, 3)
    items = queued_items(reviews, queue)
    assert reviews.criteria(matter) is None
    early = reviews.judge(items[0], YES, reviewer="Ann", queue=queue.id)
    assert reviews.outdated(matter) == []
    first = reviews.write_criteria(matter, " What binds us. ", who="Ann")
    assert (first.version, first.text) == (1, "What binds us.")
    assert reviews.write_criteria(matter, "What binds us.\n", who="Ben") == first
    said = reviews.judge(items[1], YES, reviewer="Ann", queue=queue.id)
    assert (early.criteria, said.criteria) == (0, 1)
    assert reviews.outdated(matter) == [early]
    second = reviews.write_criteria(matter, "What binds others.", who="Ben")
    assert reviews.criteria(matter) == second
    assert reviews.outdated(matter) == [early, said]
    again = reviews.judge(items[0], NO, reviewer="Ann", queue=queue.id)
    assert (again.criteria, reviews.outdated(matter)) == (2, [said])
    reviews.withdraw(said.number, reviewer="Ann")
    assert reviews.outdated(matter) == []
    found = reviews.turn(queue.id, "Ben")
    assert found is not None
    assert found.criteria == second
    assert (reviews.criteria(other), reviews.outdated(other)) == (None, [])


def test_a_wrong_kind_of_an_item_brings_no_verdict_of_that_kind(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 1)
    (item,) = queued_items(reviews, queue)
    lie = replace(item, kind=ItemKind.HOP)
    with pytest.raises(InputError, match="'wrong target' is not a verdict on a passage; use one of relevant"):
        reviews.judge(lie, Verdict.WRONG_TARGET, reviewer="Ann", queue=queue.id)
    assert reviews.assessments() == []
    assert reviews.judge(lie, YES, reviewer="Ann", queue=queue.id).item == item


LONG = "x" * 30_000
REFUSED: dict[str, Callable[[ReviewStore, CaseStore, Any, Any], object]] = {
    "criteria: longer": lambda r, s, q, i: r.write_criteria(s.matter(MATTER), LONG, who="Ann"),
    "criteria: write what": lambda r, s, q, i: r.write_criteria(s.matter(MATTER), " \n", who="Ann"),
    "a reviewer needs a name of 1": lambda r, s, q, i: r.judge(i, YES, reviewer=" "),
    "a reviewer needs a name of 1 to": lambda r, s, q, i: r.turn(q.id, LONG),
    "a reviewer": lambda r, s, q, i: r.make_queue(
        s.matter(MATTER), "", [QueuedItem(i, assigned=(LONG,))], who="Ann"
    ),
    "the name of a reviewer cannot contain": lambda r, s, q, i: r.turn(q.id, "A\0"),
    "a session has a name": lambda r, s, q, i: r.turn(q.id, "Ann", LONG),
    "note: longer": lambda r, s, q, i: r.judge(i, YES, reviewer="Ann", note=LONG),
    "reason: longer": lambda r, s, q, i: r.judge(i, YES, reviewer="Ann", reason=LONG),
    "note: contains characters": lambda r, s, q, i: r.judge(i, YES, reviewer="Ann", note="a\0b"),
    "reason: contains characters": lambda r, s, q, i: r.judge(i, YES, reviewer="Ann", reason="\ud800"),
    "seconds: nan": lambda r, s, q, i: r.judge(i, YES, reviewer="Ann", seconds=float("nan")),
    "'right' is not a verdict on a passage": lambda r, s, q, i: r.judge(i, Verdict.RIGHT, reviewer="Ann"),
    "there is no queue 'x{36,40}'": lambda r, s, q, i: r.turn(LONG, "Ann"),
    "there is no item 1 in": lambda r, s, q, i: r.item(q.id, 1),
    "there is no queue": lambda r, s, q, i: r.queue("nobody"),
    "a queue needs items": lambda r, s, q, i: r.make_queue(s.matter(MATTER), "", [], who="Ann"),
    "there is a duplicate": lambda r, s, q, i: r.make_queue(
        s.matter(MATTER), "", [QueuedItem(i), QueuedItem(i)], who="Ann"
    ),
    "there is no case": lambda r, s, q, i: r.make_queue(s.matter("Other"), "", [QueuedItem(i)], who="Ann"),
    "this item is not in the queue": lambda r, s, q, i: r.judge(
        passage("passage:z", case_id=i.case_id), YES, reviewer="Ann", queue=q.id
    ),
}


def test_what_cannot_be_is_refused_in_a_sentence_and_nothing_is_written(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 1)
    (item,) = queued_items(reviews, queue)
    for told, act in REFUSED.items():
        with pytest.raises(InputError, match=told):
            act(reviews, store, queue, item)
    assert reviews.assessments(owner=EVERYBODY) == []
    assert reviews.criteria(store.matter(MATTER)) is None
    assert reviews.queues() == [queue]


def test_nobody_sees_what_is_in_the_matters_of_others(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    mine = queue_of(store, reviews, small, 1, owner="ann")
    (item,) = queued_items(reviews, mine)
    said = reviews.judge(item, YES, reviewer="Ann", queue=mine.id)
    matter = store.matter(MATTER, "ann")
    reviews.write_criteria(matter, "What binds us.", who="Ann")
    for owner in ("", "ben"):
        assert reviews.queues(owner=owner) == reviews.queues(matter, owner) == []
        for found in (
            reviews.assessments(owner=owner),
            reviews.assessments(matter, owner),
            reviews.assessments(owner=owner, case_id=item.case_id),
            reviews.assessments(owner=owner, queue=mine.id),
            reviews.outdated(matter, owner),
        ):
            assert found == []
        with pytest.raises(InputError, match="there is no queue"):
            reviews.delete_queue(mine.id, owner)
        with pytest.raises(InputError, match="there is no case"):
            reviews.judge(item, NO, reviewer="Ann", owner=owner)
        with pytest.raises(InputError, match="not your latest verdict"):
            reviews.withdraw(said.number, reviewer="Ann", owner=owner)
        with pytest.raises(InputError, match="not your latest verdict"):
            reviews.withdraw(said.number, reviewer="Ann", queue="another", owner="ann")
    with pytest.raises(InputError, match="there is no case"):
        reviews.make_queue(store.matter(MATTER, "ben"), "", [QueuedItem(item)], who="Ben")
    assert reviews.assessments(matter, "ann") == reviews.assessments(owner=EVERYBODY) == [said]
    assert len(reviews.queues(owner="ann")) == 1


def test_others_are_shown_to_those_who_have_judged(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 1, wanted=2)
    (item,) = queued_items(reviews, queue)
    said = reviews.judge(item, YES, reviewer="Ann", queue=queue.id)
    assert reviews.others(item, "Ben") == []
    reviews.judge(item, LATER, reviewer="Ben", queue=queue.id)
    assert reviews.others(item, "Ben") == []
    reviews.judge(item, NO, reviewer="Ben", queue=queue.id)
    assert reviews.others(item, "Ben") == [said]


TABLES = ("criteria", "queues", "queue_items", "leases", "assessments")


def rows(store: CaseStore) -> dict[str, int]:
    """How many rows the tables of reviews have."""
    with store._reading() as connection:  # noqa: SLF001
        return {
            name: int(connection.exec_driver_sql(f"select count(*) from {name}").scalar_one())
            for name in TABLES
        }


def test_what_goes_with_what(store: CaseStore, reviews: ReviewStore, small: dict[str, Any]) -> None:
    matter = store.matter(MATTER)
    one, other = (items_of(kept(store, small), 2) for _ in range(2))
    queues = [
        reviews.make_queue(matter, "", [QueuedItem(item) for item in (*one, *other)], who="Ann")
        for _ in range(2)
    ]
    reviews.write_criteria(matter, "What binds us.", who="Ann")
    for item in (one[0], other[0]):
        reviews.judge(item, YES, reviewer="Ann", queue=queues[0].id)
    reviews.turn(queues[0].id, "Ann")
    assert rows(store) == dict(zip(TABLES, (1, 2, 8, 1, 2), strict=True))
    store.delete([one[0].case_id])
    assert rows(store) == dict(zip(TABLES, (1, 2, 4, 0, 1), strict=True))
    assert [reviews.queue(queue.id).items for queue in queues] == [2, 2]
    reviews.turn(queues[0].id, "Ann")
    reviews.delete_queue(queues[0].id)
    assert rows(store) == dict(zip(TABLES, (1, 1, 2, 0, 1), strict=True))
    with pytest.raises(InputError, match="the queue was deleted"):
        reviews.judge(other[1], YES, reviewer="Ann", queue=queues[0].id)
    assert [one.verdict for one in reviews.assessments(matter)] == [YES]
    queue_of(store, reviews, small, 1, owner="ben")
    store.delete_matter(matter)
    assert rows(store) == dict(zip(TABLES, (0, 1, 1, 0, 0), strict=True))
    store.delete_owner("ben")
    assert not any(rows(store).values())


def test_a_case_that_is_moved_leaves_the_queues_of_its_matter(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, 2)
    first, second = queued_items(reviews, queue)
    said = reviews.judge(first, YES, reviewer="Ann", queue=queue.id)
    turned(reviews, queue.id, "Ann")
    other = store.matter("Other")
    store.move(first.case_id, other, who="Ann")
    assert (reviews.queue(queue.id).items, turned(reviews, queue.id, "Ann")) == (0, None)
    with pytest.raises(InputError, match="this item is not in the queue"):
        reviews.judge(second, YES, reviewer="Ann", queue=queue.id)
    assert reviews.assessments(store.matter(MATTER)) == []
    assert reviews.assessments(other) == [said]


def test_a_matter_that_only_has_queues_left_goes_too(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any], address: str
) -> None:
    queue = queue_of(store, reviews, small, 1, owner="ann")
    run(address, "update cases set changed = '2020'")
    run(address, "update matters set created = '2020'")
    assert len(store.delete_idle(1)) == 1
    assert not any(rows(store).values())
    with pytest.raises(InputError, match="there is no queue"):
        reviews.turn(queue.id, "Ann")


def test_a_reviewer_is_forgotten_and_what_they_said_stays_one_persons(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    items = items_of(kept(store, small), 2)
    queued = [QueuedItem(item, assigned=("Ann", "Annette"), wanted=2) for item in items]
    matter = store.matter(MATTER)
    reviews.write_criteria(matter, "What says who.", who="Ann")
    queue = reviews.make_queue(
        matter, "", queued, who="Ann", settings={"sampling": {"assigned": ["Ann", "Annette"]}}
    )
    for item in items:
        reviews.judge(item, YES, reviewer="Ann", queue=queue.id)
    reviews.judge(items[0], YES, reviewer="Annette", queue=queue.id)
    assert reviews.turn(queue.id, "Annette") is not None
    assert reviews.forget_reviewer("Ann", dry_run=True) == 2
    assert {one.reviewer for one in reviews.assessments()} == {"Ann", "Annette"}
    assert reviews.forget_reviewer("Ann") == 2
    (forgotten,) = {one.reviewer for one in reviews.assessments()} - {"Annette"}
    assert forgotten.startswith("(forgotten ")
    assert reviews.items(queue.id)[1].assigned == (forgotten, "Annette")
    found, criteria = reviews.queue(queue.id), reviews.criteria(matter)
    assert criteria is not None
    assert found.who == criteria.who == forgotten
    assert found.settings == {"sampling": {"assigned": [forgotten, "Annette"]}}
    assert found.judged == 1
    assert reviews.forget_reviewer("Ann") == 0
