"""Removal of private data from a record: folders, and the address of the language model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from engine.errors import without_folders

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
