"""Rows, events and states of a case, put into the tables inside a transaction of the caller's."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, RowMapping, Table, delete, insert, update

from engine.records.store.chain import Event, digest, sealed
from engine.records.store.opening import told
from engine.records.store.rows import Values, rows_of
from engine.records.store.sealing import now
from engine.records.store.tables import CASES, EVENTS, OF_A_CASE, STATES, is_json

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
