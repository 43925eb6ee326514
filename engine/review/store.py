"""The reviews of a store of cases: criteria, queues, whose turn it is, and what was said.

Verdicts are only added to. A queue hands each item to as many reviewers as are wanted and to nobody twice:
whoever gets it has it for a while, and it goes to the next one where nothing was said by then. Where two
differ, a third is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, case, delete, exists, func, insert, select

from engine.corpus.journal import check_name
from engine.errors import InputError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.deleting import clear_log
from engine.records.store.listing import Matter, matters_of
from engine.records.store.review_tables import ASSESSMENTS, CRITERIA, LEASES, QUEUE_ITEMS, QUEUES
from engine.records.store.sealing import new_id
from engine.records.store.tables import CASES
from engine.review.asking import all_items, all_queues, all_said, next_for, open_to, put_off
from engine.review.kept import (
    LONGEST_NAME,
    Criteria,
    Progress,
    Queue,
    QueuedItem,
    Turn,
    add_reviewer,
    add_said,
    assessment_from,
    case_numbers,
    check_standing,
    check_turn,
    check_verdict,
    criteria_of,
    item_from,
    item_in,
    moment,
    no_queue,
    not_said,
    queued_from,
    queued_row,
    recount_judged,
    rename_reviewer,
    reviewer_named,
    seconds_of,
    session_named,
    today,
    words_of,
)
from engine.review.model import Assessment, Item, SourceType, Verdict
from engine.review.taking import BROUGHT, ReviewTaking, names_with

# Seconds for which an item is its reviewer's; whoever is at work on it asks again before.
LEASE = 300.0


class ReviewStore(ReviewTaking):
    """The reviews of the database of an address; see ``CaseStore`` for what is raised.

    Who has the id of a queue may review it: whoever serves it says who gets the id.
    """

    def write_criteria(self, matter: Matter, text: str, *, who: str) -> Criteria:
        """Say what counts as relevant in a matter, from now on."""
        text, who = words_of(text, "criteria"), reviewer_named(who)
        if not text:
            raise InputError("criteria: say what counts as relevant")
        with self._writing() as connection:
            before = criteria_of(connection, matter.id)
            if before is not None and before.text == text:
                return before
            made = Criteria(1 if before is None else before.version + 1, text, who, moment())
            values = {"version": made.version, "text": text, "who": who, "at": made.at}
            connection.execute(insert(CRITERIA), {"matter": matter.id, **values})
        return made

    def criteria(self, matter: Matter) -> Criteria | None:
        """What counts as relevant in a matter; None where nobody has said."""
        with self._reading() as connection:
            return criteria_of(connection, matter.id)

    def outdated(self, matter: Matter, owner: Owner = "") -> list[Assessment]:
        """What stands in a matter of what was said before its criteria were what they are now, in order."""
        latest = select(func.coalesce(func.max(CRITERIA.c.version), 0)).where(CRITERIA.c.matter == matter.id)
        own = and_(CASES.c.matter == matter.id, CASES.c.matter.in_(matters_of(owner)))
        earlier = ASSESSMENTS.c.criteria < latest.scalar_subquery()
        wanted = all_said().where(own, ASSESSMENTS.c.stands, earlier)
        return [assessment_from(dict(row)) for row in self._read(wanted.order_by(ASSESSMENTS.c.number))]

    def make_queue(
        self,
        matter: Matter,
        name: str,
        items: Sequence[QueuedItem],
        *,
        who: str,
        settings: dict[str, Any] | None = None,
    ) -> Queue:
        """Put items of cases of a matter into a queue, in their order. Raises InputError where there are
        none, where one is there twice, or where one is of no case of the matter."""
        name = check_name(name, "a queue", LONGEST_NAME) if name.strip() else "Review"
        who = reviewer_named(who)
        if not items:
            raise InputError("a queue needs something to be judged: none of these cases has any")
        if len({(one.item.case_id, one.item.key) for one in items}) < len(items):
            raise InputError("a queue has each item once: one of these is there twice")
        queue = {"id": new_id(), "matter": matter.id, "name": name, "who": who}
        with self._writing() as connection:
            numbers = case_numbers(connection, {one.item.case_id for one in items}, matter)
            created = {"created": moment(), "settings": settings or {}}
            connection.execute(insert(QUEUES), queue | created)
            rows = [queued_row(queue["id"], place, numbers, one) for place, one in enumerate(items)]
            connection.execute(insert(QUEUE_ITEMS), rows)
            recount_judged(connection, matter, {(row["case_number"], row["key"]) for row in rows})
        return self.queue(queue["id"])

    def queue(self, queue_id: str) -> Queue:
        """A queue by its id. Raises InputError where there is none."""
        found = self._read(all_queues().where(QUEUES.c.id == queue_id))
        if not found:
            raise no_queue(queue_id)
        return Queue(**found[0])

    def items(self, queue_id: str, *, corpus: str = "") -> dict[int, QueuedItem]:
        """The items of a queue by their numbers, in the order in which they come; of cases that asked a
        corpus, where its name is given."""
        wanted = all_items(queue_id)
        if corpus:
            wanted = wanted.where(CASES.c.corpus == corpus)
        return {row["number"]: queued_from(dict(row)) for row in self._read(wanted)}

    def item(self, queue_id: str, number: int) -> QueuedItem:
        """An item of a queue by its number. Raises InputError where there is none."""
        found = self._read(all_items(queue_id).where(QUEUE_ITEMS.c.number == number))
        if not found:
            raise InputError(f"there is no item {number} in this queue, or the queue is gone")
        return queued_from(dict(found[0]))

    def queues(self, matter: Matter | None = None, owner: Owner = "") -> list[Queue]:
        """The queues of a matter, or of all of somebody's, the newest first."""
        wanted = all_queues().where(QUEUES.c.matter.in_(matters_of(owner)))
        if matter is not None:
            wanted = wanted.where(QUEUES.c.matter == matter.id)
        return [Queue(**row) for row in self._read(wanted.order_by(QUEUES.c.created.desc(), QUEUES.c.id))]

    def delete_queue(self, queue_id: str, owner: Owner = "") -> None:
        """Delete a queue; what was said stays with its cases. Raises InputError where there is none."""
        with self._writing() as connection:
            own = QUEUES.c.matter.in_(matters_of(owner))
            if not connection.execute(delete(QUEUES).where(QUEUES.c.id == queue_id, own)).rowcount:
                raise no_queue(queue_id)

    def assign(self, queue_id: str, reviewer: str, owner: Owner = "") -> Queue:
        """Ask one more to review a queue: they may judge what is open in it, and end what others differ on.

        Raises InputError where somebody has no such queue, who is named already, or of too many.
        """
        name = reviewer_named(reviewer)
        own = and_(QUEUES.c.id == queue_id, QUEUES.c.matter.in_(matters_of(owner)))
        with self._writing() as connection:
            locked = select(QUEUES.c.settings).where(own).with_for_update()
            settings = connection.execute(locked).scalar_one_or_none()
            if settings is None:
                raise no_queue(queue_id)
            add_reviewer(connection, queue_id, settings, name)
        return self.queue(queue_id)

    def turn(self, queue_id: str, reviewer: str, session: str = "", *, lease: float = LEASE) -> Turn | None:
        """What a reviewer is to judge now, which is theirs for ``lease`` seconds; None where nothing is left.

        Asked again, the same session gets the same item, and what its reviewer put off comes last. Raises
        InputError where there is no such queue.
        """
        reviewer, session = reviewer_named(reviewer), session_named(session)
        with self._writing() as connection:
            queue = (
                connection.execute(select(QUEUES).where(QUEUES.c.id == queue_id).with_for_update())
                .mappings()
                .one_or_none()
            )
            if queue is None:
                raise no_queue(queue_id)
            now, until = moment(), moment(lease)
            over = and_(LEASES.c.queue == queue_id, LEASES.c.until <= now)
            connection.execute(delete(LEASES).where(over))
            row = connection.execute(next_for(queue_id, reviewer, session, now)).mappings().one_or_none()
            if row is None:
                return None
            held = {"queue": queue_id, "number": row["number"], "reviewer": reviewer}
            of_reviewer = and_(*(LEASES.c[name] == value for name, value in held.items()))
            connection.execute(delete(LEASES).where(of_reviewer))
            connection.execute(insert(LEASES), held | {"session": session, "until": until})
            criteria = criteria_of(connection, queue["matter"])
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
        """Keep what a reviewer says of an item; durable once this returns. What the same one said before
        stands no more. With ``queue`` the item must be in it, without it its case must be the owner's.

        Raises InputError for a verdict that the item's kind does not have, for what is not there, for an item
        of a queue that others are to judge, and where enough have judged it meanwhile; whoever settles a
        disagreement is not among those who are asked.
        """
        reviewer = reviewer_named(reviewer)
        values = {
            "verdict": verdict.value,
            "reason": words_of(reason, "reason"),
            "note": words_of(note, "note"),
            "reviewer": reviewer,
            "source": source.value,
            "seconds": seconds_of(seconds),
            "withdraws": None,
            "settles": settles,
            "stands": verdict is not Verdict.LATER,
        }
        with self._writing() as connection:
            if queue:
                owner, item = EVERYBODY, item_in(connection, queue, item)
            check_verdict(item, verdict)
            case_row = self._case(connection, item.case_id, owner, locked=True)
            if queue and not settles:
                check_turn(connection, queue, case_row["number"], item.key, reviewer)
            return add_said(connection, case_row, item, values | {"queue": queue or None})

    def withdraw(self, number: int, *, reviewer: str, queue: str = "", owner: Owner = "") -> Assessment:
        """Take back what one said, by its number; what the same one said of the item before does not come
        back. With ``queue`` it was said there, without it its case must be the owner's. Raises InputError
        where it is not what this reviewer said last of the item."""
        own = and_(ASSESSMENTS.c.number == number, ASSESSMENTS.c.reviewer == reviewer_named(reviewer))
        if queue:
            own, owner = and_(own, ASSESSMENTS.c.queue == queue), EVERYBODY
        with self._writing() as connection:
            before = connection.execute(select(ASSESSMENTS).where(own)).mappings().one_or_none()
            if before is None:
                raise not_said()
            of_owner = and_(CASES.c.number == before["case_number"], CASES.c.matter.in_(matters_of(owner)))
            locked = select(CASES).where(of_owner).with_for_update()
            case_row = connection.execute(locked).mappings().one_or_none()
            if case_row is None:
                raise not_said()
            check_standing(connection, before)
            columns = ("verdict", "reason", "note", "reviewer", "source", "settles", "queue")
            values = {name: before[name] for name in columns}
            values |= {"seconds": None, "withdraws": number, "stands": False}
            return add_said(connection, case_row, item_from(before["item"], case_row["id"]), values)

    def forget_reviewer(self, name: str, *, dry_run: bool = False) -> int:
        """Put a word that tells nothing in the place of a reviewer's name, the same one everywhere, so that
        the verdicts stay those of one person, and take their reasons and notes away; returns how many had
        the name."""
        name = reviewer_named(name)
        with self._writing() as connection:
            names = names_with(connection, name, f"(forgotten {new_id()[:8]})")
            bore = select(func.count()).select_from(ASSESSMENTS).where(ASSESSMENTS.c.reviewer.in_(names))
            count = int(connection.execute(bore).scalar_one())
            if not dry_run:
                for before, after in names.items():
                    words = before.partition(BROUGHT.partition("{")[0])[0] == name
                    rename_reviewer(connection, before, after, words=words)
        # Pages as they were before may still be there.
        clear_log(self._engine)
        return count

    def last_said(self, queue_id: str, reviewer: str) -> Assessment | None:
        """What a reviewer said last in a queue and has not taken back; None for nothing."""
        reviewer = reviewer_named(reviewer)
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
        wanted = all_said().where(own, ASSESSMENTS.c.withdraws.is_(None), ~later)
        found = self._read(wanted.order_by(ASSESSMENTS.c.number.desc()).limit(1))
        return assessment_from(dict(found[0])) if found else None

    def assessments(
        self,
        matter: Matter | None = None,
        owner: Owner = "",
        *,
        case_id: str = "",
        queue: str = "",
        corpus: str = "",
        stands: bool = False,
    ) -> list[Assessment]:
        """All that was said, in order, or what stands of it: of a matter, a case, a queue, or of all of
        somebody's cases; of those that asked a corpus, where its name is given."""
        wanted = all_said().where(CASES.c.matter.in_(matters_of(owner)))
        if matter is not None:
            wanted = wanted.where(CASES.c.matter == matter.id)
        if case_id:
            wanted = wanted.where(CASES.c.id == case_id)
        if queue:
            wanted = wanted.where(ASSESSMENTS.c.queue == queue)
        if corpus:
            wanted = wanted.where(CASES.c.corpus == corpus)
        if stands:
            wanted = wanted.where(ASSESSMENTS.c.stands)
        return [assessment_from(dict(row)) for row in self._read(wanted.order_by(ASSESSMENTS.c.number))]

    def corpora(self, matter: Matter) -> list[str]:
        """The names of the corpora that cases of a matter asked of which something stands that was said, the
        one of which most does first."""
        joined = select(CASES.c.corpus).join(ASSESSMENTS, ASSESSMENTS.c.case_number == CASES.c.number)
        of = CASES.c.matter == matter.id, ASSESSMENTS.c.stands
        counted = joined.where(*of).group_by(CASES.c.corpus)
        return [row["corpus"] for row in self._read(counted.order_by(func.count().desc(), CASES.c.corpus))]

    def others(self, item: Item, reviewer: str) -> list[Assessment]:
        """What others say of an item, which nobody is shown who has not said anything: nothing then."""
        reviewer = reviewer_named(reviewer)
        of_item = and_(CASES.c.id == item.case_id, ASSESSMENTS.c.key == item.key, ASSESSMENTS.c.stands)
        found = [assessment_from(dict(row)) for row in self._read(all_said().where(of_item))]
        has_judged = any(one.reviewer == reviewer for one in found)
        return [one for one in found if one.reviewer != reviewer] if has_judged else []

    def progress(self, queue_id: str, reviewer: str) -> Progress:
        """How far a queue is, for one of its reviewers."""
        reviewer = reviewer_named(reviewer)
        own = and_(ASSESSMENTS.c.queue == queue_id, ASSESSMENTS.c.reviewer == reviewer, ASSESSMENTS.c.stands)
        counted = select(
            func.count().label("own"),
            func.count(case((ASSESSMENTS.c.at >= today(), 1))).label("today"),
        ).where(own)
        done = func.count(case((QUEUE_ITEMS.c.judged >= QUEUE_ITEMS.c.wanted, 1)))
        total = select(func.count().label("items"), done.label("judged"))
        left = select(
            func.count().label("left"), func.count(case((put_off(queue_id, reviewer), 1))).label("later")
        ).where(open_to(queue_id, reviewer))
        with self._reading() as connection:
            of_queue = total.where(QUEUE_ITEMS.c.queue == queue_id)
            found: dict[str, int] = {}
            for wanted in (of_queue, counted, left):
                found |= connection.execute(wanted).mappings().one()
        return Progress(**found)
