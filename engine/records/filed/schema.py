"""What stands in the file of a saved case, format 2, field by field; its JSON Schema is made from this.

``case.schema.json`` beside it is what ``schema_bytes`` gives; a test holds the two together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from engine.corpus.signing import check_name
from engine.errors import InputError
from engine.model import AreaState, Direction, EvidenceStatus, Relation, RoundKind, StopReason
from engine.records.planned import PlanFile
from engine.records.store.sealing import LONGEST_NAME, is_moment
from engine.review.model import VERDICTS, Item, SourceType, Verdict

SCHEMA = Path(__file__).with_name("case.schema.json")
SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"
MOST = 2**31 - 1


def _moment(text: str) -> str:
    if not is_moment(text):
        raise ValueError("no moment, or day, that there is")
    return text


def _named(text: str) -> str:
    try:
        if text:
            check_name(text, "a case", LONGEST_NAME)
    except InputError as error:
        raise ValueError(str(error)) from error
    return text


Count = Annotated[int, Field(ge=0, le=MOST)]
Name = Annotated[str, Field(max_length=60)]
Moment = Annotated[
    str, Field(max_length=32, pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), AfterValidator(_moment)
]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$"), AfterValidator(_moment)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256")]
CaseId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{15,31}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GapQueryPart(_Part):
    """A query that was sent to close a gap; ``area`` is an id, ``name`` what it is called."""

    text: str
    area: str
    name: str


class HopPart(_Part):
    """A step of a trail; ``source`` is null where it began at the question or at a query for a gap."""

    source: str | None
    target: str
    strategy: Name
    relation: Relation
    direction: Direction
    round: Count
    strength: float
    quote: str
    quoted_from: str | None
    detail: str
    rank: Count | None
    query: GapQueryPart | None


class NodePart(_Part):
    """A passage of the pool. ``search``: the number of the query that found it; ``similarity``: its cosine
    to the question; ``referenced_by``: passages of the pool whose text refers to it; ``areas``: ids."""

    id: str
    round: Count
    strategy: Name
    score: float
    search: Count | None
    similarity: float | None
    referenced_by: list[str]
    areas: list[str]


class PoolPart(_Part):
    """The pool: passages in the order of their admission, all hops, and what people said of passages."""

    nodes: list[NodePart]
    edges: list[HopPart]
    pinned: list[str]
    dismissed: list[str]
    explored: list[str]


class ScorePartPart(_Part):
    """An addend of a score."""

    name: str
    value: float
    detail: str


class RetrieverHitPart(_Part):
    """The rank and the raw score that a retriever gave a passage for a view of the question."""

    retriever: str
    view: str
    rank: Count
    score: float


class PassagePart(_Part):
    """A ranked passage, its text a span of the source, with its score and its trails."""

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
    assembled: list[str]
    score: float
    breakdown: list[ScorePartPart]
    hits: list[RetrieverHitPart]
    trails: list[list[HopPart]]
    pinned: bool
    same_words: list[str]


class PassageNamePart(_Part):
    """A passage by its id, and how it is cited."""

    id: str
    citation: str


class EvidencePartPart(_Part):
    """What was found for a part of the question."""

    text: str
    status: EvidenceStatus
    missing: list[str]
    passages: list[PassageNamePart]


class EvidencePart(_Part):
    """Whether the corpus bears the question."""

    status: EvidenceStatus
    missing: list[str]
    numbers: dict[str, float]
    parts: list[EvidencePartPart]


class TransactionPart(_Part):
    """The type of transaction that the question is about."""

    id: str | None
    proposed: bool
    strength: float


class MetricsPart(_Part):
    """The figures of the case, 0 to 1, null where there is nothing to measure."""

    coverage: float | None
    similarity: float | None
    similarity_top: float | None
    references: float | None
    efficiency: float | None
    coherence: float | None


class AreaPart(_Part):
    """The coverage of an area or of a part of the question."""

    id: str
    name: str
    state: AreaState
    required: bool
    passages: Count
    minimum: Count
    score: float
    closed_in: Count | None
    query: str | None
    evidence: list[str]


class SearchHitPart(_Part):
    """A passage that a query found: its rank by each retriever, and its cosine to the query."""

    passage_id: str
    ranks: dict[str, Count]
    similarity: float | None


class SearchPart(_Part):
    """A query as it was sent, and at most twenty of the ``found`` passages. ``kind`` names a view of the
    question, or is "gap"; ``milliseconds`` is null for the views of the scan, searched together."""

    number: Count
    kind: Annotated[str, Field(max_length=40)]
    text: str
    language: Annotated[str, Field(max_length=20)]
    weight: float
    is_hypothetical: bool
    area: str
    name: str
    found: Count
    hits: list[SearchHitPart]
    milliseconds: float | None


class StatesPart(_Part):
    """States of areas by their ids, before and after a round."""

    before: dict[str, AreaState]
    after: dict[str, AreaState]


class StrategyPart(_Part):
    """What a strategy did in a round; ``refused`` counts leads by the reason."""

    strategy: str
    proposed: Count
    admitted: Count
    refused: dict[str, Count]
    milliseconds: float


class RetrieverPart(_Part):
    """What a retriever gave; ``off`` says why it did not search."""

    retriever: str
    found: Count
    alone: Count
    first: Count | None
    off: str
    milliseconds: float | None


class JudgedPart(_Part):
    """Whether enough was found after a round, who says so, and the reasons of a language model."""

    by: Annotated[str, Field(max_length=20)]
    sufficient: bool
    missing: list[str]
    confidence: float | None
    reasons: str


class RoundPart(_Part):
    """A round; 0 is the broad scan. ``gaps`` are the ids of areas that lacked evidence behind it."""

    number: Count
    kinds: list[RoundKind]
    purpose: str
    seeds: list[str]
    admitted: Count
    refused: Count
    pool_size: Count
    efficiency: float | None
    milliseconds: float
    queries: list[GapQueryPart]
    coverage: StatesPart
    gaps: list[str]
    strategies: list[StrategyPart]
    retrievers: list[RetrieverPart]
    judged: JudgedPart | None
    searches: list[SearchPart]


class ColourPart(_Part):
    """The colours of a strategy on the page."""

    light: str
    dark: str


class ThreadPart(_Part):
    """What a strategy says of itself."""

    name: str
    title: str
    meaning: str
    trust: float
    colour: ColourPart


class CompletenessPart(_Part):
    """The estimated share of the relevant passages that the pool holds, with its interval."""

    estimate: float
    low: float
    high: float
    method: str
    best: Count
    alone: Count
    evidence: dict[str, float]


class StopPart(_Part):
    """Why the case ended, and the numbers behind it."""

    reason: StopReason
    numbers: dict[str, float]
    completeness: CompletenessPart | None


class UsagePart(_Part):
    """What a language model used for a task; ``money`` is null where no prices are known."""

    calls: Count
    prompt_tokens: Count
    cached_tokens: Count
    completion_tokens: Count
    milliseconds: float
    money: float | None
    reused: Count = 0
    written_tokens: Count = 0
    saved: float | None = 0.0


class Record(_Part):
    """A case as it came to its end."""

    format: Literal[2]
    question: str
    corpus: Annotated[str, Field(max_length=200)]
    started: Moment
    day: Day | None
    settings: Annotated[dict[str, Any], Field(description="Of the investigation, by name")]
    evidence: EvidencePart
    plan: PlanFile
    passages: list[PassagePart]
    transaction: TransactionPart | None
    metrics: MetricsPart
    coverage: list[AreaPart]
    rounds: list[RoundPart]
    threads: list[ThreadPart]
    retrievers: list[RetrieverPart]
    stop: StopPart
    pool: PoolPart
    notes: list[str]
    model: Annotated[str, Field(max_length=200)]
    usage: dict[str, UsagePart]
    milliseconds: float
    message: Annotated[str, Field(description="That nothing was found")] | None = None
    weights: Annotated[str, Field(max_length=64, description="Learned weights that it was ranked by")] = ""


class EventPart(_Part):
    """Something that happened to the case. ``state``: the digest of the record that it left, null where it
    left it as it was; ``hash`` seals the event together with the one before it."""

    number: Count
    at: Moment
    who: Annotated[str, Field(max_length=200)]
    kind: Annotated[str, Field(max_length=40)]
    data: dict[str, Any]
    state: Digest | None
    hash: Digest


class VerdictPart(_Part):
    """What stands of what a reviewer, or a program, said of an item of the case, as the item was shown."""

    item: Item
    verdict: Verdict
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    at: Moment
    reason: Annotated[str, Field(max_length=20_000)]
    note: Annotated[str, Field(max_length=20_000)]
    sha256: Digest
    fingerprint: Annotated[str, Field(max_length=64)]
    engine: Annotated[str, Field(max_length=40)]
    source: SourceType
    seconds: Annotated[float, Field(ge=0)] | None
    settles: bool

    @model_validator(mode="after")
    def _is_of_its_kind(self) -> VerdictPart:
        if self.verdict is Verdict.LATER or self.verdict not in VERDICTS[self.item.kind]:
            raise ValueError(f"{self.verdict.value!r} is no verdict on a {self.item.kind.value}")
        return self


class CasePart(_Part):
    """What is said of the case beside its record, and the chain that proves both.

    ``digest`` is that of the record, ``head`` the hash of the last event. ``earlier`` are records that steps
    have changed since, by their digests, compressed by zlib and written in base64. ``verdicts`` are there
    where they were asked for; ``verdicts_seal`` is the digest of the list of ``head``, ``id`` and them.
    """

    id: CaseId
    application: Annotated[str, Field(max_length=20)]
    fingerprint: Annotated[str, Field(max_length=64, description="State of the corpus")]
    engine: Annotated[str, Field(max_length=40, description="Version of the program that ran it")]
    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_named)]
    notes: Annotated[str, Field(max_length=20_000)]
    verdict: Annotated[str, Field(max_length=40)] | None
    verdict_right: bool | None
    digest: Digest
    head: Digest
    events: Annotated[list[EventPart], Field(min_length=1, max_length=100_000)]
    earlier: dict[str, str]
    verdicts: Annotated[list[VerdictPart], Field(max_length=200_000)] = []
    verdicts_seal: Digest | Literal[""] = ""


class SavedCase(Record):
    """A case of Redstring, saved: format 2."""

    case: CasePart


def schema_bytes() -> bytes:
    """The JSON Schema (draft 2020-12) of a saved case."""
    made = {"$schema": SCHEMA_ID, **SavedCase.model_json_schema()}
    return orjson.dumps(made, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
