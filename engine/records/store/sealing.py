"""A case with its chain of events, apart from any database: begun anew, or as it was kept elsewhere."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from engine import __version__
from engine.model import NOTHING
from engine.records.store.chain import (
    BEGINNING,
    OPENED,
    RAN,
    Event,
    broken_events,
    broken_states,
    digest,
    said_by,
    sealed,
)

LONGEST_NAME = 200
# What a sealed case has of what is said of it.
APART = ("application", "fingerprint", "engine", "name", "notes", "verdict", "verdict_right")


@dataclass(frozen=True, slots=True)
class SealedCase:
    """What is said of a case beside its record: by what it was asked, of which state of a corpus, by which
    version of the program; ``events`` in their order; ``earlier`` records that steps have changed since, by
    their digests, as far as they are there. ``verdicts`` are what reviewers said of it, where it is handed
    over with them, ``verdicts_seal`` what a file says that seals them, None for one that is made here."""

    id: str
    application: str
    fingerprint: str
    engine: str
    events: tuple[Event, ...]
    name: str = ""
    notes: str = ""
    verdict: str | None = None
    verdict_right: bool | None = None
    earlier: Mapping[str, bytes] = field(default_factory=lambda: NOTHING)
    verdicts: tuple[Mapping[str, Any], ...] = ()
    verdicts_seal: str | None = None

    @property
    def head(self) -> str:
        """The hash of the last event."""
        return self.events[-1].hash


def verdicts_sealed(case: SealedCase) -> str:
    """What seals the verdicts of a case together with its last event; empty where it has none."""
    said = [case.head, case.id, [dict(one) for one in case.verdicts]]
    return digest(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)) if case.verdicts else ""


def begun(
    record: Mapping[str, Any],
    *,
    application: str,
    who: str,
    fingerprint: str = "",
    name: str = "",
    case_id: str = "",
    at: str = "",
    state: bytes | None = None,
) -> SealedCase:
    """A case that has come to its end for the first time. ``record`` is what ``investigation_to_json``
    makes, ``state`` its bytes as ``written`` where the caller has them, ``fingerprint`` the state of the
    corpus; ``application`` is what it was asked by: page, cli, http, mcp, python or batch. ``case_id``: by
    which it was known while it ran; ``at``: when it is sealed, now without it."""
    case_id, name = case_id or new_id(), name[:LONGEST_NAME]
    said = {"application": application, "fingerprint": fingerprint, "engine": engine_version(), "name": name}
    question = {"question": record["question"], "corpus": record["corpus"]}
    started = datetime.fromisoformat(record["started"])
    opened = sealed(Event(0, in_utc(started), who, OPENED, question | said), case_id, BEGINNING)
    ran = Event(1, at or now(), who, RAN, {}, digest(written(record) if state is None else state))
    return SealedCase(case_id, **said_apart(said), events=(opened, sealed(ran, case_id, opened.hash)))


def said_apart(said: Mapping[str, Any]) -> dict[str, Any]:
    """Of what is said of a case, what a sealed one has as fields."""
    return {name: said[name] for name in APART if name in said}


def faults(record: Mapping[str, Any], case: SealedCase) -> list[str]:
    """What of a record and its case is not as it was written, in words; nothing where all is. Records that
    are not the last need not be there."""
    state = written(record)
    states = states_of(state, case)
    absent = [event.number for event in case.events if event.number not in states]
    found = broken_events(case.id, case.events, case.head)
    found += broken_states(case.events, states, absent)
    if case.verdicts_seal not in (None, verdicts_sealed(case)):
        found.append("the verdicts are not what they were when they were written")
    last = next((event.state for event in reversed(case.events) if event.state is not None), None)
    if last != digest(state):
        found.append("the record is not what it was when it was written")
    found += [
        f"it says another {name.replace('_', ' ')} than its events"
        for name, value in said_apart(said_by(case.events)).items()
        if getattr(case, name) != value
    ]
    return found


def states_of(state: bytes, case: SealedCase) -> dict[int, bytes]:
    """The records of a case that are there, by the number of the event that each stands behind; ``state`` is
    the last."""
    kept = {**case.earlier, digest(state): state}
    return {event.number: kept[event.state] for event in case.events if event.state in kept}


def written(record: Mapping[str, Any]) -> bytes:
    """The bytes of a record of which the digest is taken: JSON without spaces, keys in their order."""
    return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)


def new_id() -> str:
    """An id that nobody guesses."""
    # A command line would take one that begins with a dash for a flag.
    while (found := secrets.token_urlsafe(16)).startswith("-"):
        continue
    return found


def engine_version() -> str:
    """The version of this program."""
    return __version__


def in_utc(moment: datetime) -> str:
    """A moment as it is kept: UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def is_moment(text: str) -> bool:
    """Whether a text is a moment, or a day, that can be told in UTC."""
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True


def now() -> str:
    """This moment."""
    return in_utc(datetime.now(UTC))
