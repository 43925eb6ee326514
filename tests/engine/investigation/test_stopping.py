"""Each stop condition, alone and against the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.investigation.stopping import Progress, decide
from engine.model import AreaCoverage, AreaState, Completeness, StopReason
from engine.settings import InvestigationSettings

GOING_ON = Progress(
    round=1,
    admitted=20,
    pool_size=120,
    pool_limit=500,
    seconds=0.1,
    calls=0,
    cancelled=False,
    best_scores=[0.8] * 10,
    areas=(),
    completeness=Completeness(0.7, 0.6, 0.8),
)
SETTINGS = InvestigationSettings(rounds=3, minimum_gain=0.05)


def area(state: AreaState, *, required: bool) -> AreaCoverage:
    return AreaCoverage("a", "A", state, required, ("p",), 1, 0.5)


def test_nothing_stops_a_case_that_makes_progress() -> None:
    assert decide(GOING_ON, SETTINGS) is None


@pytest.mark.parametrize(
    ("progress", "settings", "reason", "numbers"),
    [
        (replace(GOING_ON, round=3), SETTINGS, StopReason.ROUNDS, {"rounds": 3}),
        (replace(GOING_ON, admitted=0), SETTINGS, StopReason.NOTHING_NEW, {"round": 1}),
        (
            replace(GOING_ON, admitted=2),
            SETTINGS,
            StopReason.TOO_LITTLE_NEW,
            {"admitted": 2, "gain": 0.0169, "wanted": 0.05},
        ),
        (replace(GOING_ON, pool_size=500), SETTINGS, StopReason.POOL_FULL, {"passages": 500, "limit": 500}),
        (
            GOING_ON,
            SETTINGS.changed(stop_confidence=0.75),
            StopReason.CONFIDENCE,
            {"mean_score": 0.8, "wanted": 0.75},
        ),
        (
            GOING_ON,
            SETTINGS.changed(stop_completeness=0.7),
            StopReason.COMPLETENESS,
            {"estimate": 0.7, "wanted": 0.7},
        ),
        (
            replace(GOING_ON, seconds=2.0),
            SETTINGS.changed(time_budget=1.5),
            StopReason.TIME,
            {"seconds": 2.0, "budget": 1.5},
        ),
        (
            replace(GOING_ON, calls=3),
            SETTINGS.changed(call_budget=3),
            StopReason.CALLS,
            {"calls": 3, "budget": 3},
        ),
        (replace(GOING_ON, cancelled=True), SETTINGS, StopReason.PERSON, {"round": 1}),
    ],
)
def test_each_condition_fires_with_its_numbers(
    progress: Progress, settings: InvestigationSettings, reason: StopReason, numbers: dict[str, float]
) -> None:
    stop = decide(progress, settings)
    assert stop is not None
    assert stop.reason is reason
    assert dict(stop.numbers) == pytest.approx(numbers)
    assert stop.completeness == progress.completeness


def test_coverage_stops_only_if_asked_and_only_when_all_required_areas_are_covered() -> None:
    open_area = replace(
        GOING_ON, areas=(area(AreaState.COVERED, required=True), area(AreaState.WEAK, required=True))
    )
    optional = replace(
        GOING_ON, areas=(area(AreaState.COVERED, required=True), area(AreaState.MISSING, required=False))
    )
    asked = SETTINGS.changed(stop_on_coverage=True)
    assert decide(optional, SETTINGS) is None
    assert decide(open_area, asked) is None
    stop = decide(optional, asked)
    assert stop is not None
    assert (stop.reason, dict(stop.numbers)) == (StopReason.COVERAGE, {"covered": 1, "required": 1})


def test_a_person_comes_before_every_other_reason() -> None:
    stop = decide(replace(GOING_ON, cancelled=True, admitted=0, round=3, pool_size=500), SETTINGS)
    assert stop is not None
    assert stop.reason is StopReason.PERSON


def test_the_scan_alone_is_not_nothing_new() -> None:
    assert decide(replace(GOING_ON, round=0, admitted=0, pool_size=0), SETTINGS) is None
