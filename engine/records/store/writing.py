"""Cases written to a store, handed to another owner, deleted."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    RowMapping,
    Select,
    Table,
    and_,
    delete,
    insert,
    or_,
    select,
    update,
)

from engine.errors import InputError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import (
    APART,
    IMPORTED,
    SHARED,
    Event,
    SealedCase,
    digest,
    faults,
    in_utc,
    now,
    said_apart,
    sealed,
    states_of,
    verdicts_sealed,
    written,
)
from engine.records.store.database import (
    CaseDatabase,
    CaseSummary,
    Matter,
    ThereError,
    UnknownCaseError,
    events_of,
    loaded,
    matters_of,
    summary_from,
    unpacked,
)
from engine.records.store.opening import ASSESSMENTS, told
from engine.records.store.rows import Values, rows_of, searched, summary_of
from engine.records.store.tables import CASES, EVENTS, MATTERS, OF_A_CASE, STATES, is_json

# Rows, events and states of a case, put into the tables inside a transaction of the caller's.

# Speed of zlib; a record shrinks to a sixth at the fastest.
_LEVEL = 1


def put_rows(connection: Connection, number: int, record: Mapping[str, Any]) -> None:
    """The rows of a record; ``number`` is that of its case."""
    for table, rows in rows_of(record).items():
        if rows:
            _put(connection, table, number, rows)


def put_anew(connection: Connection, number: int, record: Mapping[str, Any]) -> None:
    """The rows of a record in the place of those that the case has."""
    for table in OF_A_CASE:
        connection.execute(delete(table).where(table.c.case_number == number))
    put_rows(connection, number, record)


def put_events(connection: Connection, number: int, events: Sequence[Event]) -> None:
    """Events that are sealed."""
    connection.execute(insert(EVENTS), [{"case_number": number, **event.values()} for event in events])


def put_state(connection: Connection, number: int, event: int, state: bytes) -> None:
    """The record behind an event, by its number."""
    kept = {"case_number": number, "number": event, "record": zlib.compress(state, _LEVEL)}
    connection.execute(insert(STATES), kept)


def add_event(
    connection: Connection,
    case: RowMapping,
    kind: str,
    who: str,
    data: Mapping[str, Any],
    state: bytes | None = None,
) -> Event:
    """Seal an event behind the last of a case, as its row says it, and put it there."""
    found = Event(case["events"], now(), who, kind, dict(data), None if state is None else digest(state))
    event = sealed(found, case["id"], case["head"])
    put_events(connection, case["number"], [event])
    if state is not None:
        put_state(connection, case["number"], event.number, state)
    changed = {"changed": event.at, "events": event.number + 1, "head": event.hash}
    connection.execute(update(CASES).where(CASES.c.number == case["number"]).values(changed))
    return event


def _put(connection: Connection, table: Table, number: int, rows: Sequence[Values]) -> None:
    """Thousands of plain numbers and words: past SQLAlchemy, which would look at each."""
    names = [column.name for column in table.c]
    in_json = {place for place, column in enumerate(list(table.c)[1:]) if is_json(column)}
    if in_json:
        rows = [
            tuple(orjson.dumps(one).decode() if place in in_json else one for place, one in enumerate(row))
            for row in rows
        ]
    values = [(number, *row) for row in rows]
    columns = ", ".join(names)
    if connection.dialect.name == "sqlite":
        signs = ", ".join("?" for _ in names)
        connection.exec_driver_sql(f"insert into {table.name} ({columns}) values ({signs})", values)
        return
    import psycopg

    cursor: Any = connection.connection.cursor()
    try:
        with cursor, cursor.copy(f"copy {table.name} ({columns}) from stdin") as copy:
            for value in values:
                copy.write_row(value)
    except psycopg.Error as error:
        raise told(error, connection.engine.url) from None


# Cases that are handed to somebody: kept with all that happened to them, shown by their id, taken
# in.


class HandedCase(NamedTuple):
    """A case as it is handed to somebody: its record, and what is said of it with its chain."""

    record: dict[str, Any]
    case: SealedCase


class SharedCase(NamedTuple):
    """A case that its owner shows to whoever has its id."""

    summary: CaseSummary
    record: dict[str, Any]


class CaseHanding(CaseDatabase):
    """Takes cases in, hands them out, shows them to others."""

    def handed(self, case_id: str, owner: Owner = "") -> HandedCase:
        """A case to be handed to somebody."""
        with self._reading() as connection:
            row = self._case(connection, case_id, owner)
            events = events_of(connection, row)
            wanted = select(STATES.c.number, STATES.c.record).where(STATES.c.case_number == row["number"])
            kept = {one["number"]: one["record"] for one in connection.execute(wanted).mappings()}
        own = {event.number: event.state for event in events}
        states = {number: unpacked(record, own.get(number), case_id) for number, record in kept.items()}
        last = states.pop(max(states, default=0), b"")
        earlier = {str(own[number]): state for number, state in states.items() if state != last}
        case = SealedCase(row["id"], **said_apart(dict(row)), events=tuple(events), earlier=earlier)
        return HandedCase(loaded(last, case_id), case)

    def take_in(self, record: Mapping[str, Any], case: SealedCase, matter: Matter, *, who: str) -> None:
        """Keep a case that was kept or saved elsewhere, under its own id, with all that happened to it.

        Raises InputError where it is not as it was written, or is kept here already.
        """
        if found := faults(record, case):
            raise InputError(f"case {case.id} was changed: {'; '.join(found)}")
        states = states_of(written(record), case)
        absent = [one.number for one in case.events if one.state is not None and one.number not in states]
        said = {"is_shared": False, "matter": matter.id, "head": case.head, "left_behind": absent}
        if case.verdicts:
            said |= {"verdicts": len(case.verdicts), "verdicts_seal": verdicts_sealed(case)}
        try:
            with self._writing() as connection:
                row = self._insert(connection, record, case, matter, states)
                add_event(connection, row, IMPORTED, who, said)
                if case.verdicts:
                    connection.execute(insert(ASSESSMENTS), list(map(_said(row), case.verdicts)))
        except ThereError:
            raise InputError(f"case {case.id} is kept here already, or the matter is gone") from None

    def share(self, case_id: str, *, who: str, owner: Owner = "", shared: bool = True) -> None:
        """Show a case to whoever has its id, or to nobody else any more."""
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            if case["is_shared"] != shared:
                add_event(connection, case, SHARED, who, {"is_shared": shared})
                connection.execute(update(CASES).where(CASES.c.id == case_id).values(is_shared=shared))

    def shared(self, case_id: str) -> SharedCase:
        """A case for a reader who knows its id, without what its owner said of it: name, verdict and matter.
        Raises InputError if it is not shared, as if it was not there."""
        with self._reading() as connection:
            case = self._case(connection, case_id, EVERYBODY)
        if not case["is_shared"]:
            raise UnknownCaseError(case_id)
        bare = replace(summary_from(case), matter="", name="", verdict=None, verdict_right=None)
        return SharedCase(bare, self._state(case_id))

    def _insert(
        self,
        connection: Connection,
        record: Mapping[str, Any],
        case: SealedCase,
        matter: Matter,
        states: Mapping[int, bytes],
    ) -> RowMapping:
        """Put a case that is not there yet; ``states`` by the number of the event that each stands behind."""
        row = {
            **summary_of(record),
            **{name: getattr(case, name) for name in APART},
            "id": case.id,
            "matter": matter.id,
            "is_shared": False,
            "changed": case.events[-1].at,
            "searched": searched(record["question"], case.name, case.notes),
            "events": len(case.events),
            "head": case.head,
        }
        number = connection.execute(insert(CASES).values(row).returning(CASES.c.number)).scalar_one()
        put_rows(connection, number, record)
        put_events(connection, number, case.events)
        for event, state in states.items():
            put_state(connection, number, event, state)
        return self._case(connection, case.id, EVERYBODY)


def _said(case: RowMapping) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Makes rows of the verdicts that came with a case. By which criteria they were given is not known
    here."""

    def row(one: Mapping[str, Any]) -> dict[str, Any]:
        item = {name: value for name, value in one["item"].items() if name != "case_id"}
        named = {"case_number": case["number"], "key": item["key"], "kind": item["kind"], "item": item}
        return {**one, **named, "criteria": 0, "queue": None, "withdraws": None, "is_current": True}

    return row


# What is deleted: cases by id, matters, all of a person's, and what nobody looked at for long.

# Whoever sits at the machine owns the matters of this owner.
MACHINE = ""
# Milliseconds that readers are waited for before the log of what was written is left for later.
_PATIENCE = 2000


class CaseDeletion(CaseDatabase):
    """Deletes cases. In SQLite their bytes are overwritten; PostgreSQL does so when it next clears up."""

    def delete(self, case_ids: Iterable[str], owner: Owner = "") -> int:
        """Delete cases with all that belongs to them; returns how many there were. In SQLite their bytes are
        overwritten."""
        with self._writing() as connection:
            count = _delete_cases(connection, case_ids, owner)
        clear_log(self._engine)
        return count

    def delete_matter(self, matter: Matter) -> list[str]:
        """Delete a matter with all its cases; returns their ids."""
        with self._writing() as connection:
            gone = _delete_matters(connection, MATTERS.c.id == matter.id)
        clear_log(self._engine)
        return gone

    def delete_owner(self, owner: str) -> list[str]:
        """Delete all matters of somebody with their cases; returns the ids of the cases."""
        with self._writing() as connection:
            gone = _delete_matters(connection, MATTERS.c.owner == owner)
        clear_log(self._engine)
        return gone

    def idle(self, days: float, *, of_machine: bool = False) -> list[dict[str, str]]:
        """The cases of visitors, or the machine's, that nobody has opened or changed for so many days: id,
        owner, matter, changed."""
        return [dict(row) for row in self._read(_idle_cases(days, of_machine=of_machine))]

    def delete_idle(self, days: float, *, of_machine: bool = False) -> list[str]:
        """Delete them; returns their ids. Matters of visitors that are as old and empty go, too."""
        with self._writing() as connection:
            gone = _delete_idle(connection, days, of_machine=of_machine)
        clear_log(self._engine)
        return gone


def _delete_cases(connection: Connection, case_ids: Iterable[str], owner: Owner) -> int:
    """Delete cases of somebody; returns how many there were."""
    wanted = delete(CASES).where(CASES.c.id.in_(list(case_ids)), CASES.c.matter.in_(matters_of(owner)))
    return int(connection.execute(wanted).rowcount)


def _delete_matters(connection: Connection, which: ColumnElement[bool]) -> list[str]:
    """Delete matters with their cases; returns the ids of the cases."""
    matters = select(MATTERS.c.id).where(which)
    gone = connection.execute(delete(CASES).where(CASES.c.matter.in_(matters)).returning(CASES.c.id))
    ids = list(gone.scalars())
    connection.execute(delete(MATTERS).where(which))
    return ids


def _idle(days: float, *, of_machine: bool) -> ColumnElement[bool]:
    """The cases that nobody has opened or changed for so many days: those of visitors, or the machine's."""
    before = _before(days)
    unseen = or_(CASES.c.opened.is_(None), CASES.c.opened < before)
    return and_(CASES.c.matter.in_(_matters(of_machine)), CASES.c.changed < before, unseen)


def _idle_cases(days: float, *, of_machine: bool) -> Select[Any]:
    """Their ids with the owner, the name of the matter and when they were changed, the oldest first."""
    columns = (CASES.c.id, MATTERS.c.owner, MATTERS.c.name.label("matter"), CASES.c.changed)
    joined = select(*columns).join(MATTERS, MATTERS.c.id == CASES.c.matter)
    return joined.where(_idle(days, of_machine=of_machine)).order_by(CASES.c.changed, CASES.c.id)


def _delete_idle(connection: Connection, days: float, *, of_machine: bool) -> list[str]:
    """Delete them, and visitors' matters of that age that have none left; returns the cases' ids."""
    wanted = delete(CASES).where(_idle(days, of_machine=of_machine)).returning(CASES.c.id)
    ids = list(connection.execute(wanted).scalars())
    if not of_machine:
        left = MATTERS.c.id.not_in(select(CASES.c.matter))
        old = MATTERS.c.created < _before(days)
        connection.execute(delete(MATTERS).where(MATTERS.c.owner != MACHINE, old, left))
    return ids


def clear_log(engine: Engine) -> None:
    """Empty the log of an SQLite file, which holds pages as they were before; where somebody reads for long,
    it is emptied by whoever closes the file last."""
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        (patience,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout={_PATIENCE}")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        cursor.execute(f"PRAGMA busy_timeout={patience}")
        cursor.close()
    finally:
        connection.close()


def _matters(of_machine: bool) -> Select[Any]:
    own = MATTERS.c.owner == MACHINE
    return select(MATTERS.c.id).where(own if of_machine else ~own)


def _before(days: float) -> str:
    return in_utc(datetime.now(UTC) - timedelta(days=days))
