"""The events of a case, each sealed with the one before it.

Whoever changes an event, or a record that it names, breaks the chain from there on. Whoever can write the
store can also write the whole chain anew: what proves a case is its last hash, kept somewhere else (a memo, a
mail, a file).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from engine.model import NOTHING

BEGINNING = "0" * 64
# Kinds of events; steps of a person are called as the page calls them.
OPENED, RAN, UNDONE, DESCRIBED, JUDGED, MOVED = "opened", "ran", "undone", "described", "judged", "moved"
SHARED, IMPORTED = "shared", "imported"
# What events say of a case besides its record.
_SAID = frozenset(
    (
        "application",
        "engine",
        "fingerprint",
        "name",
        "notes",
        "verdict",
        "verdict_right",
        "is_shared",
        "matter",
    )
)
# What holds of a case of which no event says anything else.
_UNSAID = {"notes": "", "verdict": None, "verdict_right": None, "is_shared": False}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a case. ``number`` counts from 0, ``at`` is UTC in ISO 8601, ``who`` a name
    or the program that did it. ``state``: the digest of the record that it left, None where it left it as it
    was. ``hash`` seals it."""

    number: int
    at: str
    who: str
    kind: str
    data: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    state: str | None = None
    hash: str = ""

    def values(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "number": self.number,
            "at": self.at,
            "who": self.who,
            "kind": self.kind,
            "data": dict(self.data),
            "state": self.state,
            "hash": self.hash,
        }


def sealed(event: Event, case_id: str, before: str) -> Event:
    """The event with its hash, behind one whose hash is ``before``."""
    return Event(
        event.number, event.at, event.who, event.kind, event.data, event.state, _hash(event, case_id, before)
    )


def standing_steps(events: Iterable[Event]) -> list[Event]:
    """The events that changed the record and were not taken back, in order; the first is the case as it ran,
    which nobody takes back."""
    known = list(events)
    back = _taken_back(known)
    return [one for one in known if one.state is not None and one.kind != UNDONE and one.number not in back]


def standing_verdicts(events: Iterable[Event]) -> list[Event]:
    """The verdicts that were not taken back, in order; the last is the one that holds."""
    known = list(events)
    back = _taken_back(known)
    return [one for one in known if one.kind == JUDGED and one.number not in back]


def said_by(events: Iterable[Event]) -> dict[str, Any]:
    """What the events of a case say of it besides its record, by the names of columns. What an older
    program did not write into them is not there."""
    said: dict[str, Any] = dict(_UNSAID)
    for event in events:
        if event.kind in (OPENED, DESCRIBED, JUDGED, MOVED, SHARED, IMPORTED, UNDONE):
            said |= {name: value for name, value in event.data.items() if name in _SAID}
    return said


def left_behind(events: Iterable[Event]) -> frozenset[int]:
    """The numbers of the events whose records were not handed over when the case was taken in."""
    return frozenset(
        number for event in events if event.kind == IMPORTED for number in event.data.get("left_behind", ())
    )


def _taken_back(events: Iterable[Event]) -> set[int]:
    return {int(event.data["event"]) for event in events if event.kind == UNDONE}


def digest(record: bytes) -> str:
    """What a state of a record is told by: SHA-256 of its bytes, 64 hexadecimal digits."""
    return hashlib.sha256(record).hexdigest()


def broken_events(case_id: str, events: Sequence[Event], head: str) -> list[str]:
    """What does not fit in a chain of events, in words. ``head`` is what the case says its last hash is."""
    found: list[str] = []
    before = BEGINNING
    for place, event in enumerate(events):
        if event.number != place:
            return [*found, f"event {place} is missing"]
        if event.hash != _hash(event, case_id, before):
            found.append(f"event {event.number} ({event.kind}) is not what it was when it was written")
        before = event.hash
    return found if events and before == head else [*found, "the case ends with another event than it says"]


def broken_states(
    events: Sequence[Event], states: Mapping[int, bytes], absent: Collection[int] = ()
) -> list[str]:
    """What does not fit of the records of a case: ``states`` are those that are kept, by the number of the
    event that each stands behind; ``absent`` the numbers of those that need not be there."""
    found, known = [], {digest(one) for one in states.values()}
    for number, state in ((one.number, one.state) for one in events if one.state is not None):
        if number in states and digest(states[number]) != state:
            found.append(f"the record behind event {number} is not what it was when it was written")
        elif number not in {*states, *absent} and state not in known:
            found.append(f"the record behind event {number} is missing")
    return found


def _hash(event: Event, case_id: str, before: str) -> str:
    """The seal of an event; empty for one that cannot be written, and so never was."""
    said = [before, case_id, event.number, event.at, event.who, event.kind, dict(event.data), event.state]
    try:
        return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except orjson.JSONEncodeError:
        return ""
