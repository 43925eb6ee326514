"""Queues and assessments as values, and their rows in the tables of reviews."""

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
from engine.records.store.chain import in_utc
from engine.records.store.database import Matter
from engine.records.store.opening import ASSESSMENTS, CRITERIA, LEASES, QUEUE_ITEMS, QUEUES, WEIGHTS
from engine.records.store.tables import CASES
from engine.review.model import VERDICTS, Assessment, Item, Verdict
from engine.review.queries import is_assigned, names_reviewer

_Value = TypeVar("_Value")
_ITEM, _ASSESSMENT, _NAMES = TypeAdapter(Item), TypeAdapter(Assessment), TypeAdapter(list[list[str]])
# Key in a queue's settings: the reviewers who were added to it.
INVITED = "invited"


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria of relevance in a matter, in words; ``version`` counts from 1."""

    version: int
    text: str
    who: str
    at: str


@dataclass(frozen=True, slots=True)
class QueuedItem:
    """An item of a queue.

    ``stratum`` is the stratum it was drawn from, ``chance`` the probability of that, above 0 and at most 1,
    or 0 if unknown; ``assigned`` are its reviewers (empty: anyone), ``wanted`` is the number of reviewers
    needed.
    """

    item: Item
    stratum: str = ""
    chance: float = 1.0
    assigned: tuple[str, ...] = ()
    wanted: int = 1


@dataclass(frozen=True, slots=True)
class Queue:
    """Items to be judged, of cases of one matter. ``settings`` record how they were chosen; ``judged`` of
    ``items`` have all their verdicts. ``unsettled`` counts items with an open disagreement."""

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
        """Assigned or added reviewers; empty if there are none."""
        sampling = self.settings.get("sampling")
        drawn = sampling.get("assigned", []) if isinstance(sampling, Mapping) else []
        named = checked_values(_NAMES, [drawn, self.settings.get(INVITED, [])], "queues.settings")
        return tuple(dict.fromkeys(name for names in named for name in names))


@dataclass(frozen=True, slots=True)
class Turn:
    """The next item of a reviewer, by its number in the queue, with the question of its case and the criteria
    of its matter. ``until`` is the end of the lease, UTC."""

    number: int
    item: Item
    question: str
    criteria: Criteria | None
    stratum: str
    until: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a queue: ``judged`` of ``items`` in all, ``own`` by this reviewer and ``today`` since
    midnight UTC, ``left`` that this reviewer can still judge, ``later`` of them postponed."""

    items: int
    judged: int
    own: int
    today: int
    left: int
    later: int


def plain_item(item: Item) -> dict[str, Any]:
    """Return an item as plain values, without its case, which the row has."""
    found = asdict(item)
    del found["case_id"]
    return found | {"kind": item.kind.value, "copies": list(item.copies)}


def item_from(values: Mapping[str, Any], case_id: str) -> Item:
    """Make an item from plain values; unknown fields are ignored. Raises DamagedError for invalid values."""
    return checked_values(_ITEM, {**values, "case_id": case_id}, "item")


def queued_from(row: Mapping[str, Any]) -> QueuedItem:
    """Make a queued item from its row joined with the id of its case; ``wanted`` is the original number of
    reviewers."""
    assigned = tuple(row["assigned"].split("\n")[1:-1])
    return QueuedItem(
        item_from(row["item"], row["case_id"]), row["stratum"], row["chance"], assigned, row["overlap"]
    )


def assessment_from(row: Mapping[str, Any]) -> Assessment:
    """Make an assessment from its row joined with the id and question of its case."""
    item = item_from(row["item"], row["case_id"])
    return checked_values(_ASSESSMENT, {**row, "item": item}, "assessments")


def checked_values(form: TypeAdapter[_Value], values: Any, where: str) -> _Value:
    """Validate stored plain values. Raises DamagedError for invalid ones; ``where`` names their origin."""
    try:
        return form.validate_python(values)
    except ValidationError as error:
        raise DamagedError(".".join(map(str, (where, *error.errors()[0]["loc"])))) from None


def timestamp(seconds: float = 0.0) -> str:
    """Return the time now, or some seconds later, in the tables' format."""
    return in_utc(datetime.now(UTC) + timedelta(seconds=seconds))


def start_of_day() -> str:
    """Return the last midnight, UTC, in the tables' format."""
    return in_utc(datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0))


# The functions below run within a transaction of the caller.

# Maximum reviewers of an item on which two differ.
MOST_ASKED = 3
# Maximum reviewers added to an existing queue.
MOST_INVITED = 20
LONGEST_NAME, LONGEST_TEXT, LONGEST_SESSION = 200, 20_000, 64


def get_criteria(connection: Connection, matter: str) -> Criteria | None:
    """Return the latest criteria of a matter, by id; None if there are none."""
    query = select(CRITERIA).where(CRITERIA.c.matter == matter).order_by(CRITERIA.c.version.desc()).limit(1)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else Criteria(row["version"], row["text"], row["who"], row["at"])


def case_numbers(connection: Connection, case_ids: set[str], matter: Matter) -> dict[str, int]:
    """Return the numbers of a matter's cases by id. Raises InputError for an unknown one."""
    query = select(CASES.c.id, CASES.c.number).where(CASES.c.id.in_(case_ids), CASES.c.matter == matter.id)
    found = {row.id: row.number for row in connection.execute(query)}
    if missing := sorted(case_ids - found.keys()):
        raise InputError(f"there is no case {missing[0][:40]!r} in the matter {matter.name!r}")
    return found


def queue_row(queue: str, place: int, numbers: dict[str, int], one: QueuedItem) -> dict[str, Any]:
    """Return the row of an item of a queue; ``numbers`` are those of the cases."""
    lines = "".join(f"{name}\n" for name in map(check_reviewer, one.assigned))
    overlap = max(1, one.wanted)
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
        "overlap": overlap,
        "wanted": overlap,
        "judged": 0,
    }


def find_item(connection: Connection, queue: str, item: Item) -> Item:
    """Return an item as stored in a queue. Raises InputError if it is not there."""
    query = (
        select(QUEUE_ITEMS.c.item)
        .join(CASES, CASES.c.number == QUEUE_ITEMS.c.case_number)
        .where(QUEUE_ITEMS.c.queue == queue, CASES.c.id == item.case_id, QUEUE_ITEMS.c.key == item.key)
    )
    found = connection.execute(query.limit(1)).scalar_one_or_none()
    if found is None:
        raise InputError("this item is not in the queue, or the queue was deleted")
    return item_from(found, item.case_id)


def check_verdict(item: Item, verdict: Verdict) -> None:
    """Raise InputError for a verdict that items of this kind do not have."""
    if verdict not in VERDICTS[item.kind]:
        known = ", ".join(one.value for one in VERDICTS[item.kind])
        raise InputError(f"{verdict.value!r} is not a verdict on a {item.kind.value}; use one of {known}")


def check_turn(connection: Connection, queue: str, case_number: int, key: str, reviewer: str) -> None:
    """Raise InputError if a reviewer who has not judged an item is not assigned to it, or enough others have
    judged it."""
    own = exists(
        select(ASSESSMENTS.c.number).where(
            ASSESSMENTS.c.case_number == case_number,
            ASSESSMENTS.c.key == key,
            ASSESSMENTS.c.reviewer == reviewer,
            ASSESSMENTS.c.is_current,
        )
    )
    is_open = QUEUE_ITEMS.c.judged < QUEUE_ITEMS.c.wanted
    query = select(
        or_(own, is_open).label("may_answer"), or_(own, is_assigned(queue, reviewer)).label("is_asked")
    )
    here = and_(
        QUEUE_ITEMS.c.queue == queue, QUEUE_ITEMS.c.case_number == case_number, QUEUE_ITEMS.c.key == key
    )
    may_answer, is_asked = connection.execute(query.where(here).limit(1)).one()
    if not is_asked:
        raise InputError("this item is assigned to other reviewers: take the next")
    if not may_answer:
        raise InputError("another reviewer has judged this in the meantime: take the next")


def check_is_latest(connection: Connection, before: RowMapping) -> None:
    """Raise InputError unless an assessment is its reviewer's latest of the item, and no withdrawal."""
    later = select(ASSESSMENTS.c.number).where(
        ASSESSMENTS.c.case_number == before["case_number"],
        ASSESSMENTS.c.key == before["key"],
        ASSESSMENTS.c.reviewer == before["reviewer"],
        ASSESSMENTS.c.number > before["number"],
    )
    if before["withdraws"] is not None or connection.execute(later.limit(1)).first() is not None:
        raise no_assessment_error()


def add_reviewer(connection: Connection, queue: str, settings: dict[str, Any], name: str) -> None:
    """Add a reviewer to a queue, and to each of its items with assigned reviewers. Raises InputError for one
    who is in it already, and for too many."""
    own = and_(QUEUE_ITEMS.c.queue == queue, QUEUE_ITEMS.c.assigned != "")
    missing = and_(own, ~names_reviewer(QUEUE_ITEMS, name))
    added = connection.execute(
        update(QUEUE_ITEMS).where(missing).values(assigned=QUEUE_ITEMS.c.assigned + f"{name}\n")
    )
    invited = settings.get(INVITED, [])
    names_some = connection.execute(select(exists(select(QUEUE_ITEMS.c.number).where(own)))).scalar_one()
    if not added.rowcount and (names_some or name in invited):
        raise InputError(f"{name} is a reviewer of this queue already")
    if len(invited) >= MOST_INVITED:
        raise InputError(f"a queue has at most {MOST_INVITED} reviewers who were added to it")
    values = settings | {INVITED: [*dict.fromkeys((*invited, name))]}
    connection.execute(update(QUEUES).where(QUEUES.c.id == queue).values(settings=values))


def add_assessment(
    connection: Connection, case_row: RowMapping, item: Item, values: dict[str, Any]
) -> Assessment:
    """Append an assessment; the reviewer's earlier one of the item is superseded."""
    of_item = and_(ASSESSMENTS.c.case_number == case_row["number"], ASSESSMENTS.c.key == item.key)
    own = and_(of_item, ASSESSMENTS.c.reviewer == values["reviewer"])
    connection.execute(update(ASSESSMENTS).where(own, ASSESSMENTS.c.is_current).values(is_current=False))
    criteria = get_criteria(connection, case_row["matter"])
    row = values | {
        "case_number": case_row["number"],
        "key": item.key,
        "kind": item.kind.value,
        "item": plain_item(item),
        "at": timestamp(),
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
    """Update the numbers of verdicts given and needed for an item, in each queue that has it."""
    of_item = and_(ASSESSMENTS.c.case_number == case_number, ASSESSMENTS.c.key == key)
    query = select(ASSESSMENTS.c.verdict, ASSESSMENTS.c.settles).where(of_item, ASSESSMENTS.c.is_current)
    verdicts = connection.execute(query).all()
    differ, settled = len({one.verdict for one in verdicts}) > 1, any(one.settles for one in verdicts)
    overlap = QUEUE_ITEMS.c.overlap
    wanted = case((and_(overlap > 1, overlap < MOST_ASKED), MOST_ASKED), else_=overlap) if differ else overlap
    here = and_(QUEUE_ITEMS.c.case_number == case_number, QUEUE_ITEMS.c.key == key)
    changed = update(QUEUE_ITEMS).where(here)
    connection.execute(changed.values(judged=wanted if settled else len(verdicts), wanted=wanted))


def _release(connection: Connection, case_number: int, key: str, reviewer: str) -> None:
    """Release a reviewer's lease on an item after a verdict."""
    here = select(QUEUE_ITEMS.c.number).where(
        QUEUE_ITEMS.c.queue == LEASES.c.queue,
        QUEUE_ITEMS.c.number == LEASES.c.number,
        QUEUE_ITEMS.c.case_number == case_number,
        QUEUE_ITEMS.c.key == key,
    )
    connection.execute(delete(LEASES).where(LEASES.c.reviewer == reviewer, exists(here)))


def recount_judged(connection: Connection, matter: Matter, items: set[tuple[int, str]]) -> None:
    """Count the assessments made before queueing, of items given by case number and key."""
    numbers = select(CASES.c.number).where(CASES.c.matter == matter.id)
    judged = select(ASSESSMENTS.c.case_number, ASSESSMENTS.c.key).distinct()
    found = connection.execute(judged.where(ASSESSMENTS.c.is_current, ASSESSMENTS.c.case_number.in_(numbers)))
    # The same order for all, so that no two transactions wait for each other.
    for case_number, key in sorted(items.intersection((row.case_number, row.key) for row in found)):
        recount(connection, case_number, key)


def check_reviewer(name: str) -> str:
    """Return a reviewer's name in the tables' format: one line. Raises InputError for an invalid one."""
    return check_name(name, "a reviewer", LONGEST_NAME)


def check_session(session: str) -> str:
    """Return a session's name. Raises InputError if it is too long."""
    if len(_writable(session, "a session's name")) > LONGEST_SESSION:
        raise InputError(f"a session has a name of at most {LONGEST_SESSION} characters")
    return session


def check_text(words: str, what: str) -> str:
    """Return a text without surrounding blanks. Raises InputError if it is too long."""
    words = _writable(words, what).strip()
    if len(words) > LONGEST_TEXT:
        raise InputError(f"{what}: longer than the {LONGEST_TEXT:,} characters taken here")
    return words


def check_seconds(seconds: float | None) -> float | None:
    """Return the seconds that a verdict took. Raises InputError for an invalid number."""
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        raise InputError(f"seconds: {seconds} is not a duration")
    return seconds


def _writable(words: str, what: str) -> str:
    """Return words that every database accepts. Raises InputError for NUL and lone surrogates."""
    if "\0" in words or any("\ud800" <= one <= "\udfff" for one in words):
        raise InputError(f"{what}: contains characters that are not text")
    return words


def no_assessment_error() -> InputError:
    """Return the error for an assessment that a reviewer cannot withdraw."""
    return InputError("this is not your latest verdict, or it was taken back already")


def unknown_queue_error(queue_id: str) -> InputError:
    """Return the error for an unknown queue."""
    return InputError(f"there is no queue {queue_id[:40]!r}")


def rename_reviewer(connection: Connection, name: str, new: str, *, words: bool = False) -> None:
    """Replace a reviewer's name wherever these tables have it. ``words``: also delete the reasons and notes
    of their verdicts."""
    if words:
        verdicts = update(ASSESSMENTS).where(ASSESSMENTS.c.reviewer == name)
        connection.execute(verdicts.values(reason="", note=""))
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
    """Return the list under a key with a name replaced, as a dict; empty if there is no list."""
    named = values.get(key)
    return {key: [new if one == name else one for one in named]} if named else {}
