"""Plain values made short enough to be read at once: texts are cut at a word, lists at an entry.

Nothing is cut in silence: a text that was cut ends with its whole length, and ``left_out`` counts by their
place the entries that are not there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import InputError

LEFT_OUT = "left_out"
# Longest text, and most entries of a list, None for any: what is tried in turn until the whole is short.
_STEPS: tuple[tuple[int | None, int | None], ...] = (
    (None, None), (3000, None), (2000, 200), (1200, 100), (900, 100), (700, 60), (500, 60), (400, 60),
    (300, 60), (250, 40), (200, 30), (200, 20), (150, 15), (120, 10), (100, 6), (80, 4), (60, 2), (40, 1),
)  # fmt: skip
# By these names something is asked for again: they are worth nothing in part.
_NAMES = frozenset({
    "id", "case", "passage", "passages", "document", "corpus", "url", "source", "target", "to", "assembled",
})  # fmt: skip
_LONGEST_NAME = 200


def characters(value: object) -> int:
    """How long a value is as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cut(text: str, longest: int) -> str:
    """The beginning of a text, cut at a word, and how long the whole is: "The owner … (5,210 characters)"."""
    if len(text) <= longest:
        return text
    told = f"… ({len(text):,} characters)"
    head = text[: max(longest - len(told) - 1, 0)]
    words = head.rsplit(None, 1)
    # A text without spaces is cut where it is.
    head = words[0] if len(words) == 2 and len(words[0]) > len(head) // 2 else head.rstrip()
    return f"{head} {told}".lstrip()


def fitted(
    values: Mapping[str, Any], longest: int, weigh: Callable[[object], int] = characters
) -> dict[str, Any]:
    """The values as they are where they weigh ``longest`` at most; else as much of them as does.

    Raises InputError where even a word of each is too much.
    """
    for text, entries in _STEPS:
        left: Counter[str] = Counter()
        made = {name: _cut(value, name, text, entries, left, name) for name, value in values.items()}
        if left:
            made[LEFT_OUT] = dict(left)
        if weigh(made) <= longest:
            return made
    raise InputError("the answer is too long to be sent so: ask for less, or for detail=full")


def _cut(value: Any, name: str, text: int | None, entries: int | None, left: Counter[str], place: str) -> Any:
    if isinstance(value, str):
        if text is None:
            return value
        return cut(value, max(text, _LONGEST_NAME) if name in _NAMES else text)
    if isinstance(value, Mapping):
        return {
            cut(key, _LONGEST_NAME) if text is not None else key: _cut(
                one, key, text, entries, left, f"{place}.{key}" if key.isidentifier() else place
            )
            for key, one in _first(
                list(value.items()), None if entries is None else 2 * entries + 20, left, place
            )
        }
    if isinstance(value, list | tuple):
        return [_cut(one, name, text, entries, left, place) for one in _first(value, entries, left, place)]
    return value


def _first(found: Any, entries: int | None, left: Counter[str], place: str) -> Any:
    if entries is None or len(found) <= entries:
        return found
    left[place[:_LONGEST_NAME]] += len(found) - entries
    return found[:entries]
