"""What is asked of the tables of reviews: queues, what was said, and what a reviewer judges next."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select

from engine.records.store.review_tables import ASSESSMENTS, LEASES, QUEUE_ITEMS, QUEUES
from engine.records.store.tables import CASES
from engine.review.model import Verdict


def all_queues() -> Select[Any]:
    """Queues with the number of their items, and of those that have all verdicts."""
    columns = list(QUEUES.c)
    done = func.count(case((QUEUE_ITEMS.c.judged >= QUEUE_ITEMS.c.wanted, 1)))
    counts = (func.count(QUEUE_ITEMS.c.number).label("items"), done.label("judged"))
    joined = select(*columns, *counts).outerjoin(QUEUE_ITEMS, QUEUE_ITEMS.c.queue == QUEUES.c.id)
    return joined.group_by(QUEUES.c.id)


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
    assigned = QUEUE_ITEMS.c.assigned.contains(f"\n{reviewer}\n", autoescape=True)
    return and_(
        QUEUE_ITEMS.c.queue == queue_id,
        QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted,
        or_(QUEUE_ITEMS.c.assigned == "", assigned),
        ~own,
    )


def put_off(queue_id: str, reviewer: str) -> ColumnElement[bool]:
    """Whether a reviewer put an item off."""
    return exists(
        select(ASSESSMENTS.c.number).where(
            ASSESSMENTS.c.queue == queue_id,
            ASSESSMENTS.c.case_number == QUEUE_ITEMS.c.case_number,
            ASSESSMENTS.c.key == QUEUE_ITEMS.c.key,
            ASSESSMENTS.c.reviewer == reviewer,
            ASSESSMENTS.c.verdict == Verdict.LATER.value,
            ASSESSMENTS.c.withdraws.is_(None),
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
