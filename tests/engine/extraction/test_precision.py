from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from engine.corpus.extracted import Judgement, Proposal, Validation
from engine.extraction.checklist import Precision, by_sort, calibration, precision, wilson
from engine.model import Relation


@given(st.integers(1, 500), st.data())
def test_the_interval_is_wilsons(count: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, count))
    low, high = wilson(right, count)
    reference = binomtest(right, count).proportion_ci(0.95, "wilson")
    assert math.isclose(low, reference.low, abs_tol=1e-9)
    assert math.isclose(high, reference.high, abs_tol=1e-9)
    assert 0 <= low <= right / count <= high <= 1


@pytest.mark.parametrize(("right", "count"), [(0, 0), (2, 1), (-1, 3)])
def test_what_is_no_share(right: int, count: int) -> None:
    with pytest.raises(ValueError, match="not a share"):
        wilson(right, count)


def verdict(
    judgement: Judgement, confidence: float, *, origin: str = "model", concept: str = ""
) -> Validation:
    said = Proposal(
        source_id="p",
        quote="words",
        relation=Relation.DEFINES,
        target_id=None if concept else "q",
        concept=concept,
        confidence=confidence,
    )
    correction = said if judgement is Judgement.CORRECTED else None
    return Validation.model_validate(
        {"proposal": said, "origin": origin, "judgement": judgement, "correction": correction}
    )


VERDICTS = [
    verdict(Judgement.ACCEPTED, 0.95),
    verdict(Judgement.ACCEPTED, 1.0),
    verdict(Judgement.REJECTED, 0.9),
    verdict(Judgement.CORRECTED, 0.5),
    verdict(Judgement.ACCEPTED, 1.0, origin="grammar", concept="agent"),
]


def test_right_is_what_was_accepted_as_it_was() -> None:
    assert precision(VERDICTS) == Precision(3, 1, 1)
    assert precision(VERDICTS).share == 0.6
    assert (Precision().share, Precision().interval) == (None, None)


def test_a_figure_for_each_origin_and_sort() -> None:
    assert dict(by_sort(VERDICTS)) == {
        ("grammar", "concept defines"): Precision(1),
        ("model", "defines"): Precision(2, 1, 1),
    }


def test_what_a_models_confidence_was_worth() -> None:
    low, high = calibration(VERDICTS)
    assert (low.low, low.high, low.confidence, low.precision) == (0.5, 0.6, 0.5, Precision(0, 1, 0))
    assert (high.low, high.high, high.precision) == (0.9, 1.0, Precision(2, 0, 1))
    assert high.confidence == pytest.approx(0.95)
    assert calibration([VERDICTS[-1]]) == []
