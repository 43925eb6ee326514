"""The file of a saved case, read to be proved or taken in: nothing of it is believed."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from engine import files
from engine.errors import FileRefusedError, InputError, UnpackingError, in_words
from engine.records.filed.schema import CasePart
from engine.records.filed.writing import CASE
from engine.records.record import FORMAT, READ, CaseRecord, first_fault, read_record
from engine.records.store.chain import UNDONE, Event, digest
from engine.records.store.rows import rows_of, summary_of
from engine.records.store.sealing import APART, SealedCase, faults
from engine.unpacking import inflate

# The largest file, and the most that the records in it may come to, in bytes.
LARGEST, LARGEST_STATES = 256_000_000, 1_000_000_000
Model = TypeVar("Model", bound=BaseModel)


class SavedFile(NamedTuple):
    """What a file holds. ``case`` is None in one of format 1, which has no chain."""

    record: dict[str, Any]
    case: SealedCase | None


def saved_file(path: Path) -> SavedFile:
    """What a file holds, checked field by field, so that it can be kept; whether it was changed is not
    looked at. Raises InputError naming file and field for a file that is no saved case."""
    try:
        values = orjson.loads(files.read_named(path, LARGEST))
    except (OSError, FileRefusedError) as error:
        raise InputError(f"{path}: not a saved investigation: {in_words(error)}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: not a saved investigation: no JSON: {error}") from error
    return file_of(values, str(path))


def file_of(values: Any, where: str) -> SavedFile:
    """The same for plain values."""
    if not isinstance(values, dict) or values.get("format") not in READ:
        known = " or ".join(map(str, READ))
        raise InputError(f"{where}: not a saved investigation of format {known}")
    record = {name: value for name, value in values.items() if name != CASE}
    if record["format"] == FORMAT:
        _check(CaseRecord, record, where)
        if CASE not in values:
            raise InputError(f"{where}: damaged: case: Field required")
    else:
        read_record(record, where)
    _check_rows(record, where)
    return SavedFile(record, _case(values[CASE], where) if CASE in values else None)


def changes_of(saved: SavedFile, where: str) -> list[str]:
    """What of a file is not as it was written, in words. Raises InputError for one that has no chain."""
    if saved.case is None:
        raise InputError(
            f"{where}: saved in format {saved.record['format']}, which has no chain: whether it was changed "
            "cannot be told"
        )
    return faults(saved.record, saved.case)


def _case(values: Any, where: str) -> SealedCase:
    part = _check(CasePart, values, f"{where}: case")
    events = tuple(Event(**event.model_dump()) for event in part.events)
    for event in events:
        if event.kind == UNDONE and type(event.data.get("event")) is not int:
            raise InputError(f"{where}: damaged: case.events.{event.number}.data: it names no event")
    if part.head != events[-1].hash:
        raise InputError(f"{where}: damaged: case.head: not the hash of the last event")
    named = {name: getattr(part, name) for name in APART}
    return SealedCase(
        part.id,
        **named,
        events=events,
        earlier=_earlier(part.earlier, where),
        verdicts=_verdicts(part, values.get("verdicts", []), where),
        verdicts_seal=part.verdicts_seal,
    )


def _verdicts(part: CasePart, values: list[dict[str, Any]], where: str) -> tuple[dict[str, Any], ...]:
    """The verdicts as they stand in the file, each of this case, and one of each reviewer on an item."""
    if any(one.item.case_id != part.id for one in part.verdicts):
        raise InputError(f"{where}: damaged: case.verdicts: one is of another case")
    if len({(one.item.key, one.reviewer) for one in part.verdicts}) < len(part.verdicts):
        raise InputError(f"{where}: damaged: case.verdicts: a reviewer says two things of an item")
    return tuple(values)


def _earlier(packed: Mapping[str, str], where: str) -> dict[str, bytes]:
    """Earlier records by their digests; one whose bytes have another digest is none of them."""
    room, found = LARGEST_STATES, {}
    for name, text in packed.items():
        try:
            state: bytes | None = inflate(base64.b64decode(text, validate=True), room)
        except (binascii.Error, ValueError, UnpackingError):
            state = None
        if state is None or digest(state) != name:
            raise InputError(f"{where}: damaged: case.earlier: {name[:64]!r} is not what it was")
        room -= len(state)
        found[name] = state
    return found


def _check_rows(record: Mapping[str, Any], where: str) -> None:
    """That the tables can be made of a record: its hops end in its pool, its numbers are numbers."""
    try:
        rows_of(record)
        summary_of(record)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(f"{where}: damaged: its parts do not fit together ({error})") from error


def _check(model: type[Model], values: Any, where: str) -> Model:
    try:
        return model.model_validate_json(orjson.dumps(values), strict=True)
    except ValidationError as error:
        raise InputError(f"{where}: damaged: {first_fault(error)}") from error
