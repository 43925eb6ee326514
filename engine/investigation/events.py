"""The typed events of an investigation, which the page, the command line and the saved record read.

Order: PlanMade, ScanFinished, CoverageChanged; for each round RoundStarted, RoundFinished, CoverageChanged,
and SufficiencyJudged if the settings ask for it; then Stopped, Ranked.
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
    """The plan with the views of the question. The first event."""

    plan: QueryPlan


@dataclass(frozen=True, slots=True)
class ScanFinished:
    """The scan's candidates are in the pool; ``report`` is round 0.

    ``notes`` are for the user, such as that dense search is off and why; ``transaction`` is the type that the
    question is about, None if the corpus has no types.
    """

    report: RoundReport
    hops: Sequence[Hop]
    notes: tuple[str, ...] = ()
    transaction: Transaction | None = None


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round begins with these seeds (passage ids) and gap queries."""

    number: int
    seeds: tuple[str, ...]
    queries: tuple[GapQuery, ...]


@dataclass(frozen=True, slots=True)
class RoundFinished:
    """A round has ended; ``hops`` are those that admitted new passages."""

    report: RoundReport
    hops: Sequence[Hop]


@dataclass(frozen=True, slots=True)
class CoverageChanged:
    """Coverage after the scan or after a round."""

    round: int
    areas: tuple[AreaCoverage, ...]


@dataclass(frozen=True, slots=True)
class SufficiencyJudged:
    """Whether the passages found up to a round suffice, judged ``by`` "model" or "plain".

    ``missing`` are queries for missing evidence, ``evidence`` the ids of the passages that the judgement
    names. ``confidence``, 0..1, and ``reasons`` come from a language model.
    """

    round: int
    by: str
    sufficient: bool
    missing: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    confidence: float | None = None
    reasons: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The investigation ended for this reason."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class Ranked:
    """The final ranking, best first. The last event.

    ``notes`` report what a reranker did, or why it is off, and calls that a language model did not answer;
    ``usage`` is the language model's usage by task; ``evidence`` is whether the corpus answers the question;
    ``metrics`` are the figures of the case.
    """

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
