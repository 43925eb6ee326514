"""Cases that are handed to somebody: kept with all that happened to them, shown by their id, taken in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, insert, select, update

from engine.errors import InputError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import IMPORTED, SHARED
from engine.records.store.database import (
    CaseDatabase,
    ThereError,
    UnknownCaseError,
    events_of,
    loaded,
    unpacked,
)
from engine.records.store.listing import CaseSummary, Matter, summary_from
from engine.records.store.review_tables import ASSESSMENTS
from engine.records.store.rows import searched, summary_of
from engine.records.store.sealing import (
    APART,
    SealedCase,
    faults,
    said_apart,
    states_of,
    verdicts_sealed,
    written,
)
from engine.records.store.tables import CASES, STATES
from engine.records.store.writing import add_event, put_events, put_rows, put_state


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
        return {**one, **named, "criteria": 0, "queue": None, "withdraws": None, "stands": True}

    return row
