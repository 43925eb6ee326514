"""Whether what is kept is as it was written: the chain of each case, its records, the tables that are made of
them, and the database itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    RowMapping,
    Table,
    func,
    inspect,
    select,
    text,
    true,
)
from sqlalchemy.exc import SQLAlchemyError

from engine.errors import DamagedError, UnpackingError
from engine.records.store.chain import (
    Event,
    broken_events,
    broken_states,
    digest,
    left_behind,
    said_by,
)
from engine.records.store.database import event_from
from engine.records.store.opening import words_of
from engine.records.store.rows import rows_of, searched, summary_of
from engine.records.store.tables import CASES, EVENTS, METADATA, OF_A_CASE, STATES
from engine.unpacking import inflate

# A server has a trigger in the place of two foreign keys.
_TRIGGER, _BY_TRIGGER = "rows_of_deleted_case", ("fk_hops_case_number", "fk_hits_case_number")
_VIEWS = {"low_coverage", "by_verdict", "over_time", "matter_by_verdict", "matter_over_time"}


def wrong_with(connection: Connection, number: int) -> list[str]:
    """What of a case is not as it was written, in words; ``number`` is that of its row."""
    cases, found = _readable(connection, CASES, CASES.c.number == number)
    rows, unread = _readable(connection, EVENTS, EVENTS.c.case_number == number)
    events = [event_from(row) for row in rows]
    stored, unread_states = _readable(connection, STATES, STATES.c.case_number == number)
    found += [*unread, *unread_states]
    states: dict[int, bytes] = {}
    for row in stored:
        try:
            states[row["number"]] = inflate(row["record"])
        except UnpackingError:
            found.append(f"the record behind event {row['number']} cannot be read")
    # These two columns are enough for the chain where others of the row are damaged.
    for case in _readable(connection, CASES, CASES.c.number == number, CASES.c.id, CASES.c.head)[0]:
        unsound = broken_events(case["id"], events, case["head"])
        found += [*unsound, *broken_states(events, states, () if unsound else left_behind(events))]
        last = max(states, default=0)
        if cases and not unsound and any(_is_record(event, last, states) for event in events):
            found += _beside(connection, cases[0], events, orjson.loads(states[last]))
    return found


def wrong_with_all(connection: Connection) -> dict[str, list[str]]:
    """What is not as it was written, in words: of each case, by its id, and of the database under an empty
    one."""
    of_database = _wrong_with_database(connection)
    found = {"": of_database}
    numbers = select(CASES.c.number).order_by(CASES.c.number)
    for row in _tried(connection, numbers, "the table cases cannot be read", of_database):
        wrong = wrong_with(connection, row["number"])
        ids = _tried(connection, select(CASES.c.id).where(CASES.c.number == row["number"]), "its id", wrong)
        found[ids[0]["id"] if ids else f"row {row['number']}"] = wrong
    return found


def _wrong_with_database(connection: Connection) -> list[str]:
    """Missing tables, columns, indexes, views and triggers, damaged pages, rows that belong to nothing, and
    rows that cannot be read of tables that are not of one case."""
    found = list(_missing(connection))
    if connection.dialect.name == "sqlite":
        checked = _tried(connection, text("pragma integrity_check(5)"), "the file cannot be read", found)
        found += [str(row["integrity_check"]) for row in checked if row["integrity_check"] != "ok"]
        for row in _tried(connection, text("pragma foreign_key_check"), "the file cannot be read", found):
            found.append(f"a row of the table {row['table']} belongs to no row of the table {row['parent']}")
    for table in METADATA.sorted_tables:
        if table not in (CASES, EVENTS, STATES, *OF_A_CASE):
            found += _readable(connection, table, true())[1]
    return found


def _is_record(event: Event, number: int, states: Mapping[int, bytes]) -> bool:
    return event.number == number and event.state is not None and event.state == digest(states[number])


def _readable(
    connection: Connection, table: Table, which: ColumnElement[bool], *columns: ColumnElement[Any]
) -> tuple[list[RowMapping], list[str]]:
    """The rows of a table that can be read, and in words those that cannot; of some columns, or of all."""
    wanted, found = select(*(columns or table.c)).where(which), list[str]()
    keys = list(table.primary_key)
    try:
        with connection.begin_nested():
            return list(connection.execute(wanted.order_by(*keys)).mappings()), found
    except (DamagedError, SQLAlchemyError):
        # One of them cannot be read, or the whole table: they are read one by one.
        pass
    rows: list[RowMapping] = []
    for key in _tried(
        connection, select(*keys).where(which), f"the table {table.name} cannot be read", found
    ):
        row = f"row {', '.join(map(str, key.values()))} of the table {table.name} cannot be read"
        rows += _tried(connection, wanted.where(*(one == key[one] for one in keys)), row, found)
    return rows, found


def _tried(connection: Connection, wanted: Executable, what: str, found: list[str]) -> list[RowMapping]:
    """The rows of a query; where it fails, that is added to what was found, in words, and there are none."""
    try:
        # On a server what fails ends the transaction that it is in.
        with connection.begin_nested():
            return list(connection.execute(wanted).mappings())
    except DamagedError as error:
        found.append(f"{what} ({error.where})")
    except SQLAlchemyError as error:
        found.append(f"{what} ({words_of(error)})")
    return []


def _missing(connection: Connection) -> Iterator[str]:
    """What the database does not have that this program makes."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def is_compared(_: object, name: str | None, *__: object) -> bool:
        return connection.dialect.name == "sqlite" or name not in _BY_TRIGGER

    context = MigrationContext.configure(connection, opts={"include_object": is_compared})
    for one in compare_metadata(context, METADATA):
        kind, *what = one if isinstance(one, tuple) else one[0]
        if kind.startswith("add_"):
            yield f"{kind.removeprefix('add_')} {what[-1]} is missing"
    yield from (
        f"the view {one} is missing" for one in sorted(_VIEWS - {*inspect(connection).get_view_names()})
    )
    if connection.dialect.name == "postgresql":
        there = select(func.count()).select_from(text("pg_trigger")).where(text(f"tgname = '{_TRIGGER}'"))
        if not connection.execute(there).scalar_one():
            yield f"the trigger {_TRIGGER} is missing"


def _beside(
    connection: Connection, case: RowMapping, events: Sequence[Event], record: Mapping[str, Any]
) -> list[str]:
    """What the tables say that the last record and the events do not."""
    told = {"events": len(events), "changed": events[-1].at}
    told |= {"searched": searched(record["question"], case["name"], case["notes"])}
    found = [
        f"the table of cases says another {name.replace('_', ' ')}"
        for name, value in (summary_of(record) | said_by(events) | told).items()
        if case[name] != value
    ]
    for table, rows in rows_of(record).items():
        there, unread = _readable(
            connection, table, table.c.case_number == case["number"], *list(table.c)[1:]
        )
        found += unread
        if [tuple(row.values()) for row in there] != rows and not unread:
            found.append(f"the table of {table.name} says something else than the record")
    return found
