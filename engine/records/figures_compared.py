"""All of two records beside passages, hops and what was given: each value that differs, by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Given, compared passage by passage and hop by hop, or nothing of what was found.
ELSEWHERE = frozenset(
    {"question", "corpus", "day", "model", "settings", "passages", "started", "milliseconds", "usage"}
)
# Parts of a record that are lists of the same things.
_LISTED = ("passages", "rounds", "retrievers", "coverage", "threads")
# As a reranker tells it: "reranked the best 28 passages in 102 ms by ce:NAME".
_TOOK = re.compile(r" in [\d,.]+ m?s\b")
# By which of its fields something in a list is called.
_CALLED_BY = ("id", "name", "strategy", "retriever", "number", "text")


@dataclass(frozen=True, slots=True)
class Figure:
    """A value by where it stands ("coverage.dues.state"); None where one record has it not."""

    name: str
    before: Any
    after: Any


def figures_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Figure]:
    """The values that differ. Of the pool's passages: round, strategy and score of those that are in both."""
    old, new = (
        {**one, "pool": _pool(one, other), "notes": timeless_notes(one["notes"])}
        for one, other in ((before, after), (after, before))
    )
    for name in dict.fromkeys([*old, *new]):
        if name not in ELSEWHERE:
            yield from _differing(name, old.get(name), new.get(name))


def timeless_notes(notes: Sequence[str]) -> list[str]:
    """Notes without how long something took."""
    return [_TOOK.sub("", note) for note in notes]


def _pool(record: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    there = {node["id"] for node in other["pool"]["nodes"]}
    own = {name: value for name, value in record["pool"].items() if name != "edges"}
    return {**own, "nodes": [node for node in own["nodes"] if node["id"] in there]}


def _differing(name: str, old: Any, new: Any) -> Iterator[Figure]:
    if old == new or name.rpartition(".")[2] == "milliseconds":
        return
    parts = _named(old), _named(new)
    if parts[0] is None or parts[1] is None:
        yield Figure(name, old, new)
        return
    for key in dict.fromkeys([*parts[0], *parts[1]]):
        yield from _differing(f"{name}.{key}", parts[0].get(key), parts[1].get(key))
    if parts[0] == parts[1] or (list(parts[0]) != list(parts[1]) and not isinstance(old, Mapping)):
        yield Figure(f"{name}.order", list(parts[0]), list(parts[1]))


def _named(value: Any) -> Mapping[str, Any] | None:
    """The parts of a value by their names; None for what has none."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    if not all(isinstance(one, Mapping) for one in value):
        return None
    called = next((key for key in _CALLED_BY if all(one.get(key) is not None for one in value)), None)
    if called is None:
        return None
    found = {str(one[called]): one for one in value}
    return found if len(found) == len(value) else None


def alike(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Two records of different formats with the fields alone that both formats have; those of one format as
    they are."""
    if before["format"] == after["format"]:
        return before, after
    names = (before.keys() & after.keys()) - {"format"}
    pool = before["pool"].keys() & after["pool"].keys()
    both = [
        {**{name: one[name] for name in names}, "pool": {name: one["pool"][name] for name in pool}}
        for one in (before, after)
    ]
    for place, name in (*((None, one) for one in _LISTED), ("pool", "nodes"), ("pool", "edges")):
        rows = [one[name] if place is None else one[place][name] for one in both]
        known = set.intersection(*(set(row) for some in rows for row in some[:1])) if all(rows) else set()
        for one, some in zip(both, rows, strict=True):
            trimmed = [{key: row[key] for key in row if key in known or not all(rows)} for row in some]
            (one if place is None else one[place])[name] = trimmed
    return both[0], both[1]
