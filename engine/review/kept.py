"""Verdicts as they are kept and added."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, RowMapping, and_, case, delete, exists, func, insert, or_, select, update

from engine.corpus.journal import check_name
from engine.errors import DamagedError, InputError
from engine.records.store.listing import Matter
from engine.records.store.review_tables import ASSESSMENTS, CRITERIA, LEASES, QUEUE_ITEMS, QUEUES, WEIGHTS
from engine.records.store.sealing import in_utc
from engine.records.store.tables import CASES
from engine.review.asking import is_assigned, names
from engine.review.model import VERDICTS, Assessment, Item, Verdict

# Rows of the tables of reviews, and what they are made of.

_Value = TypeVar("_Value")
_ITEM, _ASSESSMENT, _NAMES = TypeAdapter(Item), TypeAdapter(Assessment), TypeAdapter(list[list[str]])
# In the settings of a queue: the names of those who were asked to join its reviewers.
INVITED = "invited"


@dataclass(frozen=True, slots=True)
class Criteria:
    """What counts as relevant in a matter, in somebody's words; ``version`` counts from 1."""

    version: int
    text: str
    who: str
    at: str


@dataclass(frozen=True, slots=True)
class QueuedItem:
    """An item as it is put into a queue. ``stratum`` says where it was drawn from, ``chance`` is the
    probability, above 0 and at most 1, with which it was, 0 where it is not known; ``assigned`` are the
    reviewers who judge it, nobody for anybody, ``wanted`` how many of them."""

    item: Item
    stratum: str = ""
    chance: float = 1.0
    assigned: tuple[str, ...] = ()
    wanted: int = 1


@dataclass(frozen=True, slots=True)
class Queue:
    """Items to be judged, of cases of one matter. ``settings`` say how they were chosen; ``judged`` of
    ``items`` have as many verdicts as are wanted. ``unsettled``: on so many those who judged them differ, and
    nobody has ended that."""

    id: str
    matter: str
    name: str
    who: str
    created: str
    settings: Mapping[str, Any]
    items: int
    judged: int
    unsettled: int = 0

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who was named to judge its items, or asked to join; nobody where nobody was."""
        sampling = self.settings.get("sampling")
        drawn = sampling.get("assigned", []) if isinstance(sampling, Mapping) else []
        named = checked_values(_NAMES, [drawn, self.settings.get(INVITED, [])], "queues.settings")
        return tuple(dict.fromkeys(name for names in named for name in names))


@dataclass(frozen=True, slots=True)
class Turn:
    """What a reviewer is to judge now: the item, by its number in the queue, the question of its case and the
    criteria of its matter. ``until``: for so long nobody else gets it in the reviewer's place, UTC."""

    number: int
    item: Item
    question: str
    criteria: Criteria | None
    stratum: str
    until: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a queue is: ``judged`` of ``items`` in all, ``own`` by this reviewer and ``today`` since
    midnight UTC, ``left`` that this reviewer can still judge, ``later`` of them put off by them."""

    items: int
    judged: int
    own: int
    today: int
    left: int
    later: int


def plain_item(item: Item) -> dict[str, Any]:
    """An item as plain values, without its case, which the row names."""
    found = asdict(item)
    del found["case_id"]
    return found | {"kind": item.kind.value, "copies": list(item.copies)}


def item_from(values: Mapping[str, Any], case_id: str) -> Item:
    """An item from plain values; fields that this program does not know are passed over. Raises DamagedError
    for values that are no item."""
    return checked_values(_ITEM, {**values, "case_id": case_id}, "item")


def queued_from(row: Mapping[str, Any]) -> QueuedItem:
    """An item of a queue from its row, joined with the id of its case; ``wanted`` are as many as were to
    judge it at first."""
    names = tuple(row["assigned"].split("\n")[1:-1])
    return QueuedItem(
        item_from(row["item"], row["case_id"]), row["stratum"], row["chance"], names, row["overlap"]
    )


def assessment_from(row: Mapping[str, Any]) -> Assessment:
    """An assessment from its row, joined with the id and the question of its case."""
    item = item_from(row["item"], row["case_id"])
    return checked_values(_ASSESSMENT, {**row, "item": item}, "assessments")


def checked_values(form: TypeAdapter[_Value], values: Any, where: str) -> _Value:
    """Plain values that were kept, as what they are. Raises DamagedError for others; ``where`` they were."""
    try:
        return form.validate_python(values)
    except ValidationError as error:
        raise DamagedError(".".join(map(str, (where, *error.errors()[0]["loc"])))) from None


def moment(seconds: float = 0.0) -> str:
    """Now, or so many seconds later, as the tables have it."""
    return in_utc(datetime.now(UTC) + timedelta(seconds=seconds))


def today() -> str:
    """The last midnight, UTC, as the tables have it."""
    return in_utc(datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0))


# What is put into the tables of reviews, inside a transaction of the caller's.

# Reviewers who are asked of an item about which two differ.
MOST_ASKED = 3
# Reviewers who are added to a queue that was made.
MOST_INVITED = 20
LONGEST_NAME, LONGEST_TEXT, LONGEST_SESSION = 200, 20_000, 64


def criteria_of(connection: Connection, matter: str) -> Criteria | None:
    """The last criteria of a matter, by its id; None where nobody has said any."""
    wanted = select(CRITERIA).where(CRITERIA.c.matter == matter).order_by(CRITERIA.c.version.desc()).limit(1)
    row = connection.execute(wanted).mappings().one_or_none()
    return None if row is None else Criteria(row["version"], row["text"], row["who"], row["at"])


def case_numbers(connection: Connection, case_ids: set[str], matter: Matter) -> dict[str, int]:
    """The numbers of cases of a matter, by their ids. Raises InputError for one that is not there."""
    wanted = select(CASES.c.id, CASES.c.number).where(CASES.c.id.in_(case_ids), CASES.c.matter == matter.id)
    found = {row.id: row.number for row in connection.execute(wanted)}
    if missing := sorted(case_ids - found.keys()):
        raise InputError(f"there is no case {missing[0][:40]!r} in the matter {matter.name!r}")
    return found


def queued_row(queue: str, place: int, numbers: dict[str, int], one: QueuedItem) -> dict[str, Any]:
    """The row of an item of a queue; ``numbers`` are those of the cases."""
    lines = "".join(f"{name}\n" for name in map(reviewer_named, one.assigned))
    wanted = max(1, one.wanted)
    return {
        "queue": queue,
        "number": place,
        "case_number": numbers[one.item.case_id],
        "key": one.item.key,
        "kind": one.item.kind.value,
        "item": plain_item(one.item),
        "stratum": one.stratum,
        "chance": one.chance,
        "place": float(place),
        "assigned": f"\n{lines}" if lines else "",
        "overlap": wanted,
        "wanted": wanted,
        "judged": 0,
    }


def item_in(connection: Connection, queue: str, item: Item) -> Item:
    """An item as a queue has it."""
    wanted = (
        select(QUEUE_ITEMS.c.item)
        .join(CASES, CASES.c.number == QUEUE_ITEMS.c.case_number)
        .where(QUEUE_ITEMS.c.queue == queue, CASES.c.id == item.case_id, QUEUE_ITEMS.c.key == item.key)
    )
    found = connection.execute(wanted.limit(1)).scalar_one_or_none()
    if found is None:
        raise InputError("this item is not in the queue, or the queue is gone")
    return item_from(found, item.case_id)


def check_verdict(item: Item, verdict: Verdict) -> None:
    """Raises InputError for a verdict that items of this kind do not have."""
    if verdict not in VERDICTS[item.kind]:
        known = ", ".join(one.value for one in VERDICTS[item.kind])
        raise InputError(f"{verdict.value!r} is no verdict on a {item.kind.value}; there are {known}")


def check_turn(connection: Connection, queue: str, case_number: int, key: str, reviewer: str) -> None:
    """Raises InputError where a reviewer who has not judged an item is none of those who are to, or where
    enough others have."""
    own = exists(
        select(ASSESSMENTS.c.number).where(
            ASSESSMENTS.c.case_number == case_number,
            ASSESSMENTS.c.key == key,
            ASSESSMENTS.c.reviewer == reviewer,
            ASSESSMENTS.c.stands,
        )
    )
    is_open = QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted
    wanted = select(
        or_(own, is_open).label("may_answer"), or_(own, is_assigned(queue, reviewer)).label("is_asked")
    )
    here = and_(
        QUEUE_ITEMS.c.queue == queue, QUEUE_ITEMS.c.case_number == case_number, QUEUE_ITEMS.c.key == key
    )
    may_answer, is_asked = connection.execute(wanted.where(here).limit(1)).one()
    if not is_asked:
        raise InputError("this is for other reviewers to judge: take the next")
    if not may_answer:
        raise InputError("somebody else has judged this meanwhile: take the next")


def check_standing(connection: Connection, before: RowMapping) -> None:
    """Raises InputError where an assessment is not what its reviewer said last of the item, or takes one
    back itself."""
    later = select(ASSESSMENTS.c.number).where(
        ASSESSMENTS.c.case_number == before["case_number"],
        ASSESSMENTS.c.key == before["key"],
        ASSESSMENTS.c.reviewer == before["reviewer"],
        ASSESSMENTS.c.number > before["number"],
    )
    if before["withdraws"] is not None or connection.execute(later.limit(1)).first() is not None:
        raise not_said()


def add_reviewer(connection: Connection, queue: str, settings: dict[str, Any], name: str) -> None:
    """Name one more reviewer of a queue, and of each item that names any. Raises InputError for one who is
    named already, and where too many are."""
    own = and_(QUEUE_ITEMS.c.queue == queue, QUEUE_ITEMS.c.assigned != "")
    missing = and_(own, ~names(QUEUE_ITEMS, name))
    added = connection.execute(
        update(QUEUE_ITEMS).where(missing).values(assigned=QUEUE_ITEMS.c.assigned + f"{name}\n")
    )
    invited = settings.get(INVITED, [])
    names_some = connection.execute(select(exists(select(QUEUE_ITEMS.c.number).where(own)))).scalar_one()
    if not added.rowcount and (names_some or name in invited):
        raise InputError(f"{name} is one of the reviewers of this queue already")
    if len(invited) >= MOST_INVITED:
        raise InputError(f"a queue has at most {MOST_INVITED} reviewers who were added to it")
    values = settings | {INVITED: [*dict.fromkeys((*invited, name))]}
    connection.execute(update(QUEUES).where(QUEUES.c.id == queue).values(settings=values))


def add_said(connection: Connection, case_row: RowMapping, item: Item, values: dict[str, Any]) -> Assessment:
    """Put an assessment behind all others; what its reviewer said of the item before stands no more."""
    of_item = and_(ASSESSMENTS.c.case_number == case_row["number"], ASSESSMENTS.c.key == item.key)
    own = and_(of_item, ASSESSMENTS.c.reviewer == values["reviewer"])
    connection.execute(update(ASSESSMENTS).where(own, ASSESSMENTS.c.stands).values(stands=False))
    criteria = criteria_of(connection, case_row["matter"])
    row = values | {
        "case_number": case_row["number"],
        "key": item.key,
        "kind": item.kind.value,
        "item": plain_item(item),
        "at": moment(),
        "sha256": hashlib.sha256(item.text.encode()).hexdigest(),
        "fingerprint": case_row["fingerprint"],
        "engine": case_row["engine"],
        "criteria": 0 if criteria is None else criteria.version,
    }
    added = connection.execute(insert(ASSESSMENTS).returning(ASSESSMENTS.c.number), row)
    number = int(added.scalar_one())
    recount(connection, case_row["number"], item.key)
    _release(connection, case_row["number"], item.key, values["reviewer"])
    return assessment_from(
        row | {"number": number, "case_id": case_row["id"], "question": case_row["question"]}
    )


def recount(connection: Connection, case_number: int, key: str) -> None:
    """How many have judged an item, in each queue that has it, and how many are to."""
    of_item = and_(ASSESSMENTS.c.case_number == case_number, ASSESSMENTS.c.key == key)
    wanted = select(ASSESSMENTS.c.verdict, ASSESSMENTS.c.settles).where(of_item, ASSESSMENTS.c.stands)
    said = connection.execute(wanted).all()
    differ, settled = len({one.verdict for one in said}) > 1, any(one.settles for one in said)
    overlap = QUEUE_ITEMS.c.overlap
    asked = case((and_(overlap > 1, overlap < MOST_ASKED), MOST_ASKED), else_=overlap) if differ else overlap
    here = and_(QUEUE_ITEMS.c.case_number == case_number, QUEUE_ITEMS.c.key == key)
    changed = update(QUEUE_ITEMS).where(here)
    connection.execute(changed.values(judged=asked if settled else len(said), wanted=asked))


def _release(connection: Connection, case_number: int, key: str, reviewer: str) -> None:
    """Let others have an item that a reviewer has judged or put off."""
    here = select(QUEUE_ITEMS.c.number).where(
        QUEUE_ITEMS.c.queue == LEASES.c.queue,
        QUEUE_ITEMS.c.number == LEASES.c.number,
        QUEUE_ITEMS.c.case_number == case_number,
        QUEUE_ITEMS.c.key == key,
    )
    connection.execute(delete(LEASES).where(LEASES.c.reviewer == reviewer, exists(here)))


def recount_judged(connection: Connection, matter: Matter, items: set[tuple[int, str]]) -> None:
    """Count those of some items, by the numbers of their cases and their keys, of which something was said
    before they were queued."""
    numbers = select(CASES.c.number).where(CASES.c.matter == matter.id)
    said = select(ASSESSMENTS.c.case_number, ASSESSMENTS.c.key).distinct()
    found = connection.execute(said.where(ASSESSMENTS.c.stands, ASSESSMENTS.c.case_number.in_(numbers)))
    # In an order that is the same for all, so that no two wait for each other.
    for case_number, key in sorted(items.intersection((row.case_number, row.key) for row in found)):
        recount(connection, case_number, key)


def reviewer_named(name: str) -> str:
    """A name as the tables have it: one line. Raises InputError for what is none."""
    return check_name(name, "a reviewer", LONGEST_NAME)


def session_named(session: str) -> str:
    """The name of a session. Raises InputError for what is too long."""
    if len(_writable(session, "a session's name")) > LONGEST_SESSION:
        raise InputError(f"a session has a name of at most {LONGEST_SESSION} characters")
    return session


def words_of(words: str, what: str) -> str:
    """What somebody wrote, without blanks around it. Raises InputError for too much of it."""
    words = _writable(words, what).strip()
    if len(words) > LONGEST_TEXT:
        raise InputError(f"{what}: longer than the {LONGEST_TEXT:,} characters taken here")
    return words


def seconds_of(seconds: float | None) -> float | None:
    """How long somebody took. Raises InputError for what is no time."""
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        raise InputError(f"seconds: {seconds} is not how long anybody takes")
    return seconds


def _writable(words: str, what: str) -> str:
    """Words that every database takes: neither NUL nor half a character."""
    if "\0" in words or any("\ud800" <= one <= "\udfff" for one in words):
        raise InputError(f"{what}: there are characters in it that no text has")
    return words


def not_said() -> InputError:
    """What to raise for an assessment that a reviewer cannot take back."""
    return InputError("this was not said by you, or was taken back already")


def no_queue(queue_id: str) -> InputError:
    """What to raise for a queue that is not there."""
    return InputError(f"there is no queue {queue_id[:40]!r}")


def rename_reviewer(connection: Connection, name: str, new: str, *, words: bool = False) -> None:
    """Put another name in the place of a reviewer's, wherever these tables have it. ``words``: and take the
    reasons and notes of their verdicts away."""
    if words:
        said = update(ASSESSMENTS).where(ASSESSMENTS.c.reviewer == name)
        connection.execute(said.values(reason="", note=""))
    columns = (ASSESSMENTS.c.reviewer, LEASES.c.reviewer, QUEUES.c.who, CRITERIA.c.who, WEIGHTS.c.who)
    for column in columns:
        connection.execute(update(column.table).where(column == name).values({column.name: new}))
    own = QUEUE_ITEMS.c.assigned
    line = func.replace(own, f"\n{name}\n", f"\n{new}\n")
    connection.execute(update(QUEUE_ITEMS).where(own != "").values(assigned=line))
    for queue in connection.execute(select(QUEUES.c.id, QUEUES.c.settings)).all():
        settings = queue.settings
        sampling = settings.get("sampling")
        if isinstance(sampling, dict):
            settings = settings | {"sampling": sampling | _renamed(sampling, "assigned", name, new)}
        settings = settings | _renamed(settings, INVITED, name, new)
        if settings != queue.settings:
            connection.execute(update(QUEUES).where(QUEUES.c.id == queue.id).values(settings=settings))


def _renamed(values: dict[str, Any], key: str, name: str, new: str) -> dict[str, Any]:
    """A list of names under its key, with another name in the place of one; nothing where it is not there."""
    named = values.get(key)
    return {key: [new if one == name else one for one in named]} if named else {}
