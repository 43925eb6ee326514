"""Saved investigations: files that are written whole, and the records in them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import orjson

from engine.errors import InputError
from engine.investigation.record import Investigation
from engine.records.export import investigation_to_json
from engine.records.filed.writing import CASE, case_bytes
from engine.records.record import READ, CaseRecord, read_record
from engine.records.store.sealing import begun


def save(
    investigation: Investigation,
    path: Path,
    *,
    application: str = "python",
    who: str = "python",
    fingerprint: str = "",
) -> None:
    """Write an investigation as JSON, sealed; the file is either whole or not there. ``application`` says by
    what it was asked, ``who`` by whom, ``fingerprint`` is the state of its corpus. Raises InputError."""
    record = orjson.loads(orjson.dumps(investigation_to_json(investigation)))
    case = begun(record, application=application, who=who, fingerprint=fingerprint)
    write_whole(path, case_bytes(record, case))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is either whole or not there; in the place of a link stands the file then. Raises
    InputError, also where a folder, a device or a pipe is there."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: what is there is no file")
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def load_record(path: Path) -> CaseRecord:
    """The record of a saved investigation. Raises InputError for a file that is none."""
    return read_record(record_of(path), path)


def record_of(path: Path) -> dict[str, Any]:
    """The record of a saved investigation as plain values. Raises InputError for a file that is none."""
    return {name: value for name, value in values_of(path).items() if name != CASE}


def values_of(path: Path) -> dict[str, Any]:
    """All that stands in the file of a saved investigation. Raises InputError for a file that is none."""
    none = f"{path}: not a saved investigation"
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{none}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{none}: no JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{none}: it holds no object")
    for name in ("format", "pool"):
        if name not in record:
            raise InputError(f"{none}: it has no field {name!r}")
    if record["format"] not in READ:
        known = " and ".join(map(str, READ))
        raise InputError(f"{path}: saved in format {record['format']}, this program reads {known}")
    return record
