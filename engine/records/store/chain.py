"""The hash chain of a store, and sealed documents in it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from engine import __version__
from engine.corpus.embedded.publication import GRADES_NAME, VALIDATIONS_NAME
from engine.corpus.protocol import Corpus
from engine.model import NOTHING

# The state of a corpus, as far as a case depends on it.


def fingerprint_of(corpus: Corpus) -> str:
    """The same for two states of which the same is found: texts, references, ontology, models, and what
    people have said of links and grades. 64 hexadecimal digits."""
    info, found = corpus.info(), hashlib.sha256()
    # The last part was the model of token vectors; "none" keeps the fingerprints of saved cases valid.
    for part in (info.metadata["text"], info.embedding, info.sparse, "none"):
        found.update(f"{part}\0".encode())
    if corpus.journals is not None:
        for name in (VALIDATIONS_NAME, GRADES_NAME):
            for line in corpus.journals.lines(name):
                found.update(line + b"\n")
    return found.hexdigest()


# The events of a case, each sealed with the one before it.
#
# Whoever changes an event, or a record that it names, breaks the chain from there on. Whoever can
# write the store can also write the whole chain anew: what proves a case is its last hash, kept
# somewhere else (a memo, a mail, a file).

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


# A case with its chain of events, apart from any database: begun anew, or as it was kept
# elsewhere.

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
