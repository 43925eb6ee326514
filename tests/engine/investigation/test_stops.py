"""Every stop reason, reached by a real case."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.figures import FIGURES
from engine.investigation.events import RoundStarted
from engine.model import AreaState, StopReason
from tests.engine.endpoint import EmbeddingServer
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, case_of, finished, ran

PILOTS = "Who takes a pilot?"
FEE = "What fee is paid for a pilot?"


REASONS = {
    "coverage": StopReason.COVERAGE,
    "similarity": StopReason.CONFIDENCE,
    "similarity_top": StopReason.CONFIDENCE,
    "references": StopReason.REFERENCES,
    "efficiency": StopReason.EFFICIENCY,
    "coherence": StopReason.COHERENCE,
    "completeness": StopReason.COMPLETENESS,
}


@pytest.mark.parametrize(
    ("corpus", "question", "changes", "reason"),
    [
        ("bare", PILOTS, {"rounds": 0}, StopReason.ROUNDS),
        ("bare", PILOTS, {"rounds": 1}, StopReason.ROUNDS),
        ("bare", NOTHING, {}, StopReason.NOTHING_NEW),
        ("bare", PILOTS, {"rounds": 5}, StopReason.NOTHING_NEW),
        ("tariff", "tariff", {"pool_size": 10}, StopReason.POOL_FULL),
        (
            "harbour",
            "Which pilot needs a certificate?",
            {"stop_when": "coverage >= 1", "transaction_type": "pilot-exemption"},
            StopReason.COVERAGE,
        ),
        ("bare", QUESTION, {"stop_when": "similarity >= 0.01"}, StopReason.CONFIDENCE),
        ("bare", QUESTION, {"stop_when": "similarity_top > 1%"}, StopReason.CONFIDENCE),
        ("dense", FEE, {"stop_when": "completeness >= 0.01"}, StopReason.COMPLETENESS),
        ("bare", QUESTION, {"stop_when": "references >= 0.01"}, StopReason.REFERENCES),
        ("bare", QUESTION, {"stop_when": "efficiency < 100%", "rounds": 5}, StopReason.EFFICIENCY),
        ("dense", FEE, {"stop_when": "coherence >= 0"}, StopReason.COHERENCE),
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


def test_a_round_that_brings_too_small_a_share_is_the_last(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS.changed(rounds=5), replace(BREADTH, gain=1.0))
    assert case.stop is not None
    assert case.stop.reason is StopReason.TOO_LITTLE_NEW
    assert case.stop.numbers["gain"] < case.stop.numbers["wanted"] == 1.0
    assert len(case.rounds) - 1 < 5


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_stops_a_case_where_its_condition_holds_and_not_before(dense: Corpus, figure: str) -> None:
    """Told with its numbers, which are those of the case; one that cannot be met stops nothing."""
    settings = SETTINGS.changed(rounds=5, transaction_type="pilot-exemption")
    whole = finished(dense, FEE, settings)
    met = finished(dense, FEE, settings.changed(stop_when=f"{figure} >= 0"))
    assert met.stop is not None
    assert whole.stop is not None
    assert met.stop.reason is REASONS[figure]
    assert met.stop.numbers["wanted"] == 0.0
    assert met.stop.numbers["passages"] == len(met.pool)
    now = met.completeness()
    figures = {"completeness": None if now is None else now.estimate, **asdict(met.metrics)}
    assert met.stop.numbers[figure] == pytest.approx(figures[figure], abs=1e-4)
    assert len(met.rounds) < len(whole.rounds)
    never = finished(dense, FEE, settings.changed(stop_when=f"{figure} > 1"))
    assert never.stop == whole.stop
    assert len(never.rounds) == len(whole.rounds)


def test_one_of_several_conditions_is_enough(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS.changed(stop_when=["coverage > 1", "similarity >= 0.01"]))
    assert case.stop is not None
    assert case.stop.reason is StopReason.CONFIDENCE
    assert len(case.rounds) == 1


def test_time(bare: Corpus) -> None:
    case = case_of(bare, PILOTS, SETTINGS.changed(time_budget=0.5))
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


def test_a_run_counts_its_own_calls_alone(dense: Corpus, model_server: EmbeddingServer) -> None:
    case = case_of(dense, "Which unasked dues are these?", SETTINGS.changed(call_budget=1))
    for _ in range(2):
        before = len(model_server.requests)
        ran(case)
        assert case.stop is not None
        assert case.stop.reason is StopReason.CALLS
        assert case.stop.numbers["calls"] == len(model_server.requests) - before == 1


def test_a_person(bare: Corpus) -> None:
    case = case_of(bare, PILOTS, SETTINGS)
    ran(case, lambda event: case.cancel())
    assert case.stop is not None
    assert case.stop.reason is StopReason.PERSON


def test_coverage_stops_only_when_every_required_area_is_covered(harbour: Corpus) -> None:
    settings = SETTINGS.changed(stop_when="coverage >= 100%", transaction_type="wreck-removal")
    case = finished(harbour, "Who removes a wreck from a berth?", settings)
    assert case.stop is not None
    assert case.stop.reason is not StopReason.COVERAGE
    required = [area for area in case.areas if area.required]
    assert [(area.id, area.state) for area in required] == [("salvage", AreaState.MISSING)]


def test_a_stop_carries_the_estimate_of_what_was_missed(dense: Corpus) -> None:
    case = finished(dense, FEE)
    assert case.stop is not None
    assert case.stop.completeness is not None
    assert case.stop.completeness == case.completeness()
    assert 0 < case.stop.completeness.low <= case.stop.completeness.estimate <= 1
