"""Whether a case that is kept is as it was written: its chain, its records, and the tables made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, RowMapping, select

from engine.errors import UnpackingError
from engine.records.store.chain import Event, broken, left_behind, said_by
from engine.records.store.rows import rows_of, summary_of
from engine.records.store.tables import STATES
from engine.unpacking import inflate


def wrong_with(connection: Connection, case: RowMapping, events: Sequence[Event]) -> list[str]:
    """What of a case is not as it was written, in words; nothing where all is."""
    states, damaged = {}, []
    wanted = select(STATES.c.number, STATES.c.record).where(STATES.c.case_number == case["number"])
    for row in connection.execute(wanted).mappings():
        try:
            states[row["number"]] = inflate(row["record"])
        except UnpackingError:
            damaged.append(f"the record behind event {row['number']} cannot be read")
    found = [*damaged, *broken(case["id"], events, case["head"], states, left_behind(events))]
    # What the events say is sound: then the tables have to say the same.
    return found or _beside(connection, case, events, orjson.loads(states[max(states)]))


def _beside(
    connection: Connection, case: RowMapping, events: Sequence[Event], record: Mapping[str, Any]
) -> list[str]:
    """What the tables say that the last record and the events do not."""
    found = [
        f"the table of cases says another {name.replace('_', ' ')}"
        for name, value in (summary_of(record) | said_by(events)).items()
        if case[name] != value
    ]
    for table, rows in rows_of(record).items():
        own = table.c.case_number == case["number"]
        there = connection.execute(select(*list(table.c)[1:]).where(own).order_by(table.c.number))
        if [tuple(row) for row in there] != rows:
            found.append(f"the table of {table.name} says something else than the record")
    return found
