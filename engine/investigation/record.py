"""What a case reports: its typed events, and at its end the result as one object.

The page, the command line and the saved record read the events. Their order: PlanMade, ScanFinished,
CoverageChanged; for each round RoundStarted, RoundFinished, CoverageChanged, and SufficiencyJudged if the
settings ask for it; then Stopped, Ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType

from engine.investigation.pool import Pool
from engine.llm import Usage
from engine.model import (
    NOTHING,
    UNJUDGED,
    UNMEASURED,
    AreaCoverage,
    Evidence,
    FoundBy,
    GapQuery,
    Hop,
    Metrics,
    QueryPlan,
    RankedPassage,
    RoundReport,
    Stop,
    Transaction,
)
from engine.settings import InvestigationSettings

# The typed events of an investigation, which the page, the command line and the saved record
# read.
#
# Order: PlanMade, ScanFinished, CoverageChanged; for each round RoundStarted, RoundFinished,
# CoverageChanged, and SufficiencyJudged if the settings ask for it; then Stopped, Ranked.


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


# The result of a case as one object: question, settings, course and outcome.


@dataclass(frozen=True, slots=True)
class Investigation:
    """Question, settings, rounds, pool, ranking and stop reason; saved, replayed, compared.

    - ``started``: the time of the question, in UTC; ``day``: the date as of which the law applies.
    - ``notes``: what was off, cut or left out, and why.
    - ``model``: the language model, "" without one; ``usage``: what it used, by task.
    - ``evidence``: whether the corpus answers the question; ``metrics``: the figures of the case at its end.
    - ``transaction``: the type of transaction of the question, None if the corpus has no types.
    - ``found``: the query that found each passage of the pool, by passage id.
    - ``weights``: id of the learned weights that it was ranked by, "" for the shipped ones alone.
    """

    question: str
    corpus: str
    settings: InvestigationSettings
    plan: QueryPlan
    rounds: tuple[RoundReport, ...]
    areas: tuple[AreaCoverage, ...]
    stop: Stop
    passages: tuple[RankedPassage, ...]
    pool: Pool
    milliseconds: float
    started: datetime
    day: date | None = None
    notes: tuple[str, ...] = ()
    model: str = ""
    evidence: Evidence = UNJUDGED
    metrics: Metrics = UNMEASURED
    transaction: Transaction | None = None
    usage: Mapping[str, Usage] = field(default_factory=lambda: MappingProxyType({}))
    found: Mapping[str, FoundBy] = field(default_factory=lambda: MappingProxyType({}))
    weights: str = ""
