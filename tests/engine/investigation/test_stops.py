"""Every stop reason, reached by a real case."""

from __future__ import annotations

from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.model import StopReason
from tests.engine.endpoint import EmbeddingServer
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import SETTINGS, case_of, finished, ran

PILOTS = "Who takes a pilot?"
FEE = "What fee is paid for a pilot?"


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
        ("dense", FEE, {"stop_when": "similarity >= 0.01"}, StopReason.CONFIDENCE),
        ("dense", FEE, {"stop_when": "similarity_top > 1%"}, StopReason.CONFIDENCE),
        ("bare", QUESTION, {"stop_when": "passages >= 3 and rounds >= 1"}, StopReason.CONDITION),
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


def test_a_run_counts_its_own_calls_alone(dense: Corpus, model_server: EmbeddingServer) -> None:
    case = case_of(dense, "Which unasked dues are these?", SETTINGS.changed(call_budget=1))
    for _ in range(2):
        before = len(model_server.requests)
        ran(case)
        assert case.stop is not None
        assert case.stop.reason is StopReason.CALLS
        assert case.stop.numbers["calls"] == len(model_server.requests) - before == 1


def test_a_stop_carries_the_estimate_of_what_was_missed(dense: Corpus) -> None:
    case = finished(dense, FEE)
    assert case.stop is not None
    assert case.stop.completeness is not None
    assert case.stop.completeness == case.completeness()
    assert 0 < case.stop.completeness.low <= case.stop.completeness.estimate <= 1
