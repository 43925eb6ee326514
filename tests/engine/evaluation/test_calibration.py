"""Estimates against what was held."""

from __future__ import annotations

import pytest

from engine.evaluation.metrics import calibration, reliability
from tests.engine.evaluation.values import result

RESULTS = [
    result("q1", [1, 2], said=0.97),
    result("q2", [1, None], said=0.92),
    result("q3", [None, None], said=0.4),
    result("q4", [1], said=None),
]


def test_the_figures() -> None:
    found = calibration(RESULTS)
    assert found["estimate"] == pytest.approx((0.97 + 0.92 + 0.4) / 3, abs=1e-4)
    assert (found["said_90"], found["held_when_90"]) == (2, 0.75)
    assert (found["said_under_60"], found["held_under_60"]) == (1, 0.0)
    # Stated as [.87, 1], [.82, .97], [.3, .45].
    assert found["in_interval"] == pytest.approx(1 / 3, abs=1e-4)
    # The first two share a bin: said .945, held .75.
    assert found["error"] == pytest.approx((2 * 0.195 + 0.4) / 3, abs=1e-4)
    assert found["correlation"] > 0.8


def test_bins_hold_their_lower_edge_and_the_last_one_both() -> None:
    bins = reliability([result("q", [1], said=0.5), result("r", [1], said=1.0)], (0.0, 0.5, 1.0))
    assert [(found.low, found.questions, found.estimate, found.recall) for found in bins] == [
        (0.5, 2, 0.75, 1.0)
    ]


def test_what_nobody_said_is_not_counted() -> None:
    assert calibration([RESULTS[3]]) == {}
    assert reliability([]) == ()
    assert "held_under_60" not in calibration(RESULTS[:2])
