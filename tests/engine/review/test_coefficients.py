"""Coefficients against published figures and against other programs, and what follows from their definitions.

Figures "irrCAC" are those of the Python package irrCAC 0.4.4 over the same tables, in an environment of its
own: it needs SciPy 1.12 and pandas 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from engine.review.agreement import Counts, Floats, krippendorff_alpha, observed_agreement

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: four observers, twelve units, 0 for none.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
).T
# https://en.wikipedia.org/wiki/Fleiss%27_kappa, worked example: fourteen raters, ten items, kappa .210.
FOURTEEN_RATERS = np.array(
    [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]
)  # fmt: skip


def counted(ratings: NDArray[np.int64], categories: int) -> Counts:
    """How many gave an item each category; ratings count from 1, 0 is none."""
    found: Counts = (ratings[:, :, None] == np.arange(1, categories + 1)).sum(axis=1)
    return found


def once(counts: Sequence[object] | Counts) -> Floats:
    return np.ones((1, len(counts)))


def test_alpha_of_the_published_example() -> None:
    counts = counted(FOUR_OBSERVERS, 5)
    assert krippendorff_alpha(counts, once(counts))[0] == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(counts, once(counts), ordinal=True)[0] == pytest.approx(0.815, abs=5e-4)


def test_alpha_as_irrcac() -> None:
    assert krippendorff_alpha(FOURTEEN_RATERS, once(FOURTEEN_RATERS))[0] == pytest.approx(0.21557406)


def alpha_by_pairs(counts: Counts, *, ordinal: bool) -> float:
    """Alpha as Krippendorff (2011) defines it, pair by pair: within units against all pairs there are."""
    units = [np.repeat(np.arange(len(unit)), unit).tolist() for unit in counts if unit.sum() > 1]
    values = [value for unit in units for value in unit]

    def distance(first: int, second: int) -> float:
        if not ordinal:
            return float(first != second)
        low, high = sorted((first, second))
        between = sum(low <= value <= high for value in values)
        return (between - (values.count(low) + values.count(high)) / 2) ** 2

    observed = sum(
        distance(*pair) / (len(unit) - 1) for unit in units for pair in permutations(unit, 2)
    ) / len(values)
    expected = sum(distance(*pair) for pair in permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1 - observed / expected


RATINGS = arrays(np.int64, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.integers(0, 4))


@given(RATINGS, st.sampled_from(["nominal", "ordinal"]))
def test_alpha_is_what_its_definition_says(ratings: NDArray[np.int64], level: str) -> None:
    counts = counted(ratings, 4)
    value = krippendorff_alpha(counts, once(counts), ordinal=level == "ordinal")[0]
    shared = counts[counts.sum(axis=1) > 1]
    if (shared.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(value)
        return
    assert value == pytest.approx(alpha_by_pairs(counts, ordinal=level == "ordinal"))


@given(RATINGS)
def test_a_weight_is_so_many_copies(ratings: NDArray[np.int64]) -> None:
    counts = counted(ratings, 4)
    sizes = np.arange(len(counts)) % 3
    copies = np.repeat(counts, sizes, axis=0)
    for coefficient in (krippendorff_alpha, observed_agreement):
        weighted = coefficient(counts, sizes[None, :].astype(np.float64))
        assert weighted == pytest.approx(coefficient(copies, once(copies)), nan_ok=True)


def test_where_all_say_the_same_alpha_is_not_defined() -> None:
    counts = np.array([[3, 0, 0]] * 4)
    assert np.isnan(krippendorff_alpha(counts, once(counts))[0])


def test_the_share_stays_where_alpha_falls() -> None:
    """The paradox of kappa (Feinstein and Cicchetti 1990, Journal of Clinical Epidemiology 43)."""
    counts = np.array([[2, 0]] * 90 + [[1, 1]] * 10)
    assert observed_agreement(counts, once(counts))[0] == pytest.approx(0.9)
    assert krippendorff_alpha(counts, once(counts))[0] < 0
