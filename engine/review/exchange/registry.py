"""The formats in which verdicts are exchanged, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import InputError
from engine.review.exchange import binary_qrels, doccano, label_studio, mlflow, qrels, table
from engine.review.exchange.format import Format

FORMATS: Final[Mapping[str, Format]] = {
    module.FORMAT.name: module.FORMAT
    for module in (table, mlflow, qrels, binary_qrels, label_studio, doccano)
}


def format_of(name: str) -> Format:
    """A format by its name. Raises InputError for an unknown one."""
    found = FORMATS.get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return found
