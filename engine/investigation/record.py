"""An investigation as one object: what was asked, how, what happened and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.investigation.pool import Pool
from engine.model import AreaCoverage, QueryPlan, RankedPassage, RoundReport, Stop
from engine.settings import InvestigationSettings


@dataclass(frozen=True, slots=True)
class Investigation:
    """Question, settings, rounds, pool, ranking and stop reason; saved, replayed, compared.

    ``day`` is the day on which the law was looked at. ``notes`` say what was off, cut or left out, and why.
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
    day: date | None = None
    notes: tuple[str, ...] = ()
