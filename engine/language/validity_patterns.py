"""The words of commencement and end in each language, from ``validity.yaml`` beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from engine import bounded_yaml

FILE = Path(__file__).with_name("validity.yaml")


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one language, as the file explains them. ``ordinals``: words for a number of days."""

    hint: tuple[str, ...]
    publication: tuple[str, ...]
    itself: str
    some: str
    commences: tuple[str, ...]
    ceases: tuple[str, ...]
    applies: tuple[str, ...] = ()
    ordinals: Mapping[str, int] = field(default_factory=dict)


@cache
def languages() -> Mapping[str, Patterns]:
    """The patterns by language code; read once."""
    content: dict[str, dict[str, Any]] = bounded_yaml.load(FILE.read_text(encoding="utf-8"))
    found = {}
    for language, fields in content.items():
        listed = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
        found[language] = Patterns(**{**fields, **listed})
    return found
