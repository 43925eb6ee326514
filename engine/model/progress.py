"""How an investigation went: coverage, counts of a round, why it stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine.model.documents import NOTHING, Document, Passage


class AreaState(StrEnum):
    """How well an area of the question is evidenced."""

    COVERED = "covered"
    WEAK = "weak"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class AreaCoverage:
    """Evidence for one legal area or facet.

    ``score``, 0..1: of an area its share of what the question finds, of a part of the question how much of it
    the best passages hold.
    ``closed_in`` is the round in which it became covered (0 = the scan). ``query`` is what was sent to close
    its gap.
    """

    id: str
    name: str
    state: AreaState
    required: bool
    evidence: tuple[str, ...]
    minimum: int
    score: float
    closed_in: int | None = None
    query: str | None = None


def counted(areas: Sequence[AreaCoverage]) -> list[AreaCoverage]:
    """The areas that a case needs: the required ones, or those that its question touches where none is."""
    required = [area for area in areas if area.required]
    return required or [area for area in areas if area.state is not AreaState.MISSING or area.query]


@dataclass(frozen=True, slots=True)
class StrategyCount:
    """What one strategy did in one round: leads proposed, admitted, refused (by reason)."""

    strategy: str
    proposed: int
    admitted: int
    refused: Mapping[str, int] = field(default_factory=lambda: NOTHING, hash=False)
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RetrieverCount:
    """What one retriever gave to a list of passages, best first: how many of them it found, how many nobody
    else found, and the place of the first. ``off`` says why it did not search. ``milliseconds``: how long it
    searched, for all queries of a scan at once; None for a list that is no scan's."""

    retriever: str
    found: int = 0
    alone: int = 0
    first: int | None = None
    off: str = ""
    milliseconds: float | None = None


@dataclass(frozen=True, slots=True)
class GapQuery:
    """A query that a round sends to close a gap: its words, and the id and the name of the area that lacks
    evidence, both empty where it asks for what a judgement named missing."""

    text: str
    area: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A passage in the answer to one query: its 1-based rank by each retriever that ranked it high, and its
    ``similarity``, the cosine to the query, None without vectors and where it is too low to be a hit."""

    passage_id: str
    ranks: Mapping[str, int] = field(default_factory=lambda: NOTHING, hash=False)
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """One query as it was sent to the retrievers, and the best of what it found.

    ``kind`` is the name of a view of the question, or "gap"; ``is_hypothetical``: its text was made up to be
    searched by. ``area`` and ``name`` are those of the area for which a gap's query was sent. ``found``
    counts all its passages, ``hits`` are the best of them. ``milliseconds``: how long it took, None for a
    view of the scan, whose views are searched together.
    """

    kind: str
    text: str
    language: str
    weight: float = 1.0
    is_hypothetical: bool = False
    area: str = ""
    name: str = ""
    found: int = 0
    hits: tuple[SearchHit, ...] = ()
    milliseconds: float | None = None


@dataclass(frozen=True, slots=True)
class FoundBy:
    """How a passage of the pool was found by searching: the number of the query that did, counted over all
    rounds of the case, None for one that was only followed to; and its cosine to the question, None
    without vectors."""

    search: int | None = None
    similarity: float | None = None


class RoundKind(StrEnum):
    """What a round is made for."""

    BROAD_SCAN = "broad_scan"
    REFERENCE_EXPANSION = "reference_expansion"
    GAP_FILLING = "gap_filling"
    FOLLOW_UP = "follow_up"


@dataclass(frozen=True, slots=True)
class RoundJudgement:
    """What was said after a round of whether enough was found: by "model" or "plain". ``confidence``, 0..1,
    and ``reasons`` are a language model's own, None and empty where it gave none."""

    by: str
    sufficient: bool
    missing: tuple[str, ...] = ()
    confidence: float | None = None
    reasons: str = ""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """One turn of the loop. ``number`` 0 is the scan; ``retrievers`` are those that it asked. ``queries``
    were sent to close gaps; ``before`` and ``after`` are the states of the areas around it, by their ids.
    ``purpose``: why it was made, in words, ``kinds`` by its sort; ``searches``: every query that was sent in
    it; ``judged``: whether enough was found then, where anybody said so."""

    number: int
    seeds: tuple[str, ...]
    strategies: tuple[StrategyCount, ...]
    admitted: int
    refused: int
    pool_size: int
    milliseconds: float
    retrievers: tuple[RetrieverCount, ...] = ()
    queries: tuple[GapQuery, ...] = ()
    before: Mapping[str, AreaState] = field(default_factory=lambda: NOTHING, hash=False)
    after: Mapping[str, AreaState] = field(default_factory=lambda: NOTHING, hash=False)
    purpose: str = ""
    judged: RoundJudgement | None = None
    kinds: tuple[RoundKind, ...] = ()
    searches: tuple[Search, ...] = ()

    @property
    def efficiency(self) -> float | None:
        """New passages as a share of all that the strategies proposed; None where they proposed nothing."""
        proposed = sum(count.proposed for count in self.strategies)
        return self.admitted / proposed if proposed else None


class StopReason(StrEnum):
    """Why an investigation ended; the first to fire wins."""

    ROUNDS = "rounds"
    NOTHING_NEW = "nothing_new"
    TOO_LITTLE_NEW = "too_little_new"
    POOL_FULL = "pool_full"
    COVERAGE = "coverage"
    CONFIDENCE = "confidence"
    COMPLETENESS = "completeness"
    REFERENCES = "references"
    EFFICIENCY = "efficiency"
    COHERENCE = "coherence"
    SUFFICIENCY = "sufficiency"
    TIME = "time"
    CALLS = "calls"
    PERSON = "person"


class EvidenceStatus(StrEnum):
    """Whether the corpus bears a question at all: it does, in part, or not."""

    FOUND = "found"
    PARTIAL = "partial"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PartEvidence:
    """What was found for one part of a question: its ``text``, to be understood by itself, the status with
    what nothing bears, and the best passages for it with their documents, best first."""

    text: str
    status: EvidenceStatus
    missing: tuple[str, ...] = ()
    passages: tuple[tuple[Passage, Document], ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a question found in the corpus. ``missing`` is what nothing bears, in the question's own words;
    ``numbers`` are what the status was decided from, by name, each 0..1. ``parts``: what was found for each
    part of a question that asks several things, empty where it asks one."""

    status: EvidenceStatus
    missing: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)
    parts: tuple[PartEvidence, ...] = ()


# Where nothing was looked at.
UNJUDGED = Evidence(EvidenceStatus.FOUND)


@dataclass(frozen=True, slots=True)
class Completeness:
    """Estimate of the share of relevant passages that the pool already holds, with its interval.

    ``alone`` of the ``best`` passages of the pool were found by one way only; ``evidence`` are the numbers
    that the estimate was made of, by name, each 0..1.
    """

    estimate: float
    low: float
    high: float
    method: str = "Chao1"
    best: int = 0
    alone: int = 0
    evidence: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)


@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of a case, each 0..1, None where there is nothing to measure.

    ``coverage``: share of the required areas that is covered, weak ones half. ``similarity``: mean of the
    best ten passages to the question as a share of the corpus's best, ``similarity_top`` of the best three.
    ``references``: share of the references in the ranked passages whose target the pool holds.
    ``efficiency``: new passages of the last round, of all that were proposed. ``coherence``: cosine between
    passages that were put together.
    """

    coverage: float | None = None
    similarity: float | None = None
    similarity_top: float | None = None
    references: float | None = None
    efficiency: float | None = None
    coherence: float | None = None


# Where nothing was measured.
UNMEASURED = Metrics()


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop with its reason and the numbers behind it."""

    reason: StopReason
    numbers: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)
    completeness: Completeness | None = None
