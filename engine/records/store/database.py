"""The connection to a database of cases, filters for lists, and weights learned in a matter."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from threading import Lock
from typing import Any

import orjson
from pydantic import ValidationError
from sqlalchemy import Connection, Engine, RowMapping, Select, and_, delete, func, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from engine.bounded import inflate
from engine.corpus.journal import signed_name
from engine.corpus.judgements import Act, WeightsLine, latest_act
from engine.errors import DamagedError, InputError, UnpackingError
from engine.investigation.ranking.additive import Experience, packed_experience, unpacked_experience
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import Event, broken_events, digest, now
from engine.records.store.opening import READS, WEIGHTS, open_database, readable_error
from engine.records.store.tables import CASES, EVENTS, MATTERS, STATES

# The connection to a database of cases, and filters for lists.

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


# Weights learned from the verdicts of a matter.
#
# Learned weights name the judged passages, so they rank only cases of their own matter. They
# belong to one corpus, by its name, and are deleted with their matter.

# Most stored weights of a matter, over all corpora, and most bytes of each.
MOST_KEPT, LONGEST_KEPT = 20, 4_000_000
# Size of the cache of weights read from the database.
_CACHE_SIZE = 8


class MatterWeights(CaseDatabase):
    """The learned weights of matters in a database, opened by its URL; raises as ``CaseStore``.

    Access to a ``Matter`` permits changing its weights: callers control who gets one.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._cache: OrderedDict[str, Experience] = OrderedDict()
        self._lock = Lock()

    def check_room(self, matter: Matter) -> None:
        """Raise InputError if a matter has as many weights as allowed, or was deleted."""
        with self._reading() as connection:
            _check_capacity(connection, matter)

    def keep(
        self, matter: Matter, corpus: str, learned: Experience, figures: Mapping[str, Any], *, who: str
    ) -> str:
        """Store weights learned on a corpus with the figures to show; return their id.

        They have no effect until they are adopted. Raises InputError if the matter is full or was deleted.
        """
        row = _row(Act.KEPT, matter, corpus, learned.id, who)
        row |= {"figures": dict(figures), "learned": packed_experience(learned, LONGEST_KEPT)}
        with self._writing() as connection:
            _check_capacity(connection, matter, locked=True)
            connection.execute(insert(WEIGHTS), row)
        return learned.id

    def adopt(self, matter: Matter, weights: str, *, who: str) -> None:
        """Use stored weights for new cases of a matter. Raises InputError if they do not exist."""
        with self._writing() as connection:
            _check_exists(connection, matter, locked=True)
            of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.act == Act.KEPT.value, WEIGHTS.c.id == weights
            corpus = connection.execute(select(WEIGHTS.c.corpus).where(*of)).scalar_one_or_none()
            if corpus is None:
                raise _unknown(matter, weights)
            _act(connection, _row(Act.ADOPTED, matter, corpus, weights, who))

    def ship(self, matter: Matter, corpus: str, *, who: str) -> None:
        """Return to the weights of the corpus."""
        with self._writing() as connection:
            _check_exists(connection, matter, locked=True)
            _act(connection, _row(Act.SHIPPED, matter, corpus, "", who))

    def delete(self, matter: Matter, weights: str) -> None:
        """Delete stored weights. Raises InputError if they do not exist or are in use."""
        own = and_(WEIGHTS.c.matter == matter.id, WEIGHTS.c.id == weights)
        with self._writing() as connection:
            acts = list(connection.execute(select(WEIGHTS.c.act).where(own)).scalars())
            if Act.KEPT.value not in acts:
                raise _unknown(matter, weights)
            if Act.ADOPTED.value in acts:
                raise InputError("cases are ranked by these weights: reset the ranking first")
            connection.execute(delete(WEIGHTS).where(own))

    def lines(self, matter: Matter, corpus: str) -> list[WeightsLine]:
        """Return the log of a corpus's weights in a matter, oldest first, without the weights themselves."""
        columns = WEIGHTS.c.act, WEIGHTS.c.id, WEIGHTS.c.who, WEIGHTS.c.at, WEIGHTS.c.figures
        of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.corpus == corpus
        try:
            return [
                WeightsLine(
                    act=row["act"], id=row["id"], reviewer=row["who"], when=row["at"], figures=row["figures"]
                )
                for row in self._read(select(*columns).where(*of).order_by(WEIGHTS.c.number))
            ]
        except ValidationError:
            raise DamagedError("weights") from None

    def corpora(self, matter: Matter) -> list[str]:
        """Return the names of the corpora for which a matter has weights."""
        query = select(WEIGHTS.c.corpus).where(WEIGHTS.c.matter == matter.id).distinct()
        return [row["corpus"] for row in self._read(query.order_by(WEIGHTS.c.corpus))]

    def adopted(self, matter: Matter, corpus: str) -> Experience | None:
        """Return the weights in use for a corpus in a matter, None for the corpus's own.

        Raises InputError if they cannot be read.
        """
        line = latest_act(self.lines(matter, corpus))
        return None if line is None or not line.id else self.experience(matter.id, line.id)

    def experience(self, matter_id: str, weights: str) -> Experience | None:
        """Return weights by their id, None if there are none. Raises InputError if they cannot be read."""
        of = WEIGHTS.c.matter == matter_id, WEIGHTS.c.act == Act.KEPT.value, WEIGHTS.c.id == weights
        if not self._read(select(WEIGHTS.c.number).where(*of)):
            return None
        with self._lock:
            found = self._cache.get(weights)
        if found is None:
            (row,) = self._read(select(WEIGHTS.c.learned).where(*of)) or ({"learned": None},)
            if row["learned"] is None:
                return None
            try:
                found = unpacked_experience(row["learned"])
            except ValueError as error:
                raise InputError(
                    f"the learned weights {weights!r} cannot be read ({error}): "
                    "reset the ranking, or delete them"
                ) from error
        with self._lock:
            self._cache[weights] = found
            self._cache.move_to_end(weights)
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return found


def _row(act: Act, matter: Matter, corpus: str, weights: str, who: str) -> dict[str, Any]:
    name = signed_name(who)
    row = {"matter": matter.id, "corpus": corpus, "act": act.value, "id": weights, "who": name, "at": now()}
    return row | {"figures": {}, "learned": None}


def _act(connection: Connection, row: dict[str, Any]) -> None:
    """Adopt weights or reset; this replaces earlier adoptions for the same corpus."""
    before = and_(WEIGHTS.c.matter == row["matter"], WEIGHTS.c.corpus == row["corpus"])
    connection.execute(delete(WEIGHTS).where(before, WEIGHTS.c.act != Act.KEPT.value))
    connection.execute(insert(WEIGHTS), row)


def _check_exists(connection: Connection, matter: Matter, *, locked: bool = False) -> None:
    """Raise InputError if a matter was deleted; ``locked`` locks its row until the end of the transaction."""
    query = select(MATTERS.c.id).where(MATTERS.c.id == matter.id)
    if connection.execute(query.with_for_update() if locked else query).first() is None:
        raise InputError("the matter and its learned weights were deleted")


def _check_capacity(connection: Connection, matter: Matter, *, locked: bool = False) -> None:
    _check_exists(connection, matter, locked=locked)
    of = WEIGHTS.c.matter == matter.id, WEIGHTS.c.act == Act.KEPT.value
    if connection.execute(select(func.count()).select_from(WEIGHTS).where(*of)).scalar_one() >= MOST_KEPT:
        raise InputError(f"this matter has {MOST_KEPT} learned weights, the most allowed: delete some")


def _unknown(matter: Matter, weights: str) -> InputError:
    return InputError(f"there are no learned weights {weights[:40]!r} in the matter {matter.name[:40]!r}")
