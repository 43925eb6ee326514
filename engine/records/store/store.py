"""A store of cases, and the check of its hash chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson
from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    RowMapping,
    Table,
    and_,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    true,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from engine.bounded import inflate
from engine.corpus.journal import check_name
from engine.errors import DamagedError, InputError, UnpackingError
from engine.records.store import Owner
from engine.records.store.chain import (
    DESCRIBED,
    JUDGED,
    LONGEST_NAME,
    MOVED,
    UNDONE,
    Event,
    active_steps,
    active_verdicts,
    begin_case,
    broken_events,
    broken_states,
    digest,
    engine_version,
    event_columns,
    missing_records,
    new_id,
    now,
    record_bytes,
)
from engine.records.store.database import (
    ConflictError,
    Matter,
    UnknownCaseError,
    event_from,
    events_of,
    matters_of,
)
from engine.records.store.lists import CaseLists
from engine.records.store.opening import QUEUE_ITEMS, error_line
from engine.records.store.rows import rows_of, search_text, summary_of
from engine.records.store.tables import BY_TRIGGER, CASES, EVENTS, MATTERS, METADATA, OF_A_CASE, STATES, VIEWS
from engine.records.store.writing import CaseDeletion, CaseTransfer, add_event, replace_rows

# Integrity check: the hash chain of each case, its records, the tables derived from them, the database.

# On PostgreSQL a trigger replaces two foreign keys.
_TRIGGER, _BY_TRIGGER = "rows_of_deleted_case", [f"fk_{table}_case_number" for table in BY_TRIGGER]


def check_case(connection: Connection, number: int) -> list[str]:
    """Return the integrity problems of a case as sentences; ``number`` is that of its row."""
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
    # These two columns are enough to check the chain if others of the row are damaged.
    for case in _readable(connection, CASES, CASES.c.number == number, CASES.c.id, CASES.c.head)[0]:
        unsound = broken_events(case["id"], events, case["head"])
        found += [*unsound, *broken_states(events, states, () if unsound else missing_records(events))]
        last = max(states, default=0)
        if cases and not unsound and any(_is_record(event, last, states) for event in events):
            found += _check_tables(connection, cases[0], events, orjson.loads(states[last]))
    return found


def check_all_cases(connection: Connection) -> dict[str, list[str]]:
    """Return the problems of each case by id, and those of the database under an empty id."""
    of_database = _check_database(connection)
    found = {"": of_database}
    numbers = select(CASES.c.number).order_by(CASES.c.number)
    for row in _try_query(connection, numbers, "the table cases cannot be read", of_database):
        wrong = check_case(connection, row["number"])
        ids = _try_query(
            connection, select(CASES.c.id).where(CASES.c.number == row["number"]), "its id", wrong
        )
        found[ids[0]["id"] if ids else f"row {row['number']}"] = wrong
    return found


def _check_database(connection: Connection) -> list[str]:
    """Return the problems of the database itself.

    These are missing tables, columns, indexes, views and triggers, damaged pages, orphaned rows, and
    unreadable rows of tables that do not belong to one case.
    """
    found = list(_missing(connection))
    if connection.dialect.name == "sqlite":
        checked = _try_query(connection, text("pragma integrity_check(5)"), "the file cannot be read", found)
        found += [str(row["integrity_check"]) for row in checked if row["integrity_check"] != "ok"]
        for row in _try_query(connection, text("pragma foreign_key_check"), "the file cannot be read", found):
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
    """Return the readable rows of a table (all columns by default), and a sentence for each other row."""
    query, found = select(*(columns or table.c)).where(which), list[str]()
    keys = list(table.primary_key)
    try:
        with connection.begin_nested():
            return list(connection.execute(query.order_by(*keys)).mappings()), found
    except (DamagedError, SQLAlchemyError):
        # Some row or the whole table is unreadable: read row by row.
        pass
    rows: list[RowMapping] = []
    for key in _try_query(
        connection, select(*keys).where(which), f"the table {table.name} cannot be read", found
    ):
        row = f"row {', '.join(map(str, key.values()))} of the table {table.name} cannot be read"
        rows += _try_query(connection, query.where(*(one == key[one] for one in keys)), row, found)
    return rows, found


def _try_query(connection: Connection, query: Executable, what: str, found: list[str]) -> list[RowMapping]:
    """Return the rows of a query; if it fails, add a sentence to ``found`` and return no rows."""
    try:
        # In PostgreSQL a failure ends the innermost transaction.
        with connection.begin_nested():
            return list(connection.execute(query).mappings())
    except DamagedError as error:
        found.append(f"{what} ({error.where})")
    except SQLAlchemyError as error:
        found.append(f"{what} ({error_line(error)})")
    return []


def _missing(connection: Connection) -> Iterator[str]:
    """Yield the parts of the schema that are missing from the database."""
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
        f"the view {one} is missing" for one in sorted(VIEWS.keys() - {*inspect(connection).get_view_names()})
    )
    if connection.dialect.name == "postgresql":
        there = select(func.count()).select_from(text("pg_trigger")).where(text(f"tgname = '{_TRIGGER}'"))
        if not connection.execute(there).scalar_one():
            yield f"the trigger {_TRIGGER} is missing"


def _check_tables(
    connection: Connection, case: RowMapping, events: Sequence[Event], record: Mapping[str, Any]
) -> list[str]:
    """Return the differences between the tables and the last record with its events."""
    columns = {"events": len(events), "changed": events[-1].at}
    columns |= {"searched": search_text(record["question"], case["name"], case["notes"])}
    found = [
        f"the table of cases has a different value for {name.replace('_', ' ')!r}"
        for name, value in (summary_of(record) | event_columns(events) | columns).items()
        if case[name] != value
    ]
    for table, rows in rows_of(record).items():
        there, unread = _readable(
            connection, table, table.c.case_number == case["number"], *list(table.c)[1:]
        )
        found += unread
        if [tuple(row.values()) for row in there] != rows and not unread:
            found.append(f"the table of {table.name} differs from the record")
    return found


# Cases belong to matters, and matters to owners. The caller names the owner; cases of others do not exist for
# it. Each change is one transaction.

__all__ = ["GENERAL", "LONGEST_NAME", "LONGEST_NOTES", "CaseStore", "engine_version", "new_id"]

# The default matter.
GENERAL = "General"
LONGEST_NOTES = 20_000


def matter_name(text: str) -> str:
    """Return the name of a matter from user input; ``GENERAL`` if it is empty. Raises InputError."""
    return check_name(text, "a matter", LONGEST_NAME) if text.strip() else GENERAL


class CaseStore(CaseLists, CaseTransfer, CaseDeletion):
    """The cases of a database, opened by its URL as in ``opening.opened``.

    All methods raise ResourceError if the database cannot be reached or written, and InputError for a case
    that does not exist or does not belong to ``owner``; ``EVERYBODY`` owns all.
    """

    def matter(self, name: str = GENERAL, owner: str = "") -> Matter:
        """Return a matter by name; create it if it is new. Raises InputError for an invalid name."""
        name = check_name(name, "a matter", LONGEST_NAME)
        query = select(MATTERS).where(MATTERS.c.owner == owner, MATTERS.c.name == name)
        found = self._read(query)
        if not found:
            own = {"id": new_id(), "owner": owner, "name": name, "created": now()}
            # Another process may create it at the same time.
            with suppress(ConflictError), self._writing() as connection:
                connection.execute(insert(MATTERS), own)
            found = self._read(query)
        return Matter(**found[0])

    def keep(
        self,
        record: Mapping[str, Any],
        matter: Matter,
        *,
        application: str,
        who: str,
        fingerprint: str = "",
        name: str = "",
        case_id: str = "",
    ) -> str:
        """Store a finished case and return its id.

        ``record`` comes from ``investigation_to_json``; ``application``: page, cli, http, mcp, python or
        batch; ``fingerprint``: the state of the corpus; ``case_id``: the id from ``new_id`` that the case had
        while it ran.
        """
        state = record_bytes(record)
        # The tables are derived from the stored form, which has sorted keys and plain values.
        record = orjson.loads(state)
        case = begin_case(
            record,
            application=application,
            who=who,
            fingerprint=fingerprint,
            name=name,
            case_id=case_id,
            state=state,
        )
        with self._writing() as connection:
            self._insert(connection, record, case, matter, {case.events[-1].number: state})
        return case.id

    def step(
        self,
        case_id: str,
        kind: str,
        *,
        who: str,
        owner: Owner = "",
        data: Mapping[str, Any] | None = None,
        record: Mapping[str, Any] | None = None,
        seen: int | None = None,
    ) -> Event:
        """Store a step of a user.

        ``record`` is the case after it, None if unchanged. ``seen`` is the number of events known to the
        caller. Raises InputError if the case has more events by now, or does not exist.
        """
        state = None if record is None else record_bytes(record)
        record = None if state is None else orjson.loads(state)
        with self._writing() as connection:
            before = self._case(connection, case_id, owner, locked=True)
            if seen is not None and seen != before["events"]:
                raise InputError("the case was changed elsewhere in the meantime: open it again")
            if record is not None:
                words = search_text(record["question"], before["name"], before["notes"])
                changed = update(CASES).where(CASES.c.id == case_id)
                connection.execute(changed.values(**summary_of(record), searched=words))
                replace_rows(connection, before["number"], record)
            return add_event(connection, before, kind, who, data or {}, state)

    def undo(self, case_id: str, *, who: str, owner: Owner = "") -> dict[str, Any]:
        """Undo the last step that changed the record and return the record before it.

        Raises InputError if there is no such step.
        """
        events = self.events(case_id, owner)
        steps = active_steps(events)
        if len(steps) < 2:
            raise InputError("there is no step to undo")
        if steps[-2].number in missing_records(events):
            raise InputError("the record before this step was not imported: the step cannot be undone")
        record = self._state(case_id, steps[-2].number)
        self.step(
            case_id,
            UNDONE,
            who=who,
            owner=owner,
            data={"event": steps[-1].number, "kind": steps[-1].kind},
            record=record,
            seen=len(events),
        )
        return record

    def record(self, case_id: str, owner: Owner = "") -> dict[str, Any]:
        """Return the current record of a case."""
        with self._reading() as connection:
            self._case(connection, case_id, owner)
        return self._state(case_id)

    def verify(self, case_id: str, owner: Owner = "") -> list[str]:
        """Return the integrity problems of a case as sentences; empty if it is intact."""
        with self._reading() as connection:
            own = CASES.c.id == case_id, CASES.c.matter.in_(matters_of(owner))
            number = connection.execute(select(CASES.c.number).where(*own)).scalar_one_or_none()
            if number is None:
                raise UnknownCaseError(case_id)
            return check_case(connection, number)

    def verify_all(self) -> dict[str, list[str]]:
        """Return the problems of all cases by id, and those of the database under an empty id."""
        with self._reading() as connection:
            return check_all_cases(connection)

    def describe(
        self,
        case_id: str,
        *,
        who: str,
        owner: Owner = "",
        name: str | None = None,
        notes: str | None = None,
    ) -> None:
        """Set the name or notes of a case. Raises InputError for text that is too long."""
        changes = {key: value for key, value in (("name", name), ("notes", notes)) if value is not None}
        if name is not None:
            changes["name"] = check_name(name, "a case", LONGEST_NAME) if name.strip() else ""
        if len(changes.get("notes", "")) > LONGEST_NOTES:
            raise InputError(f"notes: longer than {LONGEST_NOTES:,} characters")
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            add_event(connection, case, DESCRIBED, who, changes)
            both = [changes.get(key, case[key]) for key in ("name", "notes")]
            words = search_text(case["question"], *both)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(**changes, searched=words))

    def judge(
        self,
        case_id: str,
        verdict: str | None,
        *,
        who: str,
        owner: Owner = "",
        right: bool | None = None,
    ) -> None:
        """Record the outcome of a case and whether the engine's evidence status was correct."""
        verdict = None if verdict is None else check_name(verdict, "a verdict", LONGEST_NAME)[:40]
        changes = {"verdict": verdict, "verdict_right": right}
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            add_event(connection, case, JUDGED, who, changes)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(changes))

    def unjudge(self, case_id: str, *, who: str, owner: Owner = "") -> None:
        """Undo the last verdict; the one before it is in force again. Raises InputError if there is none."""
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            given = active_verdicts(events_of(connection, case))
            if not given:
                raise InputError("there is no verdict to undo")
            before = given[-2].data if len(given) > 1 else {}
            changes = {name: before.get(name) for name in ("verdict", "verdict_right")}
            data = {"event": given[-1].number, "kind": JUDGED, **changes}
            add_event(connection, case, UNDONE, who, data)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(changes))

    def move(self, case_id: str, matter: Matter, *, who: str, owner: Owner = "") -> None:
        """Move a case with its verdicts to another matter of its owner.

        It leaves the queues of its former matter. Raises InputError if the new matter does not exist.
        """
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            query = select(MATTERS).where(MATTERS.c.id.in_((case["matter"], matter.id)))
            matters = {row["id"]: row for row in connection.execute(query).mappings()}
            before, after = matters[case["matter"]], matters.get(matter.id)
            if after is None or after["owner"] != before["owner"]:
                raise InputError(f"there is no matter {matter.name[:40]!r}")
            if before["id"] == after["id"]:
                return
            data = {"matter": after["id"], "from": before["name"], "to": after["name"]}
            add_event(connection, case, MOVED, who, data)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(matter=after["id"]))
            # Queues belong to the former matter and use its criteria.
            connection.execute(delete(QUEUE_ITEMS).where(QUEUE_ITEMS.c.case_number == case["number"]))

    def looked_at(self, case_id: str, owner: Owner = "") -> None:
        """Set the time when a case was last opened; retention depends on it. Ignores an unknown case."""
        own = and_(CASES.c.id == case_id, CASES.c.matter.in_(matters_of(owner)))
        with self._writing() as connection:
            connection.execute(update(CASES).where(own).values(opened=now()))
