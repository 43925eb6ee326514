"""Two rankings beside each other, for a terminal."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

NARROWEST = 60


def side_by_side(before: Mapping[str, Any], after: Mapping[str, Any], width: int = 0) -> Iterator[str]:
    """A line for each rank; what is in one ranking alone is marked, - on the left and + on the right. On the
    right each passage has its rank on the left. ``width`` in characters, 0: that of the terminal."""
    room = max(NARROWEST, width or shutil.get_terminal_size((120, 24)).columns) - 3
    left, right = room // 2, room - room // 2
    old, new = ({one["id"]: one["rank"] for one in record["passages"]} for record in (before, after))
    yield f"{_cut(_head(before), left)} | {_cut(_head(after), right).rstrip()}"
    for one, other in zip_longest(before["passages"], after["passages"]):
        first = "" if one is None else f"{one['rank']:>3}{' ' if one['id'] in new else '-'} {_label(one)}"
        second = "" if other is None else f"{other['rank']:>3}{_mark(other, old)} {_label(other)}"
        yield f"{_cut(first, left)} | {_cut(second, right).rstrip()}"


def _head(record: Mapping[str, Any]) -> str:
    return f"{record['corpus']}, as of {record['day']}, {len(record['passages'])} passages"


def _mark(passage: Mapping[str, Any], old: Mapping[str, int]) -> str:
    before = old.get(passage["id"])
    if before is None:
        return "+"
    return " " if before == passage["rank"] else f" ({before})"


def _label(passage: Mapping[str, Any]) -> str:
    return ", ".join(part for part in (passage["title"] or passage["document"], passage["label"]) if part)


def _cut(text: str, width: int) -> str:
    """The text at exactly a width, in cells."""
    kept, used = "", 0
    for letter in re.sub(r"\s", " ", text):
        cells = _cells(letter)
        if used + cells > width - 1:
            return f"{kept}…" + " " * (width - used - 1)
        kept, used = kept + letter, used + cells
    return kept + " " * (width - used)


def _cells(letter: str) -> int:
    """How wide a letter is: marks above others take no cell, wide letters two."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
