"""The progress and results of an investigation: hops, hits, scores, coverage, rounds, stop reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from engine.model.documents import (
    NOTHING,
    Count,
    Direction,
    Document,
    Estimate,
    Milliseconds,
    Passage,
    Relation,
    Rounded,
    stored,
)


class AreaState(StrEnum):
    """The coverage of an area of the question."""

    COVERED = "covered"
    WEAK = "weak"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class AreaCoverage:
    """Evidence for one legal area or facet.

    ``score``, 0..1, is an area's share of the question's results, or the share of a part of the question that
    the best passages cover. ``closed_in`` is the round in which it became covered (0 = the scan). ``query``
    is the query sent to close its gap. ``good`` passages count towards ``minimum``, None in earlier records;
    ``gained`` are the passages that the queries brought, None if none was sent. ``needed`` is false if a user
    said so.
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
    good: int | None = None
    gained: int | None = None
    needed: bool = True


def counted(areas: Sequence[AreaCoverage]) -> list[AreaCoverage]:
    """Return the areas that a case needs: the required ones, else those that its question touches."""
    needed = [area for area in areas if area.needed]
    required = [area for area in needed if area.required]
    return required or [area for area in needed if area.state is not AreaState.MISSING or area.query]


@stored
@dataclass(frozen=True, slots=True)
class StrategyCount:
    """The work of a strategy in a round: leads proposed, admitted, refused (by reason)."""

    strategy: str
    proposed: Count
    admitted: Count
    refused: Mapping[str, Count] = field(default_factory=lambda: NOTHING, hash=False)
    milliseconds: Milliseconds = 0.0


@stored
@dataclass(frozen=True, slots=True)
class RetrieverCount:
    """The contribution of a retriever to a list of passages, best first.

    It counts the passages found, those found by no other retriever, and the rank of the first. ``off`` is the
    reason why it did not search. ``milliseconds``: time for all queries of a scan; None for a list that comes
    from no scan.
    """

    retriever: str
    found: Count = 0
    alone: Count = 0
    first: Count | None = None
    off: str = ""
    milliseconds: Milliseconds | None = None


@stored
@dataclass(frozen=True, slots=True)
class GapQuery:
    """A query sent to close a gap.

    Its words, and id and name of the area without evidence, empty for other gaps.
    """

    text: str
    area: str = ""
    name: str = ""


@stored
@dataclass(frozen=True, slots=True)
class SearchHit:
    """A passage in the result of a query.

    It has its 1-based rank in each retriever that ranked it high, and its ``similarity``, the cosine to the
    query, None without vectors or if too low for a hit.
    """

    passage_id: str
    ranks: Mapping[str, Count] = field(default_factory=lambda: NOTHING, hash=False)
    similarity: Rounded | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """A query as sent to the retrievers, with its best results.

    ``kind`` is the name of a view of the question, or "gap"; ``is_hypothetical``: its text was written for
    the search. ``area`` and ``name`` are those of a gap's area. ``found`` counts all passages, ``hits`` are
    the best of them. ``milliseconds``: duration, None for a view of the scan, whose views are searched
    together.
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
    """How a search found a passage of the pool.

    ``search`` is the number of the query over all rounds, None if it was only reached by a hop;
    ``similarity`` its cosine to the question, None without vectors.
    """

    search: int | None = None
    similarity: float | None = None


class RoundKind(StrEnum):
    """The purpose of a round."""

    BROAD_SCAN = "broad_scan"
    REFERENCE_EXPANSION = "reference_expansion"
    GAP_FILLING = "gap_filling"
    FOLLOW_UP = "follow_up"


@stored
@dataclass(frozen=True, slots=True)
class RoundJudgement:
    """A judgement after a round of whether enough was found, by "model" or "plain".

    ``confidence``, 0..1, and ``reasons`` come from a language model, None and empty otherwise.
    """

    by: Annotated[str, Field(max_length=20)]
    sufficient: bool
    missing: tuple[str, ...] = ()
    confidence: float | None = None
    reasons: str = ""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """A round of the loop.

    ``number`` 0 is the scan; ``retrievers`` are those used. ``queries`` were sent to close gaps; ``before``
    and ``after`` are states of areas by id. ``purpose`` describes the round, ``kinds`` classify it;
    ``searches``: every query sent; ``judged``: the judgement of sufficiency, if any.
    """

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
        """New passages as a share of all proposals; None without proposals."""
        proposed = sum(count.proposed for count in self.strategies)
        return self.admitted / proposed if proposed else None


class StopReason(StrEnum):
    """The reason for the end of an investigation; the first that applies is used."""

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
    CONDITION = "condition"
    SUFFICIENCY = "sufficiency"
    TIME = "time"
    CALLS = "calls"
    PERSON = "person"


class EvidenceStatus(StrEnum):
    """The degree to which the corpus can answer a question: fully, in part, or not at all."""

    FOUND = "found"
    PARTIAL = "partial"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PartEvidence:
    """The evidence for a part of a question.

    ``text`` can be understood alone. The other fields are the status, the missing words, and the best
    passages with their documents, best first.
    """

    text: str
    status: EvidenceStatus
    missing: tuple[str, ...] = ()
    passages: tuple[tuple[Passage, Document], ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for a question in the corpus.

    ``missing`` are words of the question without evidence; ``numbers`` are the values that decided the
    status, by name, each 0..1. ``parts``: evidence for each part of a question that asks several things, else
    empty.
    """

    status: EvidenceStatus
    missing: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)
    parts: tuple[PartEvidence, ...] = ()


# The default before any judgement.
UNJUDGED = Evidence(EvidenceStatus.FOUND)


@stored
@dataclass(frozen=True, slots=True)
class Completeness:
    """An estimate of the share of relevant passages in the pool, with its interval.

    ``alone`` of the ``best`` passages were found by one way only; ``evidence`` are the inputs of the estimate
    by name, each 0..1.
    """

    estimate: Estimate
    low: Estimate
    high: Estimate
    method: str = "Chao1"
    best: Count = 0
    alone: Count = 0
    evidence: Mapping[str, Estimate] = field(default_factory=lambda: NOTHING, hash=False)


@stored
@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of a case, each 0..1, None if there is nothing to measure.

    ``coverage``: share of the required areas that is covered; weak ones count half. ``similarity``: mean
    cosine between the question and the best ten passages, ``similarity_top`` the best three. ``references``:
    of the passages that the ranked ones refer to, the share in the pool; ``outside`` are the others.
    ``efficiency``: passages that the last round admitted, as a share of all that its threads proposed,
    including those in the pool already. ``coherence``: cosine between passages that were joined.
    """

    coverage: Rounded | None = None
    similarity: Rounded | None = None
    similarity_top: Rounded | None = None
    references: Rounded | None = None
    efficiency: Rounded | None = None
    coherence: Rounded | None = None
    outside: tuple[str, ...] = ()


# The default before any measurement.
UNMEASURED = Metrics()


@stored
@dataclass(frozen=True, slots=True)
class Stop:
    """A stop with its reason, the numbers behind it, and the condition of the settings that was met."""

    reason: StopReason
    numbers: Mapping[str, float] = field(default_factory=lambda: NOTHING, hash=False)
    completeness: Completeness | None = None
    condition: str = ""


# Results: hops of trails, hits of retrievers, parts of scores, ranked passages.


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of a trail: how a passage was reached, and from where.

    ``source_id`` is None if the step starts at the question (scan) or at a gap's query. ``quote`` contains
    the words that made the link, verbatim from ``quoted_from`` (a passage id), or the query that was sent;
    ``query`` is that query with its area, for gap hops. ``strength`` is the strategy's own score for the
    link, 0..1. ``rank`` is the 1-based rank in the list that found it, for scan and gap hops.
    """

    target_id: str
    source_id: str | None
    strategy: str
    relation: Relation
    direction: Direction
    round: int
    strength: float
    quote: str = ""
    quoted_from: str | None = None
    detail: str = ""
    rank: int | None = None
    query: GapQuery | None = None


@stored
@dataclass(frozen=True, slots=True)
class RetrieverHit:
    """A retriever's result for a passage and a view: 1-based rank and raw score."""

    retriever: str
    view: str
    rank: Count
    score: Rounded


@stored
@dataclass(frozen=True, slots=True)
class ScorePart:
    """A term of a passage's final score; the terms add up to the score."""

    name: str
    value: Rounded
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage in the final ranking. ``text`` is a source span, never a summary.

    ``assembled_ids`` are the passages whose text is in ``text``, in document order; several if neighbours
    were joined. ``same_words`` are other well-ranked passages with the same text as ``passage``.
    """

    rank: int
    passage: Passage
    document: Document
    text: str
    score: float
    breakdown: tuple[ScorePart, ...]
    trails: tuple[tuple[Hop, ...], ...]
    hits: tuple[RetrieverHit, ...] = ()
    assembled_ids: tuple[str, ...] = ()
    pinned: bool = False
    same_words: tuple[str, ...] = ()
