"""The database of a store, and the conditions of its lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import orjson
from sqlalchemy import Connection, Engine, RowMapping, Select, and_, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from engine.errors import InputError, UnpackingError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import Event, broken_events, digest
from engine.records.store.opening import READS, opened, told
from engine.records.store.tables import CASES, EVENTS, MATTERS, STATES
from engine.unpacking import inflate

# Which cases are meant: summaries, filters, means.

COLUMNS = [
    column
    for column in CASES.c
    if column.name not in ("number", "searched", "settings", "parts", "notes", "head", "opened")
]
# Figures of which a list of averages has the means.
AVERAGED = (
    *("coverage_score", "mean_similarity", "top_similarity", "reference_coverage", "round_efficiency"),
    *("completeness", "passages", "milliseconds"),
)


@dataclass(frozen=True, slots=True)
class Matter:
    """Cases that belong together. ``owner`` is a hash of whose it is, empty for the machine's own."""

    id: str
    owner: str
    name: str
    created: str


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """A case in a list. Times are UTC in ISO 8601; figures are None where nothing was measured."""

    id: str
    matter: str
    application: str
    name: str
    is_shared: bool
    started: str
    completed: str
    changed: str
    question: str
    language: str
    corpus: str
    fingerprint: str
    engine: str
    day: str | None
    rounds: int
    stop_reason: str
    passages: int
    pool: int
    completeness: float | None
    mean_similarity: float | None
    top_similarity: float | None
    coverage_score: float | None
    reference_coverage: float | None
    round_efficiency: float | None
    coherence: float | None
    milliseconds: float
    model: str
    model_calls: int
    tokens: int
    money: float | None
    evidence: str
    verdict: str | None
    verdict_right: bool | None
    events: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases to list: ``words`` all have to stand in question, name or notes; days are those of the
    start, bounds included."""

    words: str = ""
    corpus: str = ""
    evidence: str = ""
    verdict: str = ""
    since: str = ""
    until: str = ""
    coverage_below: float | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """Some cases of a list, the newest first, and how many there are in all."""

    cases: tuple[CaseSummary, ...]
    total: int


def matching(found: Select[Any], wanted: Wanted, matter: Matter | None, owner: Owner) -> Select[Any]:
    """The cases of a selection that are wanted, of one matter or of all of somebody's."""
    found = found.where(CASES.c.matter.in_(matters_of(owner)))
    if matter is not None:
        found = found.where(CASES.c.matter == matter.id)
    for word in wanted.words.casefold().split():
        found = found.where(CASES.c.searched.contains(word, autoescape=True))
    for column, value in ((CASES.c.corpus, wanted.corpus), (CASES.c.evidence, wanted.evidence)):
        if value:
            found = found.where(column == value)
    if wanted.verdict:
        found = found.where(CASES.c.verdict == wanted.verdict)
    if wanted.since:
        found = found.where(CASES.c.started >= wanted.since)
    if wanted.until:
        # The whole of that day.
        found = found.where(CASES.c.started < wanted.until + "U")
    if wanted.coverage_below is not None:
        found = found.where(CASES.c.coverage_score < wanted.coverage_below)
    return found


def matters_of(owner: Owner) -> Select[Any]:
    """The ids of the matters of somebody."""
    found = select(MATTERS.c.id)
    return found if owner is EVERYBODY else found.where(MATTERS.c.owner == owner)


def summary_from(row: RowMapping) -> CaseSummary:
    """A case from its row."""
    return CaseSummary(**{one.name: row[one.name] for one in fields(CaseSummary)})


# The connections of a store of cases, and how a case is read from its tables.


class ThereError(InputError):
    """Something is there already, or what it belongs to is not."""


class UnknownCaseError(InputError):
    """There is no case of an id, or it belongs to another owner."""

    def __init__(self, case_id: str) -> None:
        super().__init__(f"there is no case {case_id[:40]!r}")


class CaseDatabase:
    """The cases of a database, by its address; see ``opening.opened`` for it and for what is raised."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = opened(url)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def summary(self, case_id: str, owner: Owner = "") -> CaseSummary:
        """A case as it stands in a list."""
        with self._reading() as connection:
            return summary_from(self._case(connection, case_id, owner))

    def notes(self, case_id: str, owner: Owner = "") -> str:
        """What somebody has noted of a case."""
        with self._reading() as connection:
            return str(self._case(connection, case_id, owner)["notes"])

    def events(self, case_id: str, owner: Owner = "") -> list[Event]:
        """Everything that happened to a case, in order."""
        with self._reading() as connection:
            return events_of(connection, self._case(connection, case_id, owner))

    def _case(
        self, connection: Connection, case_id: str, owner: Owner, *, locked: bool = False
    ) -> RowMapping:
        wanted = select(CASES).where(CASES.c.id == case_id, CASES.c.matter.in_(matters_of(owner)))
        found = connection.execute(wanted.with_for_update() if locked else wanted).mappings().one_or_none()
        if found is None:
            raise UnknownCaseError(case_id)
        return found

    def _state(self, case_id: str, number: int | None = None) -> dict[str, Any]:
        """The record behind an event, None for the last that changed it."""
        sealed = and_(EVENTS.c.case_number == STATES.c.case_number, EVENTS.c.number == STATES.c.number)
        wanted = select(STATES.c.record, EVENTS.c.state).outerjoin(EVENTS, sealed)
        wanted = wanted.where(STATES.c.case_number == _number_of(case_id))
        if number is not None:
            wanted = wanted.where(STATES.c.number == number)
        found = self._read(wanted.order_by(STATES.c.number.desc()).limit(1))
        return loaded(unpacked(found[0]["record"], found[0]["state"], case_id) if found else b"", case_id)

    def _read(self, wanted: Select[Any]) -> Sequence[RowMapping]:
        with self._reading() as connection:
            return connection.execute(wanted).mappings().all()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        # What is read together is of one moment.
        level = {} if self._engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        with self._told(), self._engine.connect().execution_options(**{READS: True}, **level) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise ThereError("this is kept already, or what it belongs to is gone: look again") from None
        except SQLAlchemyError as error:
            raise told(error, self._engine.url) from None


def events_of(connection: Connection, case: RowMapping) -> list[Event]:
    """The events of a case, given its row, in their order. Raises InputError where they are not as they were
    written."""
    wanted = select(EVENTS).where(EVENTS.c.case_number == case["number"]).order_by(EVENTS.c.number)
    events = [event_from(row) for row in connection.execute(wanted).mappings()]
    if found := broken_events(case["id"], events, case["head"]):
        raise InputError(f"case {case['id']} is damaged: {found[0]}; `cases verify` says all")
    return events


def event_from(row: RowMapping) -> Event:
    """An event from its row."""
    return Event(**{one.name: row[one.name] for one in fields(Event)})


def unpacked(record: bytes, state: str | None, case_id: str) -> bytes:
    """A record as it was kept, of which ``state`` is the digest. Raises InputError for a damaged one."""
    try:
        found = inflate(record)
    except UnpackingError as error:
        raise _damaged(case_id) from error
    if digest(found) != state:
        raise _damaged(case_id)
    return found


def loaded(state: bytes, case_id: str) -> dict[str, Any]:
    """Its values. Raises InputError for a damaged one."""
    try:
        record: dict[str, Any] = orjson.loads(state)
    except orjson.JSONDecodeError as error:
        raise _damaged(case_id) from error
    return record


def _damaged(case_id: str) -> InputError:
    return InputError(f"the record of case {case_id} is damaged: `cases verify` says what")


def _number_of(case_id: str) -> Any:
    return select(CASES.c.number).where(CASES.c.id == case_id).scalar_subquery()
