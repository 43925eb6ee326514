"""Conditions on the figures of a case: read as people write them, kept in one way."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.figures import FIGURES, Condition, condition
from engine.model import Metrics

COMPARISONS = ("<", "<=", ">", ">=")


@given(st.sampled_from(FIGURES), st.sampled_from(COMPARISONS), st.floats(0, 100))
def test_per_cent_are_hundredths(figure: str, comparison: str, share: float) -> None:
    written = f"{figure} {comparison} {share:.3f} %"
    found = condition(written)
    assert found.wanted == pytest.approx(float(f"{share:.3f}") / 100, abs=1e-6)
    assert condition(str(found)) == found


@pytest.mark.parametrize(
    ("comparison", "below", "equal", "above"),
    [
        (">=", False, True, True),
        (">", False, False, True),
    ],
)
def test_it_holds_on_its_own_side(comparison: str, below: bool, equal: bool, above: bool) -> None:
    found = Condition("coverage", comparison, 0.5)
    assert [found.holds(value) for value in (0.25, 0.5, 0.75)] == [below, equal, above]


def test_the_figures_are_those_of_a_case_and_its_completeness() -> None:
    assert set(FIGURES) == {field.name for field in fields(Metrics)} | {"completeness"}
