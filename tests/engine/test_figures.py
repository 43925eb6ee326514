"""Conditions on the figures of a case: read as people write them, kept in one way."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Metrics
from engine.settings import FIGURES, Condition, condition

COMPARISONS = ("<", "<=", ">", ">=")
SPACES = st.text(alphabet=" \t", max_size=3)


@given(st.sampled_from(FIGURES), st.sampled_from(COMPARISONS), st.integers(0, 10**6), st.data())
def test_what_is_written_is_read_and_written_again(
    figure: str, comparison: str, millionths: int, data: st.DataObject
) -> None:
    number = f"{millionths / 10**6:.6f}"
    parts = [figure, comparison, number]
    written = "".join(f"{data.draw(SPACES)}{part}" for part in parts) + data.draw(SPACES)
    found = condition(written)
    assert (found.figure, found.comparison) == (figure, comparison)
    assert found.wanted == pytest.approx(millionths / 10**6, abs=1e-12)
    assert condition(str(found)) == found


@pytest.mark.parametrize(
    ("comparison", "below", "equal", "above"), [(">=", False, True, True), (">", False, False, True)]
)
def test_it_holds_on_its_own_side(comparison: str, below: bool, equal: bool, above: bool) -> None:
    found = Condition("coverage", comparison, 0.5)
    assert [found.holds(value) for value in (0.25, 0.5, 0.75)] == [below, equal, above]


def test_the_figures_are_those_of_a_case_and_its_completeness() -> None:
    assert set(FIGURES) == {field.name for field in fields(Metrics)} - {"outside"} | {"completeness"}
