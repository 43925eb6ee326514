"""Conditions on the figures of a case: read as people write them, kept in one way."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.figures import FIGURES, Condition, condition
from engine.model import Metrics

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


@given(st.sampled_from(FIGURES), st.sampled_from(COMPARISONS), st.floats(0, 100))
def test_per_cent_are_hundredths(figure: str, comparison: str, share: float) -> None:
    written = f"{figure} {comparison} {share:.3f} %"
    found = condition(written)
    assert found.wanted == pytest.approx(float(f"{share:.3f}") / 100, abs=1e-6)
    assert condition(str(found)) == found


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("coverage>=.9", "coverage >= 0.9"),
        (" similarity_top  >90% ", "similarity_top > 0.9"),
        ("efficiency < 0.00001", "efficiency < 0.00001"),
        ("coherence <= 1", "coherence <= 1"),
        ("references >= 0", "references >= 0"),
        ("completeness>=33.3%", "completeness >= 0.333"),
    ],
)
def test_each_is_kept_in_one_way(written: str, kept: str) -> None:
    assert str(condition(written)) == kept


@pytest.mark.parametrize(
    ("comparison", "below", "equal", "above"),
    [
        (">=", False, True, True),
        (">", False, False, True),
        ("<=", True, True, False),
        ("<", True, False, False),
    ],
)
def test_it_holds_on_its_own_side(comparison: str, below: bool, equal: bool, above: bool) -> None:
    found = Condition("coverage", comparison, 0.5)
    assert [found.holds(value) for value in (0.25, 0.5, 0.75)] == [below, equal, above]


@pytest.mark.parametrize(
    "written",
    ["", "coverage", "coverage 0.9", "coverage = 0.9", "coverage >= ", "coverage >= -0.1", ">= 0.9",
     "coverage >= 0,9", "coverage >= 0.9 and more", "coverage >= 0.9; rm", "coverage => 0.9"],
)  # fmt: skip
def test_what_is_no_condition_is_told_with_how_to_write_one(written: str) -> None:
    with pytest.raises(ValueError, match=r"is no condition: write it as coverage >= 0\.9") as refused:
        condition(written)
    assert repr(written) in str(refused.value)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=20))
def test_a_figure_that_nobody_knows_is_named_with_those_that_are_known(name: str) -> None:
    assume(name not in FIGURES)
    with pytest.raises(
        ValueError, match="is no figure of a case; known figures: coverage, similarity"
    ) as told:
        condition(f"{name} > 0.5")
    assert repr(name) in str(told.value)


@pytest.mark.parametrize("number", ["1.01", "2", "101 %", "90"])
def test_a_share_above_all_is_refused(number: str) -> None:
    with pytest.raises(ValueError, match="a figure is between 0 and 1"):
        condition(f"coverage >= {number}")


def test_the_figures_are_those_of_a_case_and_its_completeness() -> None:
    assert set(FIGURES) == {field.name for field in fields(Metrics)} | {"completeness"}
