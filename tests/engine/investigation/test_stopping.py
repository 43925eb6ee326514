"""Each stop condition, alone and against the others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.stopping import Progress, decide
from engine.model import Completeness, StopReason
from engine.settings import FIGURES, Condition, InvestigationSettings, condition

ESTIMATE = Completeness(0.7, 0.6, 0.8)
GOING_ON = Progress(
    round=1,
    admitted=20,
    pool_size=120,
    pool_limit=500,
    seconds=0.1,
    calls=0,
    cancelled=False,
    completeness=lambda: ESTIMATE,
    gain=0.05,
)
SETTINGS = InvestigationSettings(rounds=3)


def test_nothing_stops_a_case_that_makes_progress() -> None:
    def estimated() -> Completeness:
        pytest.fail("the estimate is for a stop alone")

    assert decide(replace(GOING_ON, completeness=estimated), SETTINGS) is None


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
    assert stop.completeness == ESTIMATE


@pytest.mark.parametrize(
    ("stop_when", "figures", "reason", "wanted"),
    [
        ("similarity >= 0.75", {"similarity": 0.8}, StopReason.CONFIDENCE, 0.75),
        ("similarity_top > 0.5", {"similarity": 0.4, "similarity_top": 0.8}, StopReason.CONFIDENCE, 0.5),
        ("coverage >= 90 %", {"coverage": 0.9}, StopReason.COVERAGE, 0.9),
        ("completeness >= 0.7", {"completeness": 0.7}, StopReason.COMPLETENESS, 0.7),
        ("references > 0.99", {"references": 1.0}, StopReason.REFERENCES, 0.99),
        ("efficiency < 0.1", {"efficiency": 0.05}, StopReason.EFFICIENCY, 0.1),
        ("coherence <= 0.5", {"coherence": 0.1234}, StopReason.COHERENCE, 0.5),
    ],
)
def test_each_figure_stops_a_case_at_its_threshold(
    stop_when: str, figures: dict[str, float], reason: StopReason, wanted: float
) -> None:
    stop = decide(replace(GOING_ON, figures=figures), SETTINGS.changed(stop_when=stop_when))
    assert stop is not None
    assert stop.reason is reason
    assert dict(stop.numbers) == pytest.approx({**figures, "passages": 120, "wanted": wanted})


@pytest.mark.parametrize(
    ("stop_when", "met"),
    [
        ("coverage >= 0.9 and passages >= 100", True),
        ("coverage >= 0.9 AND passages >= 121", False),
        ("coverage >= 0.95 and passages >= 100", False),
        ("passages >= 120", True),
        ("rounds > 1", False),
        ("admitted <= 20 and seconds < 1 and calls <= 0", True),
        ("references >= 0 and passages >= 1", False),
    ],
)
def test_conditions_are_joined_and_counts_are_known(stop_when: str, met: bool) -> None:
    """A figure that cannot be measured is not met."""
    settings = SETTINGS.changed(stop_when=stop_when)
    stop = decide(replace(GOING_ON, figures={"coverage": 0.9}), settings)
    assert (stop is not None) is met
    if stop is not None:
        assert (stop.reason, stop.condition) == (StopReason.CONDITION, settings.stop_when[0])


@given(
    st.dictionaries(st.sampled_from(FIGURES), st.floats(0, 1)),
    st.lists(
        st.builds(
            Condition, st.sampled_from(FIGURES), st.sampled_from(["<", "<=", ">", ">="]), st.floats(0, 1)
        ),
        max_size=4,
    ),
)
def test_a_case_stops_where_one_of_its_conditions_holds_for_what_is_known(
    figures: dict[str, float], wanted: list[Condition]
) -> None:
    settings = SETTINGS.changed(stop_when=[str(one) for one in wanted])
    # As it is written, a number has six digits.
    conditions = [condition(written) for written in settings.stop_when]
    held = [one for one in conditions if one.figure in figures and one.holds(figures[one.figure])]
    stop = decide(replace(GOING_ON, figures=figures), settings)
    assert (stop is not None) == bool(held)
    if stop is not None:
        assert stop.numbers["wanted"] in {one.wanted for one in held}
        assert any(
            stop.numbers.get(one.figure) == pytest.approx(figures[one.figure], abs=1e-4) for one in held
        )


def test_a_figure_stops_nothing_unless_it_is_asked_for() -> None:
    assert decide(replace(GOING_ON, figures=dict.fromkeys(FIGURES, 1.0)), SETTINGS) is None


def test_queries_that_wait_keep_a_case_from_ending_for_too_little_news() -> None:
    little = replace(GOING_ON, admitted=2)
    assert decide(little, SETTINGS) is not None
    assert decide(replace(little, open_queries=1), SETTINGS) is None


def test_a_person_comes_before_every_other_reason() -> None:
    stop = decide(replace(GOING_ON, cancelled=True, admitted=0, round=3, pool_size=500), SETTINGS)
    assert stop is not None
    assert stop.reason is StopReason.PERSON


def test_the_scan_alone_is_not_nothing_new() -> None:
    assert decide(replace(GOING_ON, round=0, admitted=0, pool_size=0), SETTINGS) is None
