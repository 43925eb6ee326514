"""The record and the events of a case that is handed over, checked before a format reads them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import orjson

from engine.errors import InputError
from engine.exports.private import without_machine
from engine.exports.registry import HandedOver
from engine.records.record import RECORD, CaseRecord, read_record
from engine.records.store.chain import UNDONE, Event, digest


def record_in(case: HandedOver) -> CaseRecord:
    """Read the record of a case. Raises InputError naming the field that is damaged."""
    return read_record(case.record)


def private_record_in(case: HandedOver) -> CaseRecord:
    """Read the record without the names of folders and hosts of the machine on which it was made. Raises
    InputError naming the field that is damaged."""
    return read_record(without_machine(case.record))


def state_of(case: HandedOver) -> str:
    """Return the digest of the record, by which events name it. Raises InputError for what is no JSON."""
    try:
        return digest(orjson.dumps(dict(case.record), option=orjson.OPT_SORT_KEYS))
    except TypeError as error:
        raise InputError(f"{RECORD}: damaged: {error}") from error


def events_in(case: HandedOver) -> Sequence[Event]:
    """Return the events of a case, empty if it is not kept. Raises InputError for an event without a time, or
    one that takes back an unknown event."""
    for event in case.events:
        try:
            datetime.fromisoformat(event.at)
            int(event.data["event"] if event.kind == UNDONE else 0)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"event {event.number} of this case is damaged: `cases verify` says what is"
            ) from error
    return case.events
