"""Texts and rows of tests, as YAML beside the module that tests with them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from engine import bounded


def table(module: str, name: str) -> Any:
    """Return what the YAML file of a module (its ``__file__``) has under a name, each row as a tuple."""
    rows = _content(Path(module).with_suffix(".yaml"))[name]
    return [tuple(row) if isinstance(row, list) else row for row in rows] if isinstance(rows, list) else rows


def pairs(module: str, name: str) -> Any:
    """Return the rows of a name as ``table`` does; the lists in a row consist of tuples."""
    return [
        tuple(list(map(to_tuples, cell)) if isinstance(cell, list) else cell for cell in row)
        for row in table(module, name)
    ]


def tuples(module: str, name: str) -> Any:
    """Return the rows of a name, with all lists as tuples."""
    return to_tuples(_content(Path(module).with_suffix(".yaml"))[name])


def to_tuples(value: Any) -> Any:
    """Return a value of YAML with its lists as tuples."""
    if isinstance(value, dict):
        return {key: to_tuples(inner) for key, inner in value.items()}
    return tuple(map(to_tuples, value)) if isinstance(value, list) else value


@cache
def _content(path: Path) -> Any:
    return bounded.load_yaml(path.read_text(encoding="utf-8"))
