"""A record as the formats read it: checked once, so that no format meets a field that is missing or wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

import orjson
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from engine.errors import InputError
from engine.exports.registry import HandedOver
from engine.model import Direction, GapQuery, Hop, Relation
from engine.records.store.chain import UNDONE, Event, digest

# Of its question: so many hexadecimal digits tell a topic from all others of one's own.
TOPIC_DIGITS = 16
LONGEST_CASE_MS = 10.0**12


def _text(value: object) -> object:
    """A moment is written as a text: of a number nobody knows what it counts."""
    if not isinstance(value, str):
        raise ValueError("a moment is written as 2026-01-31T12:00:00+00:00")
    return value


def topic_of(question: str) -> str:
    """How files of TREC's forms call a question: the same for the same words."""
    words = " ".join(question.split())
    return "q" + hashlib.sha256(words.encode()).hexdigest()[:TOPIC_DIGITS]


Moment = Annotated[AwareDatetime, BeforeValidator(_text)]
Milliseconds = Annotated[float, Field(ge=0, le=LONGEST_CASE_MS)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[int, Field(ge=0, le=10**6)]


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Query(_Read):
    """A query for a gap: its words, the area that it is for, and that area's name."""

    text: str
    area: str = ""
    name: str = ""

    def gap(self) -> GapQuery:
        """The same as the engine has it."""
        return GapQuery(self.text, self.area, self.name)


class Step(_Read):
    """A hop. ``source`` is None where it started at the question, or at the ``query`` for a gap."""

    source: str | None
    target: str
    strategy: str
    relation: Relation
    direction: Direction
    round: Number
    strength: float
    quote: str = ""
    quoted_from: str | None = None
    detail: str = ""
    rank: int | None = None
    query: Query | None = None

    def hop(self) -> Hop:
        """The same as the engine has it."""
        query = None if self.query is None else self.query.gap()
        return Hop(
            self.target, self.source, self.strategy, self.relation, self.direction, self.round,
            self.strength, self.quote, self.quoted_from, self.detail, self.rank, query,
        )  # fmt: skip


class Hit(_Read):
    """What a retriever said of a passage for one view of the question."""

    retriever: str
    view: str = ""
    rank: int
    score: float


class Ranked(_Read):
    """A ranked passage."""

    rank: int
    id: str
    document: str
    title: str = ""
    label: str = ""
    language: str = "und"
    page: int | None = None
    validity: str | None = None
    text: str = ""
    score: float
    hits: tuple[Hit, ...] = ()
    trails: tuple[tuple[Step, ...], ...] = ()
    pinned: bool = False


class Node(_Read):
    """A passage of the pool: when and by whom it was first admitted, and its score at the gate."""

    id: str
    round: Number
    strategy: str
    score: float


class Pool(_Read):
    """All passages of a case, and all hops between them."""

    nodes: tuple[Node, ...]
    edges: tuple[Step, ...]
    pinned: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()


class Worked(_Read):
    """What a strategy did in a round."""

    strategy: str
    proposed: Count = 0
    admitted: Count = 0
    milliseconds: Milliseconds = 0.0


class Retriever(_Read):
    """What a retriever gave; ``off`` says why it did not search."""

    retriever: str
    found: Count = 0
    off: str = ""


class Round(_Read):
    """A round; 0 is the scan."""

    number: Number
    purpose: str = ""
    seeds: tuple[str, ...] = ()
    admitted: Count = 0
    refused: Count = 0
    pool_size: Count = 0
    milliseconds: Milliseconds = 0.0
    queries: tuple[Query, ...] = ()
    strategies: tuple[Worked, ...] = ()
    retrievers: tuple[Retriever, ...] = ()


class View(_Read):
    """A form of the question by which the corpus was scanned."""

    name: str = ""
    text: str
    enabled: bool = True


class Plan(_Read):
    """How a question was to be scanned."""

    language: str
    intent: str | None = None
    strategy: str = ""
    edited: bool = False
    views: tuple[View, ...]


class Used(_Read):
    """What a language model used for one task."""

    calls: Count = 0
    prompt_tokens: Count = 0
    cached_tokens: Count = 0
    completion_tokens: Count = 0
    milliseconds: Milliseconds = 0.0


class Colour(_Read):
    """The colour of a strategy on the page."""

    light: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


class Thread(_Read):
    """What a strategy says of itself."""

    name: str
    title: str = ""
    meaning: str = ""
    colour: Colour | None = None


class Status(_Read):
    """Whether the corpus bears the question."""

    status: str


class Ended(_Read):
    """Why a case stopped."""

    reason: str


class Record(_Read):
    """What of a record the formats hand over. ``state`` is the digest by which the events name it."""

    question: str
    corpus: str
    started: Moment
    day: date | None = None
    settings: Mapping[str, Any]
    evidence: Status
    plan: Plan
    passages: tuple[Ranked, ...]
    metrics: Mapping[str, float | None] = Field(default_factory=dict)
    rounds: tuple[Round, ...]
    threads: tuple[Thread, ...] = ()
    stop: Ended
    pool: Pool
    model: str = ""
    usage: Mapping[str, Used] = Field(default_factory=dict)
    milliseconds: Milliseconds
    state: str = ""

    @property
    def topic(self) -> str:
        """How files of TREC's forms call the question: the same for the same words in every case."""
        return topic_of(self.question)

    @property
    def last_round(self) -> int:
        """The number of the last round; 0 where there was the scan alone."""
        return max((one.number for one in self.rounds), default=0)


def record_in(case: HandedOver) -> Record:
    """The record of a case. Raises InputError, naming the field, for one that is no such thing."""
    return read(case.record)


def events_in(case: HandedOver) -> Sequence[Event]:
    """The events of a case, empty where it is not kept. Raises InputError for one that says no time, or that
    takes back it does not say what."""
    for event in case.events:
        try:
            datetime.fromisoformat(event.at)
            int(event.data["event"] if event.kind == UNDONE else 0)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"event {event.number} of this case is damaged: `cases verify` says what is"
            ) from error
    return case.events


def read(values: Mapping[str, Any]) -> Record:
    """A record from plain values. Raises InputError, naming the field, for what is none."""
    try:
        found = Record.model_validate(values)
        written = orjson.dumps(dict(values), option=orjson.OPT_SORT_KEYS)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(f"this is no record of a case: {field}: {' '.join(first['msg'].split())}") from error
    except TypeError as error:
        raise InputError(f"this is no record of a case: {error}") from error
    return found.model_copy(update={"state": digest(written)})
