"""Cases and answers in short, for programs that read little at once: what was found, where, how, how sure.

Each class says what its fields are, so that its JSON schema is a description of the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.model import StopReason

# Words of a link that are told beside it.
_QUOTE = 60


class Slim(BaseModel):
    """Something in short. What is not there is left out."""

    model_config = ConfigDict(frozen=True)

    def values(self) -> dict[str, Any]:
        """As plain values."""
        return self.model_dump(mode="json", exclude_none=True)


class SlimPassage(Slim):
    """A passage of the ranking."""

    rank: int = Field(description="its place in the ranking, from 1")
    id: str = Field(description="its id; read and follow take it")
    document: str = Field(description="id of its document")
    title: str = Field(description="title of its document")
    label: str = Field(description="how it is cited inside its document")
    page: int | None = Field(default=None, description="page, from 1")
    language: str = Field(description="language code of its text")
    text: str = Field(description="its words; one that was cut says how long it is")
    score: float = Field(description="score in the ranking, 0 to 1")
    validity: str | None = Field(default=None, description="what it was on the day of the case")
    out_of_force: bool | None = Field(default=None, description="true where it was not in force that day")
    trail: list[str] = Field(
        description="the best way from the question to it, a step an entry; passages are named by their ids"
    )


class SlimPart(Slim):
    """What was found for a part of a question that asks several things."""

    text: str
    status: str = Field(description="found, partial or none")
    missing: list[str] = Field(description="words that nothing bears")
    passages: list[str] = Field(description="ids of its best passages")


class SlimEvidence(Slim):
    """Whether the corpus bears the question at all."""

    status: str = Field(description="found, partial or none")
    missing: list[str] = Field(description="words of the question that nothing bears")
    parts: list[SlimPart] = Field(description="where the question asks several things: each of them")


class SlimArea(Slim):
    """An area of the question."""

    name: str
    state: str = Field(description="covered, weak or missing")
    required: bool
    passages: int = Field(description="how many passages bear it")


class SlimRound(Slim):
    """A round; number 0 is the scan."""

    number: int
    purpose: str
    admitted: int = Field(description="passages that came into the pool")
    refused: int = Field(description="passages that did not")


class SlimStop(Slim):
    """Why the case ended."""

    reason: str
    words: str
    completeness: float | None = Field(
        default=None, description="estimated share of what there is to find; absent where nobody can tell"
    )


class SlimPool(Slim):
    """The research pool, counted."""

    passages: int
    links: int
    pinned: int
    dismissed: int
    by_strategy: dict[str, int] = Field(description="passages by what found them first")


class SlimCase(Slim):
    """A case in short."""

    question: str
    corpus: str
    day: str | None = Field(default=None, description="the law of this day")
    evidence: SlimEvidence
    message: str | None = Field(default=None, description="there where nothing was found")
    passages: list[SlimPassage] = Field(description="the ranking, best first")
    coverage: list[SlimArea]
    rounds: list[SlimRound]
    stop: SlimStop
    pool: SlimPool
    metrics: dict[str, float | None] = Field(description="figures of the case; null where not measured")
    notes: list[str]
    model: str = Field(description="language model that helped, empty for none")
    milliseconds: float


class SlimSentence(Slim):
    """A sentence of an answer."""

    text: str
    citations: list[int] = Field(description="numbers of the citations that bear it")
    support: str
    doubts: list[str]
    area: str


class SlimCitation(Slim):
    """What an answer cites."""

    number: int
    passage: str = Field(description="id of the passage; read takes it")
    citation: str = Field(description="as a memo cites it")
    quote: str = Field(description="the words, as the source has them")
    in_force: bool
    validity: str


class SlimConflict(Slim):
    """Sources that do not go together."""

    kind: str
    words: str
    citations: list[int]


class SlimAnswer(Slim):
    """An answer in short."""

    question: str
    language: str
    method: str = Field(description="how it was made: sentences of the sources, or by a language model")
    missing: bool = Field(description="whether the corpus has no answer")
    unanswered: str = Field(description="what of the question has none, in words")
    sentences: list[SlimSentence]
    citations: list[SlimCitation]
    to_read: list[int] = Field(description="numbers of citations to read besides")
    conflicts: list[SlimConflict]
    parts: list[SlimPart]
    gaps: list[str] = Field(description="what no evidence was found for")
    notes: list[str]
    model: str


def slim_case(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record, as ``investigation_to_json`` makes it, in short."""
    from engine.records.wording import STOP_WORDS

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
        metrics=record["metrics"],
        notes=record["notes"],
        model=record["model"],
        milliseconds=record["milliseconds"],
    ).values()


def slim_passage(passage: Mapping[str, Any]) -> SlimPassage:
    """A ranked passage of a record, with the best of its trails."""
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
    """A trail of a record in short words, from the question on: "scan, 3rd", "cited by act/art-3"."""
    from engine.records.record import read_hop
    from engine.records.wording import hop_quote, hop_words

    told = []
    for edge in trail:
        hop = read_hop(edge)
        words = (hop_words(hop, str), "" if hop.source_id is None else hop_quote(hop, _QUOTE))
        told.append(" ".join(part for part in words if part))
    return told


def slim_answer(values: Mapping[str, Any]) -> dict[str, Any]:
    """An answer, as ``answer_to_json`` makes it, in short."""
    return SlimAnswer.model_validate({**values, "parts": _parts(values["parts"])}).values()


def _parts(parts: Sequence[Mapping[str, Any]]) -> list[SlimPart]:
    return [
        SlimPart.model_validate({**part, "passages": [one["id"] for one in part["passages"]]})
        for part in parts
    ]
