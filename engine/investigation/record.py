"""An investigation as one object: what was asked, how, what happened and what came of it."""

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

    ``started`` is when it was asked, in UTC; ``day`` the day on which the law was looked at. ``notes`` say
    what was off, cut or left out, and why. ``model`` is the language model that stood by, empty without one;
    ``usage`` is what it used, by task. ``evidence``: whether the corpus bears the question.
    ``metrics``: the figures of the case at its end; ``transaction``: the type of transaction that it is
    about, None where the corpus knows no types. ``found``: by which query passages of the
    pool were found, by their ids. ``weights`` names what was learned of verdicts that it was ranked by, empty
    for the shipped weights alone.
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
