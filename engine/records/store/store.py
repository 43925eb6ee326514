"""The cases that are kept: saved step by step, found again, taken back a step, handed over, deleted.

Cases belong to matters, matters to somebody. Whoever reads or changes a case says of whose matters it has to
be; a case of anybody else is not there. Each change is one transaction: a program that dies in it leaves the
case as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson
from sqlalchemy import and_, delete, insert, select, update

from engine.corpus.journal import check_name
from engine.errors import InputError
from engine.records.store import Owner
from engine.records.store.chain import (
    DESCRIBED,
    JUDGED,
    MOVED,
    UNDONE,
    Event,
    left_behind,
    standing_steps,
    standing_verdicts,
)
from engine.records.store.database import ThereError, UnknownCaseError, events_of
from engine.records.store.deleting import CaseDeletion
from engine.records.store.handing import CaseHanding
from engine.records.store.listing import Matter, matters_of
from engine.records.store.lists import CaseLists
from engine.records.store.review_tables import QUEUE_ITEMS
from engine.records.store.rows import searched, summary_of
from engine.records.store.sealing import LONGEST_NAME, begun, engine_version, new_id, now, written
from engine.records.store.tables import CASES, MATTERS
from engine.records.store.verifying import wrong_with, wrong_with_all
from engine.records.store.writing import add_event, put_anew

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
