"""Cases before export: validation, and removal of private data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from engine.errors import InputError, SettingsError, without_folders
from engine.exports.registry import ExportableCase
from engine.llm.connection import read_spec
from engine.records.record import RECORD, CaseRecord, read_record
from engine.records.store.chain import UNDONE, Event, digest

# Removal of private data from a record: folders, and the address of the language model.

_ADDRESS = re.compile(r"@(https?://[^?\s]*)")


def without_machine(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record without folders and the address of the language model."""
    address = _ADDRESS.search(_text(record.get("model")))
    host = "" if address is None else urlsplit(address[1]).netloc

    def clean(text: str) -> str:
        cleaned = without_folders(text)
        return cleaned.replace(host, "its server") if host else cleaned

    found = dict(record)
    found["model"] = _ADDRESS.sub("", _text(record.get("model")))
    found["notes"] = [clean(_text(note)) for note in _listed(record.get("notes"))]
    found["retrievers"] = _without(record.get("retrievers"), "off", clean)
    found["rounds"] = [
        {**one, "retrievers": _without(one.get("retrievers"), "off", clean)}
        for one in _listed(record.get("rounds"))
        if isinstance(one, Mapping)
    ]
    settings = record.get("settings")
    if isinstance(settings, Mapping) and isinstance(settings.get("reranker"), str):
        found["settings"] = {**settings, "reranker": clean(settings["reranker"])}
    return found


def _without(values: Any, name: str, clean: Callable[[str], str]) -> list[Any]:
    return [
        {**one, name: clean(_text(one.get(name)))} if isinstance(one, Mapping) else one
        for one in _listed(values)
    ]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


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


# The name of the language model in exports.


def model_name(spec: str) -> str:
    """Return the name of a model without its server's address; empty without a model."""
    try:
        return read_spec(spec).model if spec else ""
    except SettingsError:
        return spec.partition("@")[0].rpartition("/")[2]
