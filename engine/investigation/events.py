"""The typed events of an investigation: one story, told to every listener.

Page, command line and saved record listen to the same stream. Order: PlanMade, ScanFinished,
CoverageChanged, then for each round RoundStarted, RoundFinished, CoverageChanged, and SufficiencyJudged
where the settings ask for it; then Stopped, Ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.llm import Usage
from engine.model import (
    NOTHING,
    UNJUDGED,
    UNMEASURED,
    AreaCoverage,
    Evidence,
    GapQuery,
    Hop,
    Metrics,
    QueryPlan,
    RankedPassage,
    RoundReport,
    Stop,
    Transaction,
)


@dataclass(frozen=True, slots=True)
class PlanMade:
    """The question's views are known. The first event."""

    plan: QueryPlan


@dataclass(frozen=True, slots=True)
class ScanFinished:
    """The broad scan is in the pool; ``report`` is round 0.

    ``notes`` tell what the person should know, such as that dense search is off and why; ``transaction`` is
    the type that the question is about, where the corpus knows types.
    """

    report: RoundReport
    hops: Sequence[Hop]
    notes: tuple[str, ...] = ()
    transaction: Transaction | None = None


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round has its seeds (passage ids) and its gap queries."""

    number: int
    seeds: tuple[str, ...]
    queries: tuple[GapQuery, ...]


@dataclass(frozen=True, slots=True)
class RoundFinished:
    """A round is over; ``hops`` are those that admitted new passages."""

    report: RoundReport
    hops: Sequence[Hop]


@dataclass(frozen=True, slots=True)
class CoverageChanged:
    """Coverage after the scan or after a round."""

    round: int
    areas: tuple[AreaCoverage, ...]


@dataclass(frozen=True, slots=True)
class SufficiencyJudged:
    """Whether what was found up to a round suffices, by "model" or "plain"; ``missing`` are queries for what
    was named missing, ``evidence`` the ids of the passages that the judgement names. ``confidence``, 0..1,
    and ``reasons`` are a language model's own."""

    round: int
    by: str
    sufficient: bool
    missing: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    confidence: float | None = None
    reasons: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The investigation ended, and why."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class Ranked:
    """The final ranking, best first. The last event. ``notes`` tell what a reranker did, or why it is off,
    and where a language model did not answer; ``usage`` is what it used, by task; ``evidence`` says whether
    the corpus bears the question, ``metrics`` are the figures of the case."""

    passages: tuple[RankedPassage, ...]
    milliseconds: float
    notes: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=lambda: NOTHING)
    evidence: Evidence = UNJUDGED
    metrics: Metrics = UNMEASURED


Event = (
    PlanMade
    | ScanFinished
    | RoundStarted
    | RoundFinished
    | CoverageChanged
    | SufficiencyJudged
    | Stopped
    | Ranked
)
