"""Validation of a case's record and events before export."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import orjson

from engine.errors import InputError
from engine.exports.private import without_machine
from engine.exports.registry import ExportableCase
from engine.records.record import RECORD, CaseRecord, read_record
from engine.records.store.chain import UNDONE, Event, digest


def record_in(case: ExportableCase) -> CaseRecord:
    """Return the validated record of a case. Raises InputError with the damaged field."""
    return read_record(case.record)


def private_record_in(case: ExportableCase) -> CaseRecord:
    """Return the validated record without folders and hosts. Raises InputError with the damaged field."""
    return read_record(without_machine(case.record))


def state_of(case: ExportableCase) -> str:
    """Return the digest of the record, as events name it. Raises InputError if it cannot be JSON."""
    try:
        return digest(orjson.dumps(dict(case.record), option=orjson.OPT_SORT_KEYS))
    except TypeError as error:
        raise InputError(f"{RECORD}: damaged: {error}") from error


def events_in(case: ExportableCase) -> Sequence[Event]:
    """Return the events of a case, empty if it is not stored.

    Raises InputError for an event without a time, or for the undo of an unknown event.
    """
    for event in case.events:
        try:
            datetime.fromisoformat(event.at)
            int(event.data["event"] if event.kind == UNDONE else 0)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"event {event.number} of this case is damaged: run `cases verify`") from error
    return case.events
