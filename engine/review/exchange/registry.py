"""The formats for exchanging verdicts, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from engine.errors import InputError
from engine.review.exchange import binary_qrels, lines, qrels, table
from engine.review.exchange.drafts import Format
from engine.review.model import Assessment

FORMATS: Final[Mapping[str, Format]] = {
    module.FORMAT.name: module.FORMAT for module in (table, lines, qrels, binary_qrels)
}


def format_of(name: str) -> Format:
    """Return a format by name. Raises InputError for an unknown one."""
    found = FORMATS.get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return found


def writer_of(name: str) -> Callable[[Iterable[Assessment]], bytes]:
    """Return the writer of a format. Raises InputError for an unknown one, and for one that is only read."""
    found = format_of(name)
    if found.write is None:
        written = ", ".join(one.name for one in FORMATS.values() if one.write is not None)
        raise InputError(f"{name} can only be read; formats that can be written: {written}")
    return found.write
