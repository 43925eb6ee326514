"""Records with any value anywhere."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

VALUES: st.SearchStrategy[object] = st.sampled_from(
    [None, -1, 2**40, 10**30, 1e308, 0.5, "", "\x00", "=1", "../x", "9" * 64, [], [[]], {}, {"id": {}}, True]
)


def spoil(record: Any, data: st.DataObject) -> None:
    """Put any value into any field of a record."""
    place = record
    for _ in range(data.draw(st.integers(1, 6))):
        keys = list(place) if isinstance(place, dict) else list(range(min(len(place), 3)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = data.draw(VALUES)
            return
        place = place[key]
