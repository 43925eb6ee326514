"""Short forms of cases and answers, for programs with little context.

The field descriptions become the JSON schema of the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.model import StopReason

# Longest quote of a link.
_QUOTE = 60


class Slim(BaseModel):
    """A short form; absent values are left out."""

    model_config = ConfigDict(frozen=True)

    def values(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return self.model_dump(mode="json", exclude_none=True)


class SlimPassage(Slim):
    """A passage of the ranking."""

    rank: int = Field(description="rank, from 1")
    id: str = Field(description="id, for the tools read and follow")
    document: str = Field(description="id of its document")
    title: str = Field(description="title of its document")
    label: str = Field(description="how it is cited inside its document")
    page: int | None = Field(default=None, description="page, from 1")
    language: str = Field(description="language code of its text")
    text: str = Field(description="its text; if it was cut, its length is appended")
    score: float = Field(description="score in the ranking, 0 to 1")
    validity: str | None = Field(default=None, description="whether it was in force on the day of the case")
    out_of_force: bool | None = Field(default=None, description="true if it was not in force on that day")
    trail: list[str] = Field(
        description="the best trail from the question to it, one entry per hop; passages are named by id"
    )


class SlimPart(Slim):
    """The evidence for a part of a question that asks several things."""

    text: str
    status: str = Field(description="found, partial or none")
    missing: list[str] = Field(description="words without evidence")
    passages: list[str] = Field(description="ids of its best passages")


class SlimEvidence(Slim):
    """Whether the corpus can answer the question."""

    status: str = Field(description="found, partial or none")
    missing: list[str] = Field(description="words of the question without evidence")
    parts: list[SlimPart] = Field(description="parts of a question that asks several things")


class SlimArea(Slim):
    """An area of the question."""

    name: str
    state: str = Field(description="covered, weak or missing")
    required: bool
    passages: int = Field(description="number of passages that support it")


class SlimRound(Slim):
    """A round; number 0 is the scan."""

    number: int
    purpose: str
    admitted: int = Field(description="passages admitted to the pool")
    refused: int = Field(description="passages refused")


class SlimStop(Slim):
    """Why the case ended."""

    reason: str
    words: str
    completeness: float | None = Field(
        default=None, description="estimated share of relevant passages found; absent if unknown"
    )


class SlimPool(Slim):
    """The size of the research pool."""

    passages: int
    links: int
    pinned: int
    dismissed: int
    by_strategy: dict[str, int] = Field(description="passages by the strategy that found them first")


class SlimCase(Slim):
    """The short form of a case."""

    question: str
    corpus: str
    day: str | None = Field(default=None, description="the day as of which the law is applied")
    evidence: SlimEvidence
    message: str | None = Field(default=None, description="set if nothing was found")
    passages: list[SlimPassage] = Field(description="the ranking, best first")
    coverage: list[SlimArea]
    rounds: list[SlimRound]
    stop: SlimStop
    pool: SlimPool
    metrics: dict[str, float | None] = Field(description="metrics of the case; null if not measured")
    notes: list[str]
    model: str = Field(description="language model used, empty for none")
    milliseconds: float


class SlimSentence(Slim):
    """A sentence of an answer."""

    text: str
    citations: list[int] = Field(description="numbers of the citations that support it")
    support: str
    doubts: list[str]
    area: str


class SlimCitation(Slim):
    """A citation of an answer."""

    number: int
    passage: str = Field(description="id of the passage, for the tool read")
    citation: str = Field(description="as a memo cites it")
    quote: str = Field(description="the quoted words of the source")
    in_force: bool
    validity: str


class SlimConflict(Slim):
    """Sources that contradict each other."""

    kind: str
    words: str
    citations: list[int]


class SlimAnswer(Slim):
    """The short form of an answer."""

    question: str
    language: str
    method: str = Field(description="sentences of the sources, or written by a language model")
    missing: bool = Field(description="whether the corpus has no answer")
    unanswered: str = Field(description="parts of the question without an answer, in words")
    sentences: list[SlimSentence]
    citations: list[SlimCitation]
    to_read: list[int] = Field(description="numbers of further citations to read")
    conflicts: list[SlimConflict]
    parts: list[SlimPart]
    gaps: list[str] = Field(description="areas without evidence")
    notes: list[str]
    model: str
    path: list[str] | None = Field(
        default=None, description="how two named provisions are connected, for a question for that"
    )
    changes: dict[str, Any] | None = Field(
        default=None, description="what changed, as the tool changes lists it, for a question for that"
    )


def slim_case(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the short form of a record made by ``investigation_to_json``."""
    from engine.records.phrases import STOP_WORDS

    pool, stop, evidence = record["pool"], record["stop"], record["evidence"]
    estimate = stop["completeness"]
    return SlimCase(
        question=record["question"],
        corpus=record["corpus"],
        day=record["day"],
        evidence=SlimEvidence(
            status=evidence["status"], missing=evidence["missing"], parts=_parts(evidence["parts"])
        ),
        message=record.get("message"),
        passages=[slim_passage(passage) for passage in record["passages"]],
        coverage=[SlimArea.model_validate(area) for area in record["coverage"]],
        rounds=[SlimRound.model_validate(one) for one in record["rounds"]],
        stop=SlimStop(
            reason=stop["reason"],
            words=STOP_WORDS[StopReason(stop["reason"])],
            completeness=None if estimate is None else estimate["estimate"],
        ),
        pool=SlimPool(
            passages=len(pool["nodes"]),
            links=len(pool["edges"]),
            pinned=len(pool["pinned"]),
            dismissed=len(pool["dismissed"]),
            by_strategy=dict(Counter(node["strategy"] for node in pool["nodes"])),
        ),
        metrics={name: value for name, value in record["metrics"].items() if name != "outside"},
        notes=record["notes"],
        model=record["model"],
        milliseconds=record["milliseconds"],
    ).values()


def slim_passage(passage: Mapping[str, Any]) -> SlimPassage:
    """Return the short form of a ranked passage, with its best trail."""
    trails = passage["trails"]
    own = {name: passage[name] for name in ("rank", "id", "document", "label", "page", "language", "text")}
    return SlimPassage(
        **own,
        title=passage["title"] or passage["document"],
        score=passage["score"],
        validity=passage["validity"],
        out_of_force=passage["out_of_force"] or None,
        trail=trail_words(trails[0]) if trails else [],
    )


def trail_words(trail: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a trail as short phrases from the question on: "scan, 3rd", "cited by act/art-3"."""
    from engine.records.phrases import hop_quote, hop_words
    from engine.records.record import read_hop

    phrases = []
    for edge in trail:
        hop = read_hop(edge)
        words = (hop_words(hop, str), "" if hop.source_id is None else hop_quote(hop, _QUOTE))
        phrases.append(" ".join(part for part in words if part))
    return phrases


def slim_answer(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the short form of an answer made by ``answer_to_json``."""
    return SlimAnswer.model_validate({**values, "parts": _parts(values["parts"])}).values()


def _parts(parts: Sequence[Mapping[str, Any]]) -> list[SlimPart]:
    return [
        SlimPart.model_validate({**part, "passages": [one["id"] for one in part["passages"]]})
        for part in parts
    ]
