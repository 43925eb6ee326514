"""The hash chain of a case's events, and sealed cases."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

import orjson

from engine import __version__
from engine.corpus.embedded.publication import GRADES_NAME, VALIDATIONS_NAME
from engine.corpus.protocol import Corpus
from engine.model import NOTHING

# The fingerprint of a corpus.


def fingerprint_of(corpus: Corpus) -> str:
    """Return a SHA-256 (hexadecimal) of all that results depend on in a corpus.

    It covers texts, references, ontology, models, and the verdicts on links and grades.
    """
    info, found = corpus.info(), hashlib.sha256()
    # The last part was the model of token vectors; "none" keeps the fingerprints of saved cases valid.
    for part in (info.metadata["text"], info.embedding, info.sparse, "none"):
        found.update(f"{part}\0".encode())
    if corpus.journals is not None:
        for name in (VALIDATIONS_NAME, GRADES_NAME):
            for line in corpus.journals.lines(name):
                found.update(line + b"\n")
    return found.hexdigest()


# Each event is sealed with the hash of the one before it. A change of an event, or of a record that it
# names, breaks the chain from there on. With write access to the store one could rewrite the whole chain:
# only a last hash stored elsewhere (a memo, a mail, a file) proves a case.

BEGINNING = "0" * 64
# Kinds of events; steps of a user have the names of the page's actions.
OPENED, RAN, UNDONE, DESCRIBED, JUDGED, MOVED = "opened", "ran", "undone", "described", "judged", "moved"
SHARED, IMPORTED = "shared", "imported"
# Columns of a case that a sealed case has as fields.
SEALED_FIELDS = ("application", "fingerprint", "engine", "name", "notes", "verdict", "verdict_right")
# Columns of a case that events set.
_EVENT_COLUMNS = frozenset((*SEALED_FIELDS, "is_shared", "matter"))
# Their values until an event sets them.
_DEFAULTS = {"notes": "", "verdict": None, "verdict_right": None, "is_shared": False}


@dataclass(frozen=True, slots=True)
class Event:
    """An event in the history of a case.

    ``number`` counts from 0, ``at`` is UTC in ISO 8601, ``who`` the name of a user or program. ``state`` is
    the digest of the record after the event, None if it did not change the record. ``hash`` seals the event.
    """

    number: int
    at: str
    who: str
    kind: str
    data: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    state: str | None = None
    hash: str = ""

    def values(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"data": dict(self.data)}


def seal(event: Event, case_id: str, before: str) -> Event:
    """Return the event with its hash; ``before`` is the hash of the event before it."""
    return replace(event, hash=_hash(event, case_id, before))


def active_steps(events: Iterable[Event]) -> list[Event]:
    """Return the events that changed the record and were not undone; the first is the run itself."""
    every = list(events)
    back = _taken_back(every)
    return [one for one in every if one.state is not None and one.kind != UNDONE and one.number not in back]


def active_verdicts(events: Iterable[Event]) -> list[Event]:
    """Return the verdicts that were not undone, in order; the last is in force."""
    every = list(events)
    back = _taken_back(every)
    return [one for one in every if one.kind == JUDGED and one.number not in back]


def event_columns(events: Iterable[Event]) -> dict[str, Any]:
    """Return the columns that the events of a case set; events of older versions may lack some."""
    values: dict[str, Any] = dict(_DEFAULTS)
    for event in events:
        if event.kind in (OPENED, DESCRIBED, JUDGED, MOVED, SHARED, IMPORTED, UNDONE):
            values |= {name: value for name, value in event.data.items() if name in _EVENT_COLUMNS}
    return values


def missing_records(events: Iterable[Event]) -> frozenset[int]:
    """Return the numbers of the events whose records were not included when the case was imported."""
    return frozenset(
        number for event in events if event.kind == IMPORTED for number in event.data.get("left_behind", ())
    )


def _taken_back(events: Iterable[Event]) -> set[int]:
    return {int(event.data["event"]) for event in events if event.kind == UNDONE}


def digest(record: bytes) -> str:
    """Return the SHA-256 of a record's bytes in hexadecimal."""
    return hashlib.sha256(record).hexdigest()


def broken_events(case_id: str, events: Sequence[Event], head: str) -> list[str]:
    """Return the faults in a chain of events as sentences; ``head`` is the last hash stored with the case."""
    found: list[str] = []
    before = BEGINNING
    for place, event in enumerate(events):
        if event.number != place:
            return [*found, f"event {place} is missing"]
        if event.hash != _hash(event, case_id, before):
            found.append(f"event {event.number} ({event.kind}) was changed")
        before = event.hash
    return (
        found if events and before == head else [*found, "the last event is not the one that the case names"]
    )


def broken_states(
    events: Sequence[Event], states: Mapping[int, bytes], absent: Collection[int] = ()
) -> list[str]:
    """Return the faults in the records of a case as sentences.

    ``states`` are the stored records by event number; records of the events ``absent`` may be missing.
    """
    found, digests = [], {digest(one) for one in states.values()}
    for number, state in ((one.number, one.state) for one in events if one.state is not None):
        if number in states and digest(states[number]) != state:
            found.append(f"the record behind event {number} was changed")
        elif number not in {*states, *absent} and state not in digests:
            found.append(f"the record behind event {number} is missing")
    return found


def _hash(event: Event, case_id: str, before: str) -> str:
    """Return the hash of an event; empty if its data cannot be JSON (so it was never stored)."""
    sealed_data = [
        before,
        case_id,
        event.number,
        event.at,
        event.who,
        event.kind,
        dict(event.data),
        event.state,
    ]
    try:
        return hashlib.sha256(orjson.dumps(sealed_data, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except orjson.JSONEncodeError:
        return ""


# A case with its chain of events, independent of any database.

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class SealedCase:
    """A case's metadata and events, without its record.

    ``application`` made the case, on the corpus state ``fingerprint``, with the program version ``engine``.
    ``earlier``: former states of the record by digest, as far as available. ``verdicts`` are assessments of
    reviewers that are exported with the case, ``verdicts_seal`` their seal in the file, None for a case made
    here.
    """

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


def seal_verdicts(case: SealedCase) -> str:
    """Return the seal of a case's verdicts and last event; empty without verdicts."""
    sealed_data = [case.head, case.id, [dict(one) for one in case.verdicts]]
    return digest(orjson.dumps(sealed_data, option=orjson.OPT_SORT_KEYS)) if case.verdicts else ""


def begin_case(
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
    """Return a new sealed case for a finished run.

    ``record`` comes from ``investigation_to_json``, ``state`` are its bytes if the caller has them already.
    ``application``: page, cli, http, mcp, python or batch; ``case_id``: its id while it ran; ``at``: the time
    of sealing, now by default.
    """
    case_id, name = case_id or new_id(), name[:LONGEST_NAME]
    fields = {
        "application": application,
        "fingerprint": fingerprint,
        "engine": engine_version(),
        "name": name,
    }
    question = {"question": record["question"], "corpus": record["corpus"]}
    started = datetime.fromisoformat(record["started"])
    opened = seal(Event(0, in_utc(started), who, OPENED, question | fields), case_id, BEGINNING)
    ran = Event(1, at or now(), who, RAN, {}, digest(record_bytes(record) if state is None else state))
    return SealedCase(case_id, **sealed_fields(fields), events=(opened, seal(ran, case_id, opened.hash)))


def sealed_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some values that are fields of a sealed case."""
    return {name: values[name] for name in SEALED_FIELDS if name in values}


def find_faults(record: Mapping[str, Any], case: SealedCase) -> list[str]:
    """Return the faults of a record and its case as sentences; earlier records may be missing."""
    state = record_bytes(record)
    states = states_of(state, case)
    absent = [event.number for event in case.events if event.number not in states]
    found = broken_events(case.id, case.events, case.head)
    found += broken_states(case.events, states, absent)
    if case.verdicts_seal not in (None, seal_verdicts(case)):
        found.append("the verdicts were changed")
    last = next((event.state for event in reversed(case.events) if event.state is not None), None)
    if last != digest(state):
        found.append("the record was changed")
    found += [
        f"its field {name.replace('_', ' ')!r} differs from its events"
        for name, value in sealed_fields(event_columns(case.events)).items()
        if getattr(case, name) != value
    ]
    return found


def states_of(state: bytes, case: SealedCase) -> dict[int, bytes]:
    """Return the available records of a case by event number; ``state`` is the last record."""
    records = {**case.earlier, digest(state): state}
    return {event.number: records[event.state] for event in case.events if event.state in records}


def record_bytes(record: Mapping[str, Any]) -> bytes:
    """Return the canonical bytes of a record, of which the digest is taken: JSON with sorted keys."""
    return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)


def new_id() -> str:
    """Return a new random id."""
    # A command line would take an id that begins with a dash for an option.
    while (found := secrets.token_urlsafe(16)).startswith("-"):
        continue
    return found


def engine_version() -> str:
    """Return the version of this program."""
    return __version__


def in_utc(moment: datetime) -> str:
    """Return a moment as it is stored: UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def is_moment(text: str) -> bool:
    """Return whether a text is a date or time in ISO 8601 that can be expressed in UTC."""
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True


def now() -> str:
    """Return the current time in UTC."""
    return in_utc(datetime.now(UTC))
