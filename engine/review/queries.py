"""Queries on the tables of reviews: queues, items, assessments, and a reviewer's next item."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, case, exists, func, or_, select

from engine.records.store.opening import ASSESSMENTS, LEASES, QUEUE_ITEMS, QUEUES
from engine.records.store.tables import CASES
from engine.review.model import Verdict


def select_queues() -> Select[Any]:
    """Select queues with the number of their items, of fully judged ones, and of open disagreements."""
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


def select_items(queue_id: str) -> Select[Any]:
    """Select the items of a queue with the ids of their cases, in order."""
    wanted = select(*QUEUE_ITEMS.c, CASES.c.id.label("case_id"))
    joined = wanted.join(CASES, CASES.c.number == QUEUE_ITEMS.c.case_number)
    return joined.where(QUEUE_ITEMS.c.queue == queue_id).order_by(QUEUE_ITEMS.c.place, QUEUE_ITEMS.c.number)


def select_assessments() -> Select[Any]:
    """Select assessments with the id and question of their cases."""
    columns = (*ASSESSMENTS.c, CASES.c.id.label("case_id"), CASES.c.question)
    return select(*columns).join(CASES, CASES.c.number == ASSESSMENTS.c.case_number)


def is_open_to(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """Return the condition for items of a queue that a reviewer can still judge, leased or not."""
    own = exists(
        select(ASSESSMENTS.c.number).where(
            ASSESSMENTS.c.case_number == QUEUE_ITEMS.c.case_number,
            ASSESSMENTS.c.key == QUEUE_ITEMS.c.key,
            ASSESSMENTS.c.reviewer == reviewer,
            ASSESSMENTS.c.is_current,
        )
    )
    return and_(
        QUEUE_ITEMS.c.queue == queue_id,
        QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted,
        is_assigned(queue_id, reviewer),
        ~own,
    )


def is_assigned(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """Return the condition for items that a reviewer may judge: all if no reviewer is assigned.

    If assigned reviewers differ, all reviewers named in the queue may settle it.
    """
    items = QUEUE_ITEMS.alias()
    anywhere = exists(
        select(items.c.number).where(items.c.queue == queue_id, names_reviewer(items, reviewer))
    )
    return or_(
        QUEUE_ITEMS.c.assigned == "",
        names_reviewer(QUEUE_ITEMS, reviewer),
        and_(QUEUE_ITEMS.c.wanted > QUEUE_ITEMS.c.overlap, anywhere),
    )


def names_reviewer(items: FromClause, reviewer: str) -> ColumnElement[bool]:
    """Return the condition for items that name a reviewer."""
    # Not LIKE: in SQLite it ignores case.
    return func.replace(items.c.assigned, f"\n{reviewer}\n", "") != items.c.assigned


def is_postponed(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """Return the condition for items that a reviewer postponed in this queue, without a later assessment."""
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


def select_next_item(queue_id: str, reviewer: str, session: str, now: str) -> Select[Any]:
    """Select the next item of a queue for a session of a reviewer."""
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
        .where(
            is_open_to(queue_id, reviewer), ~elsewhere, others < QUEUE_ITEMS.c.wanted - QUEUE_ITEMS.c.judged
        )
        .order_by(
            case((is_held, 0), (is_postponed(queue_id, reviewer), 2), else_=1),
            QUEUE_ITEMS.c.place,
            QUEUE_ITEMS.c.number,
        )
        .limit(1)
    )
