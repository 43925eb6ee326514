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
    begun,
    broken_events,
    broken_states,
    digest,
    engine_version,
    left_behind,
    new_id,
    now,
    said_by,
    standing_steps,
    standing_verdicts,
    written,
)
from engine.records.store.database import (
    Matter,
    ThereError,
    UnknownCaseError,
    event_from,
    events_of,
    matters_of,
)
from engine.records.store.lists import CaseLists
from engine.records.store.opening import QUEUE_ITEMS, words_of
from engine.records.store.rows import rows_of, searched, summary_of
from engine.records.store.tables import CASES, EVENTS, MATTERS, METADATA, OF_A_CASE, STATES
from engine.records.store.writing import CaseDeletion, CaseHanding, add_event, put_anew
from engine.unpacking import inflate

# Whether what is kept is as it was written: the chain of each case, its records, the tables that
# are made of them, and the database itself.

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


# The cases that are kept: saved step by step, found again, taken back a step, handed over,
# deleted.
#
# Cases belong to matters, matters to somebody. Whoever reads or changes a case says of whose
# matters it has to be; a case of anybody else is not there. Each change is one transaction: a
# program that dies in it leaves the case as it was.

__all__ = ["GENERAL", "LONGEST_NAME", "LONGEST_NOTES", "CaseStore", "engine_version", "new_id"]

# The matter of whoever names none.
GENERAL = "General"
LONGEST_NOTES = 20_000


def matter_name(text: str) -> str:
    """The name of a matter that a person has typed; ``GENERAL`` for an empty one. Raises InputError."""
    return check_name(text, "a matter", LONGEST_NAME) if text.strip() else GENERAL


class CaseStore(CaseLists, CaseHanding, CaseDeletion):
    """The cases of a database, by its address; see ``opening.opened`` for it and for what is raised.

    All methods raise ResourceError where the database cannot be reached or written, and InputError for a case
    that is not there, or not of ``owner``; ``EVERYBODY`` owns all.
    """

    def matter(self, name: str = GENERAL, owner: str = "") -> Matter:
        """The matter of a name, made where there is none. Raises InputError for a name that is none."""
        name = check_name(name, "a matter", LONGEST_NAME)
        wanted = select(MATTERS).where(MATTERS.c.owner == owner, MATTERS.c.name == name)
        found = self._read(wanted)
        if not found:
            own = {"id": new_id(), "owner": owner, "name": name, "created": now()}
            # Somebody else may make it at the same time.
            with suppress(ThereError), self._writing() as connection:
                connection.execute(insert(MATTERS), own)
            found = self._read(wanted)
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
        """Keep a case that has come to its end for the first time; returns its id.

        ``record`` is what ``investigation_to_json`` makes, ``application`` what it was asked by (page, cli,
        http, mcp, python, batch), ``fingerprint`` the state of the corpus. ``case_id``: one of ``new_id`` by
        which the case was known while it ran.
        """
        state = written(record)
        # The tables are made of what is kept, which has its own order and plain values alone.
        record = orjson.loads(state)
        case = begun(
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
        """Keep a step that somebody took: ``record`` is what the case is behind it, None where it is the
        same. ``seen``: how many events the caller has seen.

        Raises InputError where the case has been changed since, or is not there.
        """
        state = None if record is None else written(record)
        record = None if state is None else orjson.loads(state)
        with self._writing() as connection:
            before = self._case(connection, case_id, owner, locked=True)
            if seen is not None and seen != before["events"]:
                raise InputError("the case was changed elsewhere meanwhile: open it again")
            if record is not None:
                words = searched(record["question"], before["name"], before["notes"])
                changed = update(CASES).where(CASES.c.id == case_id)
                connection.execute(changed.values(**summary_of(record), searched=words))
                put_anew(connection, before["number"], record)
            return add_event(connection, before, kind, who, data or {}, state)

    def undo(self, case_id: str, *, who: str, owner: Owner = "") -> dict[str, Any]:
        """Take back the last step that changed the record and was not taken back; returns the record as it
        was before. Raises InputError where there is none."""
        events = self.events(case_id, owner)
        steps = standing_steps(events)
        if len(steps) < 2:
            raise InputError("there is no step to take back")
        if steps[-2].number in left_behind(events):
            raise InputError("the record before this step was not handed over: it cannot be taken back")
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
        """The record of a case as it is now."""
        with self._reading() as connection:
            self._case(connection, case_id, owner)
        return self._state(case_id)

    def verify(self, case_id: str, owner: Owner = "") -> list[str]:
        """What of a case is not as it was written, in words; nothing where all is."""
        with self._reading() as connection:
            own = CASES.c.id == case_id, CASES.c.matter.in_(matters_of(owner))
            number = connection.execute(select(CASES.c.number).where(*own)).scalar_one_or_none()
            if number is None:
                raise UnknownCaseError(case_id)
            return wrong_with(connection, number)

    def verify_all(self) -> dict[str, list[str]]:
        """The same of all cases, by their ids, and of the database itself, under an empty one."""
        with self._reading() as connection:
            return wrong_with_all(connection)

    def describe(
        self,
        case_id: str,
        *,
        who: str,
        owner: Owner = "",
        name: str | None = None,
        notes: str | None = None,
    ) -> None:
        """Give a case a name, or notes. Raises InputError for what is too long."""
        said = {key: value for key, value in (("name", name), ("notes", notes)) if value is not None}
        if name is not None:
            said["name"] = check_name(name, "a case", LONGEST_NAME) if name.strip() else ""
        if len(said.get("notes", "")) > LONGEST_NOTES:
            raise InputError(f"notes: longer than {LONGEST_NOTES:,} characters")
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            add_event(connection, case, DESCRIBED, who, said)
            both = [said.get(key, case[key]) for key in ("name", "notes")]
            words = searched(case["question"], *both)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(**said, searched=words))

    def judge(
        self,
        case_id: str,
        verdict: str | None,
        *,
        who: str,
        owner: Owner = "",
        right: bool | None = None,
    ) -> None:
        """Say what came of a case, and whether what the engine said of its evidence was right."""
        verdict = None if verdict is None else check_name(verdict, "a verdict", LONGEST_NAME)[:40]
        said = {"verdict": verdict, "verdict_right": right}
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            add_event(connection, case, JUDGED, who, said)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(said))

    def unjudge(self, case_id: str, *, who: str, owner: Owner = "") -> None:
        """Take back the last verdict: the one before holds again. Raises InputError where there is none."""
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            given = standing_verdicts(events_of(connection, case))
            if not given:
                raise InputError("there is no verdict to take back")
            before = given[-2].data if len(given) > 1 else {}
            said = {name: before.get(name) for name in ("verdict", "verdict_right")}
            data = {"event": given[-1].number, "kind": JUDGED, **said}
            add_event(connection, case, UNDONE, who, data)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(said))

    def move(self, case_id: str, matter: Matter, *, who: str, owner: Owner = "") -> None:
        """Put a case into another matter of whose it is; it leaves the queues of the one that it was in, and
        takes along what was said of it. Raises InputError where that is not there."""
        with self._writing() as connection:
            case = self._case(connection, case_id, owner, locked=True)
            wanted = select(MATTERS).where(MATTERS.c.id.in_((case["matter"], matter.id)))
            known = {row["id"]: row for row in connection.execute(wanted).mappings()}
            before, after = known[case["matter"]], known.get(matter.id)
            if after is None or after["owner"] != before["owner"]:
                raise InputError(f"there is no matter {matter.name[:40]!r}")
            if before["id"] == after["id"]:
                return
            said = {"matter": after["id"], "from": before["name"], "to": after["name"]}
            add_event(connection, case, MOVED, who, said)
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(matter=after["id"]))
            # Queues belong to the former matter, and are reviewed by its criteria.
            connection.execute(delete(QUEUE_ITEMS).where(QUEUE_ITEMS.c.case_number == case["number"]))

    def looked_at(self, case_id: str, owner: Owner = "") -> None:
        """Remember that somebody has opened a case just now: what nobody opens may be deleted after a time.
        Nothing happens where it is not there."""
        own = and_(CASES.c.id == case_id, CASES.c.matter.in_(matters_of(owner)))
        with self._writing() as connection:
            connection.execute(update(CASES).where(own).values(opened=now()))
