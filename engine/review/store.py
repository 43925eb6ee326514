"""The reviews of a case store: criteria, queues, turns and assessments.

Assessments are only added. A queue gives each item to as many reviewers as needed, never twice to the same
one. A reviewer has a lease on an item; when it expires without a verdict, the item goes to the next one. If
two reviewers differ, a third gets the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, case, delete, exists, func, insert, select

from engine.corpus.journal import check_name
from engine.errors import InputError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import new_id
from engine.records.store.database import Matter, matters_of
from engine.records.store.opening import ASSESSMENTS, CRITERIA, LEASES, QUEUE_ITEMS, QUEUES
from engine.records.store.tables import CASES
from engine.records.store.writing import clear_log
from engine.review.importing import IMPORTED_SUFFIX, VerdictImport, names_after_rename
from engine.review.model import Assessment, Item, SourceType, Verdict
from engine.review.queries import (
    is_open_to,
    is_postponed,
    select_assessments,
    select_items,
    select_next_item,
    select_queues,
)
from engine.review.queues import (
    LONGEST_NAME,
    Criteria,
    Progress,
    Queue,
    QueuedItem,
    Turn,
    add_assessment,
    add_reviewer,
    assessment_from,
    case_numbers,
    check_is_latest,
    check_reviewer,
    check_seconds,
    check_session,
    check_text,
    check_turn,
    check_verdict,
    find_item,
    get_criteria,
    item_from,
    no_assessment_error,
    queue_row,
    queued_from,
    recount_judged,
    rename_reviewer,
    start_of_day,
    timestamp,
    unknown_queue_error,
)

# Seconds of a lease; a reviewer's page renews it while at work.
LEASE = 300.0


class ReviewStore(VerdictImport):
    """The reviews of one database; see ``CaseStore`` for exceptions.

    Queue ids are capabilities: callers control who receives them.
    """

    def write_criteria(self, matter: Matter, text: str, *, who: str) -> Criteria:
        """Set the criteria of relevance in a matter from now on."""
        text, who = check_text(text, "criteria"), check_reviewer(who)
        if not text:
            raise InputError("criteria: write what counts as relevant")
        with self._writing() as connection:
            before = get_criteria(connection, matter.id)
            if before is not None and before.text == text:
                return before
            criteria = Criteria(1 if before is None else before.version + 1, text, who, timestamp())
            values = {"version": criteria.version, "text": text, "who": who, "at": criteria.at}
            connection.execute(insert(CRITERIA), {"matter": matter.id, **values})
        return criteria

    def criteria(self, matter: Matter) -> Criteria | None:
        """Return the current criteria of a matter; None if there are none."""
        with self._reading() as connection:
            return get_criteria(connection, matter.id)

    def outdated(self, matter: Matter, owner: Owner = "") -> list[Assessment]:
        """Return current assessments made under an earlier version of the criteria, oldest first."""
        latest = select(func.coalesce(func.max(CRITERIA.c.version), 0)).where(CRITERIA.c.matter == matter.id)
        own = and_(CASES.c.matter == matter.id, CASES.c.matter.in_(matters_of(owner)))
        earlier = ASSESSMENTS.c.criteria < latest.scalar_subquery()
        query = select_assessments().where(own, ASSESSMENTS.c.is_current, earlier)
        return [assessment_from(dict(row)) for row in self._read(query.order_by(ASSESSMENTS.c.number))]

    def make_queue(
        self,
        matter: Matter,
        name: str,
        items: Sequence[QueuedItem],
        *,
        who: str,
        settings: dict[str, Any] | None = None,
    ) -> Queue:
        """Create a queue of items of a matter's cases, in this order. Raises InputError if there are none,
        for a duplicate, and for an item of another matter's case."""
        name = check_name(name, "a queue", LONGEST_NAME) if name.strip() else "Review"
        who = check_reviewer(who)
        if not items:
            raise InputError("a queue needs items: none of these cases has any")
        if len({(one.item.case_id, one.item.key) for one in items}) < len(items):
            raise InputError("a queue has each item once: there is a duplicate")
        queue = {"id": new_id(), "matter": matter.id, "name": name, "who": who}
        with self._writing() as connection:
            numbers = case_numbers(connection, {one.item.case_id for one in items}, matter)
            created = {"created": timestamp(), "settings": settings or {}}
            connection.execute(insert(QUEUES), queue | created)
            rows = [queue_row(queue["id"], place, numbers, one) for place, one in enumerate(items)]
            connection.execute(insert(QUEUE_ITEMS), rows)
            recount_judged(connection, matter, {(row["case_number"], row["key"]) for row in rows})
        return self.queue(queue["id"])

    def queue(self, queue_id: str) -> Queue:
        """Return a queue by id. Raises InputError if there is none."""
        found = self._read(select_queues().where(QUEUES.c.id == queue_id))
        if not found:
            raise unknown_queue_error(queue_id)
        return Queue(**found[0])

    def items(self, queue_id: str, *, corpus: str = "") -> dict[int, QueuedItem]:
        """Return the items of a queue by number, in order; with ``corpus`` only those of cases that asked the
        corpus of this name."""
        query = select_items(queue_id)
        if corpus:
            query = query.where(CASES.c.corpus == corpus)
        return {row["number"]: queued_from(dict(row)) for row in self._read(query)}

    def item(self, queue_id: str, number: int) -> QueuedItem:
        """Return an item of a queue by number. Raises InputError if there is none."""
        found = self._read(select_items(queue_id).where(QUEUE_ITEMS.c.number == number))
        if not found:
            raise InputError(f"there is no item {number} in this queue, or the queue was deleted")
        return queued_from(dict(found[0]))

    def queues(self, matter: Matter | None = None, owner: Owner = "") -> list[Queue]:
        """Return the queues of a matter, or of all of an owner's matters, newest first."""
        query = select_queues().where(QUEUES.c.matter.in_(matters_of(owner)))
        if matter is not None:
            query = query.where(QUEUES.c.matter == matter.id)
        return [Queue(**row) for row in self._read(query.order_by(QUEUES.c.created.desc(), QUEUES.c.id))]

    def delete_queue(self, queue_id: str, owner: Owner = "") -> None:
        """Delete a queue; its assessments stay with their cases. Raises InputError if there is none."""
        with self._writing() as connection:
            own = QUEUES.c.matter.in_(matters_of(owner))
            if not connection.execute(delete(QUEUES).where(QUEUES.c.id == queue_id, own)).rowcount:
                raise unknown_queue_error(queue_id)

    def assign(self, queue_id: str, reviewer: str, owner: Owner = "") -> Queue:
        """Add a reviewer to a queue, who may judge its open items and settle disagreements.

        Raises InputError if the owner has no such queue, if the reviewer is in it already, and for too many.
        """
        name = check_reviewer(reviewer)
        own = and_(QUEUES.c.id == queue_id, QUEUES.c.matter.in_(matters_of(owner)))
        with self._writing() as connection:
            locked = select(QUEUES.c.settings).where(own).with_for_update()
            settings = connection.execute(locked).scalar_one_or_none()
            if settings is None:
                raise unknown_queue_error(queue_id)
            add_reviewer(connection, queue_id, settings, name)
        return self.queue(queue_id)

    def turn(self, queue_id: str, reviewer: str, session: str = "", *, lease: float = LEASE) -> Turn | None:
        """Return the next item for a reviewer, leased for ``lease`` seconds; None if nothing is left.

        The same session gets the same item again; postponed items come last. Raises InputError for an unknown
        queue.
        """
        reviewer, session = check_reviewer(reviewer), check_session(session)
        with self._writing() as connection:
            queue = (
                connection.execute(select(QUEUES).where(QUEUES.c.id == queue_id).with_for_update())
                .mappings()
                .one_or_none()
            )
            if queue is None:
                raise unknown_queue_error(queue_id)
            now, until = timestamp(), timestamp(lease)
            expired = and_(LEASES.c.queue == queue_id, LEASES.c.until <= now)
            connection.execute(delete(LEASES).where(expired))
            row = (
                connection.execute(select_next_item(queue_id, reviewer, session, now))
                .mappings()
                .one_or_none()
            )
            if row is None:
                return None
            lease_key = {"queue": queue_id, "number": row["number"], "reviewer": reviewer}
            of_reviewer = and_(*(LEASES.c[name] == value for name, value in lease_key.items()))
            connection.execute(delete(LEASES).where(of_reviewer))
            connection.execute(insert(LEASES), lease_key | {"session": session, "until": until})
            criteria = get_criteria(connection, queue["matter"])
        item = item_from(row["item"], row["case_id"])
        return Turn(row["number"], item, row["question"], criteria, row["stratum"], until)

    def judge(
        self,
        item: Item,
        verdict: Verdict,
        *,
        reviewer: str,
        queue: str = "",
        reason: str = "",
        note: str = "",
        seconds: float | None = None,
        source: SourceType = SourceType.HUMAN,
        settles: bool = False,
        owner: Owner = "",
    ) -> Assessment:
        """Store a reviewer's verdict on an item; durable once this returns.

        It replaces the reviewer's earlier verdict. With ``queue`` the item must be in it, otherwise its case
        must be the owner's. A verdict that ``settles`` a disagreement may come from anyone. Raises InputError
        for a verdict that the item's kind does not have, for unknown items, for an item assigned to others,
        and if enough reviewers have judged it in the meantime.
        """
        reviewer = check_reviewer(reviewer)
        values = {
            "verdict": verdict.value,
            "reason": check_text(reason, "reason"),
            "note": check_text(note, "note"),
            "reviewer": reviewer,
            "source": source.value,
            "seconds": check_seconds(seconds),
            "withdraws": None,
            "settles": settles,
            "is_current": verdict is not Verdict.LATER,
        }
        with self._writing() as connection:
            if queue:
                owner, item = EVERYBODY, find_item(connection, queue, item)
            check_verdict(item, verdict)
            case_row = self._case(connection, item.case_id, owner, locked=True)
            if queue and not settles:
                check_turn(connection, queue, case_row["number"], item.key, reviewer)
            return add_assessment(connection, case_row, item, values | {"queue": queue or None})

    def withdraw(self, number: int, *, reviewer: str, queue: str = "", owner: Owner = "") -> Assessment:
        """Withdraw a reviewer's assessment by number; the one before does not become current again. With
        ``queue`` it must be of that queue, otherwise its case must be the owner's. Raises InputError if it is
        not this reviewer's latest assessment of the item."""
        own = and_(ASSESSMENTS.c.number == number, ASSESSMENTS.c.reviewer == check_reviewer(reviewer))
        if queue:
            own, owner = and_(own, ASSESSMENTS.c.queue == queue), EVERYBODY
        with self._writing() as connection:
            before = connection.execute(select(ASSESSMENTS).where(own)).mappings().one_or_none()
            if before is None:
                raise no_assessment_error()
            of_owner = and_(CASES.c.number == before["case_number"], CASES.c.matter.in_(matters_of(owner)))
            locked = select(CASES).where(of_owner).with_for_update()
            case_row = connection.execute(locked).mappings().one_or_none()
            if case_row is None:
                raise no_assessment_error()
            check_is_latest(connection, before)
            columns = ("verdict", "reason", "note", "reviewer", "source", "settles", "queue")
            values = {name: before[name] for name in columns}
            values |= {"seconds": None, "withdraws": number, "is_current": False}
            return add_assessment(connection, case_row, item_from(before["item"], case_row["id"]), values)

    def forget_reviewer(self, name: str, *, dry_run: bool = False) -> int:
        """Replace a reviewer's name everywhere by one random pseudonym and delete the reasons and notes of
        their verdicts; return how many assessments had the name."""
        name = check_reviewer(name)
        with self._writing() as connection:
            names = names_after_rename(connection, name, f"(forgotten {new_id()[:8]})")
            with_name = select(func.count()).select_from(ASSESSMENTS).where(ASSESSMENTS.c.reviewer.in_(names))
            count = int(connection.execute(with_name).scalar_one())
            if not dry_run:
                for before, after in names.items():
                    words = before.partition(IMPORTED_SUFFIX.partition("{")[0])[0] == name
                    rename_reviewer(connection, before, after, words=words)
        # The write-ahead log may still contain earlier pages.
        clear_log(self._engine)
        return count

    def last_assessment(self, queue_id: str, reviewer: str) -> Assessment | None:
        """Return a reviewer's latest assessment in a queue that is not withdrawn; None if there is none."""
        reviewer = check_reviewer(reviewer)
        after = ASSESSMENTS.alias()
        later = exists(
            select(after.c.number).where(
                after.c.case_number == ASSESSMENTS.c.case_number,
                after.c.key == ASSESSMENTS.c.key,
                after.c.reviewer == reviewer,
                after.c.number > ASSESSMENTS.c.number,
            )
        )
        own = and_(ASSESSMENTS.c.queue == queue_id, ASSESSMENTS.c.reviewer == reviewer)
        query = select_assessments().where(own, ASSESSMENTS.c.withdraws.is_(None), ~later)
        found = self._read(query.order_by(ASSESSMENTS.c.number.desc()).limit(1))
        return assessment_from(dict(found[0])) if found else None

    def assessments(
        self,
        matter: Matter | None = None,
        owner: Owner = "",
        *,
        case_id: str = "",
        queue: str = "",
        corpus: str = "",
        is_current: bool = False,
    ) -> list[Assessment]:
        """Return all assessments in order, or the current ones: of a matter, a case, a queue, a corpus (by
        name), or of all cases of an owner."""
        query = select_assessments().where(CASES.c.matter.in_(matters_of(owner)))
        if matter is not None:
            query = query.where(CASES.c.matter == matter.id)
        if case_id:
            query = query.where(CASES.c.id == case_id)
        if queue:
            query = query.where(ASSESSMENTS.c.queue == queue)
        if corpus:
            query = query.where(CASES.c.corpus == corpus)
        if is_current:
            query = query.where(ASSESSMENTS.c.is_current)
        return [assessment_from(dict(row)) for row in self._read(query.order_by(ASSESSMENTS.c.number))]

    def corpora(self, matter: Matter) -> list[str]:
        """Return the names of the corpora whose cases in a matter have current assessments, most first."""
        joined = select(CASES.c.corpus).join(ASSESSMENTS, ASSESSMENTS.c.case_number == CASES.c.number)
        of = CASES.c.matter == matter.id, ASSESSMENTS.c.is_current
        counted = joined.where(*of).group_by(CASES.c.corpus)
        return [row["corpus"] for row in self._read(counted.order_by(func.count().desc(), CASES.c.corpus))]

    def others(self, item: Item, reviewer: str) -> list[Assessment]:
        """Return other reviewers' current assessments if the reviewer has judged the item; else none."""
        reviewer = check_reviewer(reviewer)
        of_item = and_(CASES.c.id == item.case_id, ASSESSMENTS.c.key == item.key, ASSESSMENTS.c.is_current)
        found = [assessment_from(dict(row)) for row in self._read(select_assessments().where(of_item))]
        has_judged = any(one.reviewer == reviewer for one in found)
        return [one for one in found if one.reviewer != reviewer] if has_judged else []

    def progress(self, queue_id: str, reviewer: str) -> Progress:
        """Return the progress of a queue for one of its reviewers."""
        reviewer = check_reviewer(reviewer)
        own = and_(
            ASSESSMENTS.c.queue == queue_id, ASSESSMENTS.c.reviewer == reviewer, ASSESSMENTS.c.is_current
        )
        counted = select(
            func.count().label("own"),
            func.count(case((ASSESSMENTS.c.at >= start_of_day(), 1))).label("today"),
        ).where(own)
        done = func.count(case((QUEUE_ITEMS.c.judged >= QUEUE_ITEMS.c.wanted, 1)))
        total = select(func.count().label("items"), done.label("judged"))
        left = select(
            func.count().label("left"), func.count(case((is_postponed(queue_id, reviewer), 1))).label("later")
        ).where(is_open_to(queue_id, reviewer))
        with self._reading() as connection:
            of_queue = total.where(QUEUE_ITEMS.c.queue == queue_id)
            found: dict[str, int] = {}
            for query in (of_queue, counted, left):
                found |= connection.execute(query).mappings().one()
        return Progress(**found)
