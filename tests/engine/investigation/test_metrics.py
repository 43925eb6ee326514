"""Figures of a case, each against what it says that it counts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.view import coherence, coverage_score, references_held
from engine.model import AreaCoverage, AreaState, Direction
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import finished


def area(state: AreaState, required: bool = True) -> AreaCoverage:
    return AreaCoverage("a", "A", state, required, (), 1, 0.5)


@pytest.mark.parametrize(
    ("areas", "expected"),
    [
        ([], None),
        ([area(AreaState.COVERED), area(AreaState.MISSING)], 0.5),
        ([area(AreaState.WEAK)], 0.5),
        ([area(AreaState.COVERED), area(AreaState.MISSING, required=False)], 1.0),
        ([area(AreaState.MISSING, required=False), area(AreaState.COVERED, required=False)], 1.0),
        ([area(AreaState.WEAK, required=False), area(AreaState.COVERED, required=False)], 0.75),
    ],
)
def test_the_share_of_required_areas_that_is_covered(
    areas: list[AreaCoverage], expected: float | None
) -> None:
    assert coverage_score(areas) == expected


def test_references_are_held_where_the_pool_has_a_target(bare: Corpus) -> None:
    rows = bare.rows(["pilot-regulation/section-2"])
    targets = bare.neighbours(rows, None, Direction.OUT).rows
    assert len(targets)
    assert references_held(bare, rows, rows) == 0.0
    assert references_held(bare, rows, targets[:1]) == 1.0
    assert references_held(bare, rows[:0], rows) is None


def test_nothing_found_measures_nothing(bare: Corpus) -> None:
    found = finished(bare, NOTHING).metrics
    assert (found.coverage, found.similarity, found.references, found.coherence) == (0.0, None, None, None)


def test_coherence_is_the_cosine_of_what_was_put_together(dense: Corpus, bare: Corpus) -> None:
    case = finished(dense, QUESTION)
    joined = [found.assembled_ids for found in case.ranking if len(found.assembled_ids) > 1]
    assert joined
    cosines = []
    for ids in joined:
        vectors = dense.vectors(dense.rows(list(ids)))
        cosines += [float(a @ b) for a, b in pairwise(vectors)]
    assert coherence(dense, case.ranking) == pytest.approx(np.mean(cosines), abs=1e-4)
    assert coherence(bare, finished(bare, QUESTION).ranking) is None, "without vectors nothing says it"
