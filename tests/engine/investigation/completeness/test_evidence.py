"""Evidence of completeness: by hand, by its properties, and of cases that were run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.investigation.case import Case
from engine.investigation.completeness import (
    BEST,
    HEAD,
    MOST_WAYS,
    SIGNS,
    WHOLE,
    Evidence,
    capture,
    evidence_of,
    find_completeness,
    last_yield,
    shape,
    shipped_model,
)
from engine.investigation.pool import Pool, Reading
from engine.model import AreaState, EvidenceStatus
from engine.search_budget import budget_for
from engine.settings import InvestigationSettings

QUESTION = "What fee is paid for a pilot?"
FINDERS = st.lists(st.integers(0, 8), min_size=1, max_size=BEST)
RELEVANCE = st.lists(st.floats(0, 1.25, width=32), min_size=1, max_size=150).map(
    lambda scores: np.array(sorted(scores, reverse=True), np.float32)
)


def finished(
    corpus: Corpus, settings: InvestigationSettings, question: str = QUESTION, scan: int | None = None
) -> Case:
    search_budget = None if scan is None else replace(budget_for(settings), scan=scan)
    case = Case(corpus, question, settings, search_budget=search_budget)
    list(case.run())
    return case


def evidence(case: Case) -> Evidence:
    assert case.scanned is not None
    found = evidence_of(case.scanned, case.pool, case.rounds[-1].number, Reading(case.corpus))
    assert found is not None
    return found


def test_capture_by_hand() -> None:
    # Two of three found once, six finds: one in three of the next finds would be news.
    assert capture([1, 1, 4]) == {"witnessed": pytest.approx(2 / 3), "ways": pytest.approx(6 / 3 / MOST_WAYS)}
    assert capture([0]) == {"witnessed": 0.0, "ways": 0.0}


@given(FINDERS, st.data())
def test_more_independent_finders_never_lower_the_estimate(finders: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(finders) - 1))
    if finders[place] == 0:
        return  # a first find of a passage brings news: it may well mean that more is out there
    more = [*finders[:place], finders[place] + 1, *finders[place + 1 :]]
    before, after = capture(finders), capture(more)
    assert all(after[name] >= before[name] - 1e-12 for name in before)
    assert shipped_model().estimate(after) >= shipped_model().estimate(before) - 1e-12


@given(RELEVANCE)
def test_the_shape_of_the_relevance_is_in_its_bounds(relevance: np.ndarray) -> None:
    found = shape(relevance)
    assert all(-1e-6 <= value <= 1 for value in found.values())


def test_equal_relevance_has_no_peak_and_no_border() -> None:
    assert shape(np.ones(BEST, np.float32)) == {"peak": pytest.approx(0.0), "border": pytest.approx(0.0)}
    few = shape(np.ones(HEAD // 2, np.float32))
    assert few == {"peak": 0.0, "border": 0.0}
    steep = shape(np.array([1.0] * HEAD + [0.0] * BEST, np.float32))
    assert steep == {"peak": pytest.approx(1 - HEAD / BEST), "border": 1.0}


def test_the_yield_of_the_last_round() -> None:
    relevance, rounds = np.array([1.0, 0.5, 0.2], np.float32), np.array([0, 1, 2], np.int32)
    assert last_yield(relevance, rounds, 0) == 1.0
    assert last_yield(relevance, rounds, 1) == pytest.approx(0.5)
    assert last_yield(relevance, rounds, 2) == pytest.approx(0.2)
    assert last_yield(relevance, rounds, 3) == 0.0
    assert last_yield(np.zeros(3, np.float32), rounds, 1) == 0.0


def test_evidence_of_a_case(tariff: Corpus, dense: Corpus) -> None:
    one = InvestigationSettings(rounds=1)
    words = evidence(finished(tariff, one, "Which tariff applies?", 10))
    both = evidence(finished(dense, one, scan=10))
    assert "agreement" not in words.values
    assert (words.values["single"], both.values["single"]) == (1.0, 0.0)
    assert "agreement" in both.values
    for found in (words, both):
        assert found.values.keys() <= SIGNS.keys()
        assert all(0 <= value <= 1 for value in found.values.values())


def test_an_empty_pool_has_no_estimate(dense: Corpus) -> None:
    case = finished(dense, InvestigationSettings())
    assert case.scanned is not None
    assert find_completeness(case.scanned, Pool(5), (), 0, Reading(dense)) is None


def test_nothing_is_outside_a_pool_that_holds_the_corpus(dense: Corpus) -> None:
    case = finished(dense, InvestigationSettings())
    assert case.scanned is not None
    pool = Pool(len(dense))
    for hop in case.pool.hops():
        if hop.target_id not in pool and hop.source_id is None:
            pool.admit(hop, int(dense.rows([hop.target_id])[0]), 0.5)
    found = find_completeness(case.scanned, pool, (), 0, Reading(dense))
    assert found is not None
    assert (found.method == WHOLE) == (len(pool) == len(dense))
    assert (found.estimate == 1.0) == (len(pool) == len(dense))


def test_without_vectors_it_is_not_known(tariff: Corpus, bare: Corpus) -> None:
    usual, one = InvestigationSettings(), InvestigationSettings(rounds=1)
    assert finished(tariff, usual, "Which tariff applies?", 20).completeness() is None
    assert finished(bare, one, scan=10).completeness() is None


def test_what_was_found_in_part_or_not_has_no_estimate(dense: Corpus) -> None:
    scanned = InvestigationSettings(rounds=0)
    assert finished(dense, scanned, scan=10).completeness() is not None
    case = finished(dense, scanned, "What fee is paid for a zeppelin on Mars?", 10)
    assert case.stop is not None
    assert case.evidence.status is not EvidenceStatus.FOUND
    assert case.stop.completeness is None


def test_the_estimate_is_never_above_the_share_of_required_areas_with_evidence(dense: Corpus) -> None:
    asked = InvestigationSettings(rounds=0, transaction_type="wreck-removal")
    case = finished(dense, asked, scan=10)
    found = case.completeness()
    required = [area for area in case.areas if area.required]
    there = sum(area.state is not AreaState.MISSING for area in required)
    assert there < len(required)
    assert found is not None
    assert found.low <= found.estimate <= there / len(required)
