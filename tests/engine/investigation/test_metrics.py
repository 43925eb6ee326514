"""Figures of a case, each against what it says that it counts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.filters import Filters
from engine.investigation.view import BEST, TOP, coherence, coverage_score, references_held, referred_passages
from engine.model import AreaCoverage, AreaState, Direction, TargetKind
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import SETTINGS, finished


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


def test_similarity_is_the_mean_cosine_to_the_question(dense: Corpus, bare: Corpus) -> None:
    case = finished(dense, QUESTION)
    assert case.scanned is not None
    vectors = case.scanned.relevance.vectors
    assert vectors is not None
    rows = dense.rows([found.passage.id for found in case.ranking])
    cosines = [sum(a * b for a, b in zip(vectors[0], one, strict=True)) for one in dense.vectors(rows)]
    for value, count in ((case.metrics.similarity, BEST), (case.metrics.similarity_top, TOP)):
        assert value == pytest.approx(np.mean(cosines[:count]), abs=1e-5)
    assert finished(bare, QUESTION).metrics.similarity is None, "without vectors there is no cosine"


def test_references_count_passages_and_name_those_outside(bare: Corpus) -> None:
    case = finished(bare, QUESTION)
    shown = {passage for found in case.ranking for passage in (found.passage.id, *found.assembled_ids)}
    pool = {entry.passage_id for entry in case.pool.entries()}
    documents = {passage.document_id for passage in bare.passages(case.pool.rows())}
    mask = Filters(bare, SETTINGS, case.day).mask
    assert mask is not None
    referred, outside = set(), set()
    for passage in shown:
        links = bare.neighbours(bare.rows([passage]), None, Direction.OUT)
        references = bare.references(links.evidence.tolist())
        for row, reference in zip(links.rows.tolist(), references, strict=True):
            if not mask[row]:
                continue
            (target,) = bare.passages(np.array([row], np.int32))
            whole = reference.target_kind is TargetKind.DOCUMENT
            referred.add(target.id)
            if target.id not in pool and not (whole and target.document_id in documents):
                outside.add(target.id)
    assert referred
    assert case.metrics.references == pytest.approx(1 - len(outside) / len(referred))
    assert set(case.metrics.outside) == outside


def test_references_outside_the_filters_do_not_count(bare: Corpus) -> None:
    rows, pool = bare.rows(["pilot-regulation/section-2"]), np.empty(0, np.int32)
    count, outside = referred_passages(bare, rows, pool)
    assert count == len(outside) > 0
    mask = np.ones(len(bare), np.bool_)
    mask[outside] = False
    assert referred_passages(bare, rows, pool, mask)[0] == 0


def test_efficiency_is_the_share_of_proposals_that_the_last_round_admitted(bare: Corpus) -> None:
    case = finished(bare, QUESTION)
    last = case.rounds[-1]
    assert last.number > 0
    proposed = sum(count.proposed for count in last.strategies)
    assert case.metrics.efficiency == pytest.approx(last.admitted / proposed)


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
