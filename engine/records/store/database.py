"""The connection to a database of cases, and filters for lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import orjson
from sqlalchemy import Connection, Engine, RowMapping, Select, and_, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from engine.bounded import inflate
from engine.errors import InputError, UnpackingError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import Event, broken_events, digest
from engine.records.store.opening import READS, open_database, readable_error
from engine.records.store.tables import CASES, EVENTS, MATTERS, STATES

# Case summaries and filters.

COLUMNS = [
    column
    for column in CASES.c
    if column.name not in ("number", "searched", "settings", "parts", "notes", "head", "opened")
]


@dataclass(frozen=True, slots=True)
class Matter:
    """Cases that belong together. ``owner`` is a hash of the owner's key, empty for the machine itself."""

    id: str
    owner: str
    name: str
    created: str


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """A case in a list. Times are UTC in ISO 8601; figures are None if not measured."""

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
class CaseFilter:
    """A filter for cases.

    Every one of ``words`` must occur in question, name or notes; ``since`` and ``until`` are days, inclusive.
    """

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
    """A page of a list, the newest cases first, and the total number of cases."""

    cases: tuple[CaseSummary, ...]
    total: int


def apply_filter(
    found: Select[Any], wanted_cases: CaseFilter, matter: Matter | None, owner: Owner
) -> Select[Any]:
    """Add the conditions of a filter, a matter (None for all) and an owner to a query."""
    found = found.where(CASES.c.matter.in_(matters_of(owner)))
    if matter is not None:
        found = found.where(CASES.c.matter == matter.id)
    for word in wanted_cases.words.casefold().split():
        found = found.where(CASES.c.searched.contains(word, autoescape=True))
    for column, value in ((CASES.c.corpus, wanted_cases.corpus), (CASES.c.evidence, wanted_cases.evidence)):
        if value:
            found = found.where(column == value)
    if wanted_cases.verdict:
        found = found.where(CASES.c.verdict == wanted_cases.verdict)
    if wanted_cases.since:
        found = found.where(CASES.c.started >= wanted_cases.since)
    if wanted_cases.until:
        # Includes the whole day.
        found = found.where(CASES.c.started < wanted_cases.until + "U")
    if wanted_cases.coverage_below is not None:
        found = found.where(CASES.c.coverage_score < wanted_cases.coverage_below)
    return found


def matters_of(owner: Owner) -> Select[Any]:
    """Select the ids of an owner's matters."""
    found = select(MATTERS.c.id)
    return found if owner is EVERYBODY else found.where(MATTERS.c.owner == owner)


def summary_from(row: RowMapping) -> CaseSummary:
    """Return a case summary from a row."""
    return CaseSummary(**{field.name: row[field.name] for field in fields(CaseSummary)})


# Connections, and how a case is read from its tables.


class ConflictError(InputError):
    """The object exists already, or its parent does not exist."""


class UnknownCaseError(InputError):
    """No case has this id, or it belongs to another owner."""

    def __init__(self, case_id: str) -> None:
        super().__init__(f"there is no case {case_id[:40]!r}")


class CaseDatabase:
    """The cases of a database, opened by its URL as in ``opening.opened``."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = open_database(url)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def summary(self, case_id: str, owner: Owner = "") -> CaseSummary:
        """Return the summary of a case."""
        with self._reading() as connection:
            return summary_from(self._case(connection, case_id, owner))

    def notes(self, case_id: str, owner: Owner = "") -> str:
        """Return the user's notes on a case."""
        with self._reading() as connection:
            return str(self._case(connection, case_id, owner)["notes"])

    def events(self, case_id: str, owner: Owner = "") -> list[Event]:
        """Return the history of a case."""
        with self._reading() as connection:
            return events_of(connection, self._case(connection, case_id, owner))

    def _case(
        self, connection: Connection, case_id: str, owner: Owner, *, locked: bool = False
    ) -> RowMapping:
        query = select(CASES).where(CASES.c.id == case_id, CASES.c.matter.in_(matters_of(owner)))
        found = connection.execute(query.with_for_update() if locked else query).mappings().one_or_none()
        if found is None:
            raise UnknownCaseError(case_id)
        return found

    def _state(self, case_id: str, number: int | None = None) -> dict[str, Any]:
        """Return the record after an event, by default after the last one."""
        sealed = and_(EVENTS.c.case_number == STATES.c.case_number, EVENTS.c.number == STATES.c.number)
        query = select(STATES.c.record, EVENTS.c.state).outerjoin(EVENTS, sealed)
        query = query.where(STATES.c.case_number == _number_of(case_id))
        if number is not None:
            query = query.where(STATES.c.number == number)
        found = self._read(query.order_by(STATES.c.number.desc()).limit(1))
        return parse_record(
            unpack_record(found[0]["record"], found[0]["state"], case_id) if found else b"", case_id
        )

    def _read(self, query: Select[Any]) -> Sequence[RowMapping]:
        with self._reading() as connection:
            return connection.execute(query).mappings().all()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        # All reads within a block see the same state.
        level = {} if self._engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        with (
            self._translate_errors(),
            self._engine.connect().execution_options(**{READS: True}, **level) as connection,
        ):
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise ConflictError("this exists already, or what it belongs to was deleted: reload") from None
        except SQLAlchemyError as error:
            raise readable_error(error, self._engine.url) from None


def events_of(connection: Connection, case: RowMapping) -> list[Event]:
    """Return the events of a case in order, given its row. Raises InputError if the chain is broken."""
    query = select(EVENTS).where(EVENTS.c.case_number == case["number"]).order_by(EVENTS.c.number)
    events = [event_from(row) for row in connection.execute(query).mappings()]
    if found := broken_events(case["id"], events, case["head"]):
        raise InputError(f"case {case['id']} is damaged: {found[0]}; run `cases verify`")
    return events


def event_from(row: RowMapping) -> Event:
    """Return an event from a row."""
    return Event(**{field.name: row[field.name] for field in fields(Event)})


def unpack_record(record: bytes, state: str | None, case_id: str) -> bytes:
    """Decompress a stored record and check its digest ``state``. Raises InputError if it is damaged."""
    try:
        found = inflate(record)
    except UnpackingError as error:
        raise _damaged(case_id) from error
    if digest(found) != state:
        raise _damaged(case_id)
    return found


def parse_record(state: bytes, case_id: str) -> dict[str, Any]:
    """Parse the bytes of a record. Raises InputError if they are damaged."""
    try:
        record: dict[str, Any] = orjson.loads(state)
    except orjson.JSONDecodeError as error:
        raise _damaged(case_id) from error
    return record


def _damaged(case_id: str) -> InputError:
    return InputError(f"the record of case {case_id} is damaged: run `cases verify`")


def _number_of(case_id: str) -> Any:
    return select(CASES.c.number).where(CASES.c.id == case_id).scalar_subquery()
