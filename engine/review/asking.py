"""What is asked of the tables of reviews: queues, what was said, and what a reviewer judges next."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, case, exists, func, or_, select

from engine.records.store.opening import ASSESSMENTS, LEASES, QUEUE_ITEMS, QUEUES
from engine.records.store.tables import CASES
from engine.review.model import Verdict


def all_queues() -> Select[Any]:
    """Queues with the number of their items, of those that have all verdicts, and of those that wait for
    somebody to end a disagreement."""
    columns = list(QUEUES.c)
    wanted, judged = QUEUE_ITEMS.c.wanted, QUEUE_ITEMS.c.judged
    done = func.count(case((judged >= wanted, 1)))
    unsettled = func.count(case((and_(wanted > QUEUE_ITEMS.c.overlap, judged < wanted), 1)))
    counts = (
        func.count(QUEUE_ITEMS.c.number).label("items"),
        done.label("judged"),
        unsettled.label("unsettled"),
    )
    joined = select(*columns, *counts).outerjoin(QUEUE_ITEMS, QUEUE_ITEMS.c.queue == QUEUES.c.id)
    return joined.group_by(QUEUES.c.id)


def all_items(queue_id: str) -> Select[Any]:
    """The items of a queue with the ids of their cases, in the order in which they come."""
    wanted = select(*QUEUE_ITEMS.c, CASES.c.id.label("case_id"))
    joined = wanted.join(CASES, CASES.c.number == QUEUE_ITEMS.c.case_number)
    return joined.where(QUEUE_ITEMS.c.queue == queue_id).order_by(QUEUE_ITEMS.c.place, QUEUE_ITEMS.c.number)


def all_said() -> Select[Any]:
    """Assessments with the id and the question of their cases."""
    columns = (*ASSESSMENTS.c, CASES.c.id.label("case_id"), CASES.c.question)
    return select(*columns).join(CASES, CASES.c.number == ASSESSMENTS.c.case_number)


def open_to(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """The items of a queue that a reviewer can still judge, whoever has them now."""
    own = exists(
        select(ASSESSMENTS.c.number).where(
            ASSESSMENTS.c.case_number == QUEUE_ITEMS.c.case_number,
            ASSESSMENTS.c.key == QUEUE_ITEMS.c.key,
            ASSESSMENTS.c.reviewer == reviewer,
            ASSESSMENTS.c.stands,
        )
    )
    return and_(
        QUEUE_ITEMS.c.queue == queue_id,
        QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted,
        is_assigned(queue_id, reviewer),
        ~own,
    )


def is_assigned(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """Whether a reviewer is one of those who judge an item of a queue: anybody where nobody is named. Where
    those named for an item differ, all who are named in the queue may end it."""
    items = QUEUE_ITEMS.alias()
    anywhere = exists(select(items.c.number).where(items.c.queue == queue_id, names(items, reviewer)))
    return or_(
        QUEUE_ITEMS.c.assigned == "",
        names(QUEUE_ITEMS, reviewer),
        and_(QUEUE_ITEMS.c.wanted > QUEUE_ITEMS.c.overlap, anywhere),
    )


def names(items: FromClause, reviewer: str) -> ColumnElement[bool]:
    """Whether an item names a reviewer."""
    # Not LIKE: SQLite's takes Ann for ANN.
    return func.replace(items.c.assigned, f"\n{reviewer}\n", "") != items.c.assigned


def put_off(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """Whether the last that a reviewer said of an item is that it be put off, in this queue."""
    after = ASSESSMENTS.alias()
    later = exists(
        select(after.c.number).where(
            after.c.case_number == ASSESSMENTS.c.case_number,
            after.c.key == ASSESSMENTS.c.key,
            after.c.reviewer == reviewer,
            after.c.number > ASSESSMENTS.c.number,
        )
    )
    return exists(
        select(ASSESSMENTS.c.number).where(
            ASSESSMENTS.c.queue == queue_id,
            ASSESSMENTS.c.case_number == QUEUE_ITEMS.c.case_number,
            ASSESSMENTS.c.key == QUEUE_ITEMS.c.key,
            ASSESSMENTS.c.reviewer == reviewer,
            ASSESSMENTS.c.verdict == Verdict.LATER.value,
            ASSESSMENTS.c.withdraws.is_(None),
            ~later,
        )
    )


def next_for(queue_id: str, reviewer: str, session: str, now: str) -> Select[Any]:
    """The item of a queue that a session of a reviewer judges next."""
    leased = and_(
        LEASES.c.queue == QUEUE_ITEMS.c.queue, LEASES.c.number == QUEUE_ITEMS.c.number, LEASES.c.until > now
    )
    mine = LEASES.c.reviewer == reviewer
    is_held = exists(select(LEASES.c.number).where(leased, mine, LEASES.c.session == session))
    elsewhere = exists(select(LEASES.c.number).where(leased, mine, LEASES.c.session != session))
    others = select(func.count()).select_from(LEASES).where(leased, ~mine).scalar_subquery()
    return (
        select(*QUEUE_ITEMS.c, CASES.c.id.label("case_id"), CASES.c.question)
        .join(CASES, CASES.c.number == QUEUE_ITEMS.c.case_number)
        .where(open_to(queue_id, reviewer), ~elsewhere, others < QUEUE_ITEMS.c.wanted - QUEUE_ITEMS.c.judged)
        .order_by(
            case((is_held, 0), (put_off(queue_id, reviewer), 2), else_=1),
            QUEUE_ITEMS.c.place,
            QUEUE_ITEMS.c.number,
        )
        .limit(1)
    )
