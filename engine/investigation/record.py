"""The result of a case as one object: question, settings, course and outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType

from engine.investigation.pool import Pool
from engine.llm import Usage
from engine.model import (
    UNJUDGED,
    UNMEASURED,
    AreaCoverage,
    Evidence,
    FoundBy,
    Metrics,
    QueryPlan,
    RankedPassage,
    RoundReport,
    Stop,
    Transaction,
)
from engine.settings import InvestigationSettings


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
