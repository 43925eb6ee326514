"""Writing cases to a store: insertion, import and export, deletion."""

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
    IMPORTED,
    SEALED_FIELDS,
    SHARED,
    Event,
    SealedCase,
    digest,
    find_faults,
    in_utc,
    now,
    record_bytes,
    seal,
    seal_verdicts,
    sealed_fields,
    states_of,
)
from engine.records.store.database import (
    CaseDatabase,
    CaseSummary,
    ConflictError,
    Matter,
    UnknownCaseError,
    events_of,
    matters_of,
    parse_record,
    summary_from,
    unpack_record,
)
from engine.records.store.opening import ASSESSMENTS, readable_error
from engine.records.store.rows import Values, rows_of, search_text, summary_of
from engine.records.store.tables import CASES, EVENTS, MATTERS, OF_A_CASE, STATES, is_json

# Rows, events and states of a case, written within the caller's transaction.

# Compression level of zlib; the fastest shrinks a record to a sixth.
_LEVEL = 1


def insert_rows(connection: Connection, number: int, record: Mapping[str, Any]) -> None:
    """Insert the rows of a record; ``number`` is that of its case."""
    for table, rows in rows_of(record).items():
        if rows:
            _put(connection, table, number, rows)


def replace_rows(connection: Connection, number: int, record: Mapping[str, Any]) -> None:
    """Replace the rows of a case by those of a new record."""
    for table in OF_A_CASE:
        connection.execute(delete(table).where(table.c.case_number == number))
    insert_rows(connection, number, record)


def insert_events(connection: Connection, number: int, events: Sequence[Event]) -> None:
    """Insert sealed events."""
    connection.execute(insert(EVENTS), [{"case_number": number, **event.values()} for event in events])


def insert_state(connection: Connection, number: int, event: int, state: bytes) -> None:
    """Insert the record after an event."""
    row = {"case_number": number, "number": event, "record": zlib.compress(state, _LEVEL)}
    connection.execute(insert(STATES), row)


def add_event(
    connection: Connection,
    case: RowMapping,
    kind: str,
    who: str,
    data: Mapping[str, Any],
    state: bytes | None = None,
) -> Event:
    """Seal an event, append it to a case and return it; ``case`` is the row of the case."""
    found = Event(case["events"], now(), who, kind, dict(data), None if state is None else digest(state))
    event = seal(found, case["id"], case["head"])
    insert_events(connection, case["number"], [event])
    if state is not None:
        insert_state(connection, case["number"], event.number, state)
    changed = {"changed": event.at, "events": event.number + 1, "head": event.hash}
    connection.execute(update(CASES).where(CASES.c.number == case["number"]).values(changed))
    return event


def _put(connection: Connection, table: Table, number: int, rows: Sequence[Values]) -> None:
    """Insert many rows without SQLAlchemy's checks of each value."""
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
        raise readable_error(error, connection.engine.url) from None


# Export, import and sharing of cases.


class ExportedCase(NamedTuple):
    """An exported case: its record and its sealed metadata."""

    record: dict[str, Any]
    case: SealedCase


class SharedCase(NamedTuple):
    """A case that its owner shares with everyone who has its id."""

    summary: CaseSummary
    record: dict[str, Any]


class CaseTransfer(CaseDatabase):
    """Imports, exports and shares cases."""

    def handed(self, case_id: str, owner: Owner = "") -> ExportedCase:
        """Return a case for export."""
        with self._reading() as connection:
            row = self._case(connection, case_id, owner)
            events = events_of(connection, row)
            query = select(STATES.c.number, STATES.c.record).where(STATES.c.case_number == row["number"])
            records = {one["number"]: one["record"] for one in connection.execute(query).mappings()}
        own = {event.number: event.state for event in events}
        states = {
            number: unpack_record(record, own.get(number), case_id) for number, record in records.items()
        }
        last = states.pop(max(states, default=0), b"")
        earlier = {str(own[number]): state for number, state in states.items() if state != last}
        case = SealedCase(row["id"], **sealed_fields(dict(row)), events=tuple(events), earlier=earlier)
        return ExportedCase(parse_record(last, case_id), case)

    def take_in(self, record: Mapping[str, Any], case: SealedCase, matter: Matter, *, who: str) -> None:
        """Import a case under its own id, with its whole history.

        Raises InputError if it was changed since it was sealed, or is stored already.
        """
        if found := find_faults(record, case):
            raise InputError(f"case {case.id} was changed: {'; '.join(found)}")
        states = states_of(record_bytes(record), case)
        absent = [one.number for one in case.events if one.state is not None and one.number not in states]
        data = {"is_shared": False, "matter": matter.id, "head": case.head, "left_behind": absent}
        if case.verdicts:
            data |= {"verdicts": len(case.verdicts), "verdicts_seal": seal_verdicts(case)}
        try:
            with self._writing() as connection:
                row = self._insert(connection, record, case, matter, states)
                add_event(connection, row, IMPORTED, who, data)
                if case.verdicts:
                    connection.execute(
                        insert(ASSESSMENTS), list(map(_make_assessment_row(row), case.verdicts))
                    )
        except ConflictError:
            raise InputError(f"case {case.id} is stored already, or its matter was deleted") from None

    def share(self, case_id: str, *, who: str, owner: Owner = "", shared: bool = True) -> None:
        """Share a case with everyone who has its id, or stop sharing it."""
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            if case["is_shared"] != shared:
                add_event(connection, case, SHARED, who, {"is_shared": shared})
                connection.execute(update(CASES).where(CASES.c.id == case_id).values(is_shared=shared))

    def shared(self, case_id: str) -> SharedCase:
        """Return a shared case by its id, without name, verdict and matter.

        Raises InputError if it is not shared, the same as for an unknown id.
        """
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
        """Insert a new case; ``states`` are records by event number."""
        row = {
            **summary_of(record),
            **{name: getattr(case, name) for name in SEALED_FIELDS},
            "id": case.id,
            "matter": matter.id,
            "is_shared": False,
            "changed": case.events[-1].at,
            "searched": search_text(record["question"], case.name, case.notes),
            "events": len(case.events),
            "head": case.head,
        }
        number = connection.execute(insert(CASES).values(row).returning(CASES.c.number)).scalar_one()
        insert_rows(connection, number, record)
        insert_events(connection, number, case.events)
        for event, state in states.items():
            insert_state(connection, number, event, state)
        return self._case(connection, case.id, EVERYBODY)


def _make_assessment_row(case: RowMapping) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return a function that makes rows of the verdicts imported with a case.

    The criteria under which they were given are unknown here.
    """

    def row(one: Mapping[str, Any]) -> dict[str, Any]:
        item = {name: value for name, value in one["item"].items() if name != "case_id"}
        named = {"case_number": case["number"], "key": item["key"], "kind": item["kind"], "item": item}
        return {**one, **named, "criteria": 0, "queue": None, "withdraws": None, "is_current": True}

    return row


# Deletion: of cases by id, of matters, of an owner's cases, and of cases unused for a long time.

# The owner of matters without a user: the machine itself.
MACHINE = ""
# Wait for readers, in milliseconds, before the log is left for later.
_PATIENCE = 2000


class CaseDeletion(CaseDatabase):
    """Deletes cases. SQLite overwrites their bytes; PostgreSQL does so at its next vacuum."""

    def delete(self, case_ids: Iterable[str], owner: Owner = "") -> int:
        """Delete cases with all their data; return how many existed."""
        with self._writing() as connection:
            count = _delete_cases(connection, case_ids, owner)
        clear_log(self._engine)
        return count

    def delete_matter(self, matter: Matter) -> list[str]:
        """Delete a matter with all its cases; return their ids."""
        with self._writing() as connection:
            deleted = _delete_matters(connection, MATTERS.c.id == matter.id)
        clear_log(self._engine)
        return deleted

    def delete_owner(self, owner: str) -> list[str]:
        """Delete all matters of an owner with their cases; return the ids of the cases."""
        with self._writing() as connection:
            deleted = _delete_matters(connection, MATTERS.c.owner == owner)
        clear_log(self._engine)
        return deleted

    def idle(self, days: float) -> list[dict[str, str]]:
        """Return id, owner, matter and time of change of users' cases that were not opened or changed for
        some days, the oldest first."""
        columns = (CASES.c.id, MATTERS.c.owner, MATTERS.c.name.label("matter"), CASES.c.changed)
        joined = select(*columns).join(MATTERS, MATTERS.c.id == CASES.c.matter)
        found = joined.where(_idle(days, of_machine=False)).order_by(CASES.c.changed, CASES.c.id)
        return [dict(row) for row in self._read(found)]

    def delete_idle(self, days: float, *, of_machine: bool = False) -> list[str]:
        """Delete idle cases and return their ids; empty matters of users that are as old are deleted, too."""
        with self._writing() as connection:
            deleted = _delete_idle(connection, days, of_machine=of_machine)
        clear_log(self._engine)
        return deleted


def _delete_cases(connection: Connection, case_ids: Iterable[str], owner: Owner) -> int:
    """Delete cases of an owner; return how many existed."""
    query = delete(CASES).where(CASES.c.id.in_(list(case_ids)), CASES.c.matter.in_(matters_of(owner)))
    return int(connection.execute(query).rowcount)


def _delete_matters(connection: Connection, which: ColumnElement[bool]) -> list[str]:
    """Delete matters with their cases; return the ids of the cases."""
    matters = select(MATTERS.c.id).where(which)
    deleted = connection.execute(delete(CASES).where(CASES.c.matter.in_(matters)).returning(CASES.c.id))
    ids = list(deleted.scalars())
    connection.execute(delete(MATTERS).where(which))
    return ids


def _idle(days: float, *, of_machine: bool) -> ColumnElement[bool]:
    """Return the condition for cases that were not opened or changed for some days."""
    before = _before(days)
    unopened = or_(CASES.c.opened.is_(None), CASES.c.opened < before)
    return and_(CASES.c.matter.in_(_matters(of_machine)), CASES.c.changed < before, unopened)


def _delete_idle(connection: Connection, days: float, *, of_machine: bool) -> list[str]:
    """Delete idle cases, and users' matters of that age without cases; return the ids of the cases."""
    query = delete(CASES).where(_idle(days, of_machine=of_machine)).returning(CASES.c.id)
    ids = list(connection.execute(query).scalars())
    if not of_machine:
        left = MATTERS.c.id.not_in(select(CASES.c.matter))
        old = MATTERS.c.created < _before(days)
        connection.execute(delete(MATTERS).where(MATTERS.c.owner != MACHINE, old, left))
    return ids


def clear_log(engine: Engine) -> None:
    """Truncate the log of an SQLite file, which contains former pages.

    If a reader keeps it open, the last connection to close truncates it.
    """
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
