"""Running cases and comparing what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.record import Event, Investigation
from engine.records.conversion import investigation_to_json
from engine.search_budget import SearchBudget, budget_for
from engine.settings import InvestigationSettings

SETTINGS = InvestigationSettings(rounds=2)
# Nothing is held back at the gate, and the scan of a small corpus leaves something to find.
BREADTH = replace(budget_for(SETTINGS), scan=10, gate=0.0, gain=0.0)


def case_of(
    corpus: Corpus,
    question: str,
    settings: InvestigationSettings = SETTINGS,
    *,
    search_budget: SearchBudget | None = BREADTH,
    **more: Any,
) -> Case:
    return Case(corpus, question, settings, search_budget=search_budget, **more)


def ran(case: Case, after: Callable[[Event], None] | None = None) -> list[Event]:
    """All events of a run; ``after`` is called between one event and the next."""
    events = []
    for event in case.run():
        events.append(event)
        if after is not None:
            after(event)
    return events


def finished(
    corpus: Corpus,
    question: str,
    settings: InvestigationSettings = SETTINGS,
    search_budget: SearchBudget | None = BREADTH,
) -> Case:
    case = case_of(corpus, question, settings, search_budget=search_budget)
    ran(case)
    return case


def names(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def timeless(value: Any) -> Any:
    """JSON values without milliseconds, and without the moment at which it began."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if key not in ("milliseconds", "started")}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def plain(investigation: Investigation) -> dict[str, Any]:
    """The record of an investigation, as a file has it."""
    values: dict[str, Any] = orjson.loads(orjson.dumps(investigation_to_json(investigation)))
    return values


def record_of(case: Case) -> dict[str, Any]:
    return plain(case.investigation())


def story(case: Case) -> Any:
    """The whole investigation as JSON, without what the clock says."""
    return timeless(investigation_to_json(case.investigation()))
