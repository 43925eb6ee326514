"""The record of a case: its one typed form, format 2, which everything above the loop reads.

``export.investigation_to_json`` writes it as plain values, ``read_record`` reads it. Parts that are values of
the engine are declared once, in ``engine.model``; methods convert the others. A new field of a hop must be
added to ``engine.model.Hop``, ``HopPart`` and the generated schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InputError
from engine.llm import Usage
from engine.model import (
    AreaState,
    Direction,
    EvidenceStatus,
    GapQuery,
    Hop,
    Metrics,
    QueryPlan,
    Relation,
    RetrieverCount,
    RetrieverHit,
    RoundJudgement,
    RoundKind,
    RoundReport,
    ScorePart,
    SearchHit,
    Stop,
    StrategyCount,
    Transaction,
)
from engine.model.documents import Count, Milliseconds, Rounded
from engine.records.phrases import GAP_STRATEGY
from engine.records.plain import Attribute, complete_plan, convert, first_fault, plain
from engine.records.store.chain import is_moment

FORMAT = 2
# Formats that this program reads; docs/cases.md lists their differences.
READ = (1, 2)
DIGITS = 6
RECORD = "record of the case"
LONGEST_CASE_MS = 10.0**12


def _moment(text: str) -> str:
    if not is_moment(text):
        raise ValueError("not a valid date or time")
    return text


def _zoned(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time without a time zone")
    return text


def _colour(text: str) -> str:
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        raise ValueError("not a colour like #1a2b3c")
    return text


def _duration(value: float) -> float:
    if not 0 <= value <= LONGEST_CASE_MS:
        raise ValueError("not a valid duration")
    return value


Name = Annotated[str, Field(max_length=60)]
Moment = Annotated[
    str, Field(max_length=32, pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), AfterValidator(_moment)
]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$"), AfterValidator(_moment)]


class Part(BaseModel):
    """A part of a record or of its file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class HopPart(Part):
    """A step of a trail; ``source`` is null if it starts at the question or at a query for a gap."""

    source: str | None
    target: str
    strategy: Name
    relation: Relation
    direction: Direction
    round: Count
    strength: Rounded
    quote: str
    quoted_from: str | None
    detail: str
    rank: Count | None
    query: GapQuery | None

    # Written out because a case has thousands of hops: a generic conversion takes twice as long.
    @staticmethod
    def plain(hop: Hop) -> dict[str, Any]:
        """Return the fields for a hop of the engine."""
        return {
            "source": hop.source_id,
            "target": hop.target_id,
            "strategy": hop.strategy,
            "relation": hop.relation.value,
            "direction": hop.direction.value,
            "round": hop.round,
            "strength": round(hop.strength, DIGITS),
            "quote": hop.quote,
            "quoted_from": hop.quoted_from,
            "detail": hop.detail,
            "rank": hop.rank,
            "query": None if hop.query is None else plain(GapQuery, hop.query),
        }

    def hop(self) -> Hop:
        """Return the hop as a value of the engine."""
        query = self.query
        if query is None and self.strategy == GAP_STRATEGY:
            # Early records of format 1 contain only the text of a query.
            query = GapQuery(self.quote)
        return Hop(
            self.target,
            self.source,
            self.strategy,
            self.relation,
            self.direction,
            self.round,
            self.strength,
            self.quote,
            self.quoted_from,
            self.detail,
            self.rank,
            query,
        )


class NodePart(Part):
    """A passage of the pool.

    ``search``: number of the query that found it; ``similarity``: cosine to the question; ``referenced_by``:
    pool passages whose text refers to it; ``areas``: ids.
    """

    id: Annotated[str, Attribute("passage_id")]
    round: Count
    strategy: Name
    score: Rounded
    search: Count | None
    similarity: Rounded | None
    referenced_by: list[str]
    areas: list[str]


class PoolPart(Part):
    """The pool: passages in the order of admission, all hops, and the user's decisions."""

    nodes: list[NodePart]
    edges: list[HopPart]
    pinned: list[str]
    dismissed: list[str]
    explored: list[str]


class PassagePart(Part):
    """A ranked passage with its text (a span of the source), score and trails."""

    rank: Count
    id: str
    document: str
    title: str
    label: str
    headings: list[str]
    language: str
    page: int | None
    status: str | None
    valid_from: str | None
    valid_to: str | None
    validity: str | None
    out_of_force: bool
    edition: str | None
    text: str
    assembled: Annotated[list[str], Attribute("assembled_ids")]
    score: Rounded
    breakdown: list[ScorePart]
    hits: list[RetrieverHit]
    trails: list[list[HopPart]]
    pinned: bool
    same_words: list[str]

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the passages that form the text."""
        return tuple(self.assembled or [self.id])

    @property
    def where(self) -> str:
        """Label and page: "Article 4(2), p. 14"."""
        page = f"p. {self.page}" if self.page is not None else ""
        return ", ".join(part for part in (self.label, page) if part)

    @property
    def name(self) -> str:
        """Title and label."""
        return " ".join(f"{self.title or self.document or self.id} {self.label}".split())

    def hops(self) -> tuple[tuple[Hop, ...], ...]:
        """Return the trails as values of the engine, from the question on."""
        return tuple(tuple(hop.hop() for hop in trail) for trail in self.trails)


class PassageNamePart(Part):
    """The id of a passage and its citation."""

    id: str
    citation: str


class EvidencePartPart(Part):
    """The evidence for a part of the question."""

    text: str
    status: EvidenceStatus
    missing: list[str]
    passages: list[PassageNamePart]


class EvidencePart(Part):
    """Whether the corpus can answer the question."""

    status: EvidenceStatus
    missing: list[str]
    numbers: dict[str, Rounded]
    parts: list[EvidencePartPart]


class AreaPart(Part):
    """The coverage of an area or of a part of the question."""

    id: str
    name: str
    state: AreaState
    required: bool
    passages: Count
    minimum: Count
    score: Rounded
    closed_in: Count | None
    query: str | None
    evidence: list[str]
    good: Count | None = None
    gained: Count | None = None
    needed: bool = True


class SearchPart(Part):
    """A query with the best (at most twenty) of the ``found`` passages.

    ``kind`` names a view of the question, or is "gap"; ``milliseconds`` is null for views of the scan, which
    are searched together.
    """

    number: Count
    kind: Annotated[str, Field(max_length=40)]
    text: str
    language: Annotated[str, Field(max_length=20)]
    weight: Rounded
    is_hypothetical: bool
    area: str
    name: str
    found: Count
    hits: list[SearchHit]
    milliseconds: Milliseconds | None


class StatesPart(Part):
    """States of areas by id, before and after a round."""

    before: dict[str, AreaState]
    after: dict[str, AreaState]


class RoundPart(Part):
    """A round; 0 is the scan. ``gaps`` are ids of areas without evidence after it."""

    number: Count
    kinds: list[RoundKind]
    purpose: str
    seeds: list[str]
    admitted: Count
    refused: Count
    pool_size: Count
    efficiency: Rounded | None
    milliseconds: Milliseconds
    queries: list[GapQuery]
    coverage: StatesPart
    gaps: list[str]
    strategies: list[StrategyCount]
    retrievers: list[RetrieverCount]
    judged: RoundJudgement | None
    searches: list[SearchPart]

    def report(self) -> RoundReport:
        """Return the round as a value of the engine."""
        return convert(RoundReport, self, before=self.coverage.before, after=self.coverage.after)


class ColourPart(Part):
    """The colours of a strategy on the page."""

    light: Annotated[str, AfterValidator(_colour)]
    dark: Annotated[str, AfterValidator(_colour)]


class ThreadPart(Part):
    """The description of a strategy."""

    name: str
    title: str
    meaning: str
    trust: float
    colour: ColourPart


class UsagePart(Part):
    """The use of a language model for a task; ``money`` is null if the price is unknown."""

    calls: Count
    prompt_tokens: Count
    cached_tokens: Count
    completion_tokens: Count
    milliseconds: float
    money: float | None
    reused: Count = 0
    written_tokens: Count = 0
    saved: float | None = 0.0

    def usage(self) -> Usage:
        """Return it as a value of the engine; an unknown saving counts as 0."""
        return convert(Usage, self, saved=self.saved or 0.0)


class CaseRecord(Part):
    """A finished case."""

    format: Literal[2]
    question: str
    corpus: Annotated[str, Field(max_length=200)]
    started: Annotated[Moment, AfterValidator(_zoned)]
    day: Day | None
    settings: Annotated[dict[str, Any], Field(description="Settings of the investigation by name")]
    evidence: EvidencePart
    plan: QueryPlan
    passages: list[PassagePart]
    transaction: Transaction | None
    metrics: Metrics
    coverage: list[AreaPart]
    rounds: list[RoundPart]
    threads: list[ThreadPart]
    retrievers: list[RetrieverCount]
    stop: Stop
    pool: PoolPart
    notes: list[str]
    model: Annotated[str, Field(max_length=200)]
    usage: dict[str, UsagePart]
    milliseconds: Annotated[float, AfterValidator(_duration)]
    message: Annotated[str, Field(description="A message that nothing was found")] | None = None
    weights: Annotated[str, Field(max_length=64, description="Id of the learned weights of the ranking")] = ""

    @property
    def begun(self) -> datetime:
        """The time when the question was asked."""
        return datetime.fromisoformat(self.started)

    @property
    def as_of(self) -> date | None:
        """The day as of which the law is applied."""
        return None if self.day is None else date.fromisoformat(self.day)

    def used(self) -> dict[str, Usage]:
        """Return the use of a language model by task."""
        return {task: one.usage() for task, one in self.usage.items()}

    def passage_of(self, passage_id: str) -> PassagePart | None:
        """Return the ranked passage with an id, else the one that it was assembled into."""
        joined = [one for one in self.passages if passage_id in one.ids]
        return next((one for one in joined if one.id == passage_id), joined[0] if joined else None)


def read_record(values: Mapping[str, Any], where: object = RECORD) -> CaseRecord:
    """Read a record of either format; ignore unknown fields.

    Raises InputError with ``where`` and the damaged field.
    """
    try:
        known = migrated(values)
        if isinstance(known, Mapping) and "plan" in known:
            known = {**known, "plan": complete_plan(known["plan"])}
        return CaseRecord.model_validate(known, extra="ignore")
    except ValidationError as error:
        raise InputError(f"{where}: damaged: {first_fault(error)}") from error


def read_hop(values: Mapping[str, Any]) -> Hop:
    """Read a hop of a record. Raises ValueError with the damaged field."""
    try:
        return HopPart.model_validate({"query": None, **values}, extra="ignore").hop()
    except ValidationError as error:
        raise ValueError(first_fault(error)) from error


_RETRIEVER = {"alone": 0, "first": None, "off": "", "milliseconds": None}
_QUERY = {"area": "", "name": ""}
# Fields that format 1, or early versions of it, lack, by path.
_ADDED: Mapping[str, Mapping[str, Any]] = {
    "": {"day": None, "transaction": None, "threads": [], "retrievers": [], "model": "", "usage": {}},
    ".retrievers": _RETRIEVER,
    ".rounds": {
        "kinds": [],
        "purpose": "",
        "queries": [],
        "gaps": [],
        "retrievers": [],
        "judged": None,
        "efficiency": None,
        "searches": [],
        "coverage": {"before": {}, "after": {}},
    },
    ".rounds.retrievers": _RETRIEVER,
    ".rounds.queries": _QUERY,
    ".pool.nodes": {"search": None, "similarity": None, "referenced_by": [], "areas": []},
    ".pool.edges": {"query": None},
    ".pool.edges.query": _QUERY,
    ".passages.trails": {"query": None},
    ".passages.trails.query": _QUERY,
    ".usage.*": {
        "calls": 0,
        "prompt_tokens": 0,
        "cached_tokens": 0,
        "completion_tokens": 0,
        "milliseconds": 0.0,
        "money": 0.0,
    },
}


def migrated(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record of format 1 as format 2; return other values unchanged."""
    if not isinstance(values, Mapping) or values.get("format") != 1:
        return values
    return {**_with_added(values, ""), "format": FORMAT}


def _with_added(value: Any, path: str) -> Any:
    if isinstance(value, list | tuple):
        return [_with_added(one, path) for one in value]
    if not isinstance(value, Mapping):
        return value
    known = {**_ADDED.get(path, {}), **value}
    names = {name: "*" if path == ".usage" else name for name in known}
    return {name: _with_added(one, f"{path}.{names[name]}") for name, one in known.items()}
