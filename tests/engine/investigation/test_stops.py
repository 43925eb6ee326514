"""Every stop reason, reached by a real case."""

from __future__ import annotations

import time
from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.events import RoundStarted
from engine.model import AreaState, StopReason
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import SETTINGS, finished, ran

PILOTS = "Who takes a pilot?"


@pytest.mark.parametrize(
    ("corpus", "question", "changes", "reason"),
    [
        ("bare", PILOTS, {"rounds": 0}, StopReason.ROUNDS),
        ("bare", PILOTS, {"rounds": 1}, StopReason.ROUNDS),
        ("bare", NOTHING, {}, StopReason.NOTHING_NEW),
        ("bare", PILOTS, {"rounds": 5}, StopReason.NOTHING_NEW),
        ("bare", PILOTS, {"minimum_new": 100}, StopReason.TOO_LITTLE_NEW),
        ("bare", QUESTION, {"minimum_gain": 1.0, "rounds": 5}, StopReason.TOO_LITTLE_NEW),
        ("tariff", "tariff", {"scan_limit": 100, "pool_size": 100}, StopReason.POOL_FULL),
        (
            "harbour",
            "Which pilot needs a certificate?",
            {"stop_on_coverage": True, "transaction_type": "pilot-exemption"},
            StopReason.COVERAGE,
        ),
        ("bare", QUESTION, {"stop_confidence": 0.01}, StopReason.CONFIDENCE),
        ("dense", "What fee is paid for a pilot?", {"stop_completeness": 0.01}, StopReason.COMPLETENESS),
    ],
)
def test_a_case_stops_for_each_reason_with_its_numbers(
    corpus: str, question: str, changes: dict[str, Any], reason: StopReason, request: pytest.FixtureRequest
) -> None:
    case = finished(request.getfixturevalue(corpus), question, SETTINGS.changed(**changes))
    assert case.stop is not None
    assert case.stop.reason is reason
    assert case.stop.numbers
    assert len(case.rounds) - 1 <= case.settings.rounds


def test_time(bare: Corpus) -> None:
    case = Case(bare, PILOTS, SETTINGS.changed(time_budget=0.5))
    ran(case, lambda event: time.sleep(0.55) if isinstance(event, RoundStarted) else None)
    assert case.stop is not None
    assert case.stop.reason is StopReason.TIME
    assert case.stop.numbers["seconds"] >= case.stop.numbers["budget"] == 0.5
    assert case.rounds[-1].strategies == (), "no thread was followed after the time was up"
    assert case.ranking


def test_calls(dense: Corpus) -> None:
    case = finished(dense, "Which unasked fee is this?", SETTINGS.changed(call_budget=1))
    assert case.stop is not None
    assert case.stop.reason is StopReason.CALLS
    assert case.stop.numbers["calls"] >= 1
    assert len(case.rounds) == 1


def test_a_person(bare: Corpus) -> None:
    case = Case(bare, PILOTS, SETTINGS)
    ran(case, lambda event: case.cancel())
    assert case.stop is not None
    assert case.stop.reason is StopReason.PERSON


def test_coverage_stops_only_when_every_required_area_is_covered(harbour: Corpus) -> None:
    settings = SETTINGS.changed(stop_on_coverage=True, transaction_type="wreck-removal")
    case = finished(harbour, "Who removes a wreck from a berth?", settings)
    assert case.stop is not None
    assert case.stop.reason is not StopReason.COVERAGE
    required = [area for area in case.areas if area.required]
    assert [(area.id, area.state) for area in required] == [("salvage", AreaState.MISSING)]


def test_a_stop_carries_the_estimate_of_what_was_missed(dense: Corpus) -> None:
    case = finished(dense, "What fee is paid for a pilot?")
    assert case.stop is not None
    assert case.stop.completeness is not None
    assert case.stop.completeness == case.completeness()
    assert 0 < case.stop.completeness.low <= case.stop.completeness.estimate <= 1
