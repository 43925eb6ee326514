"""Queries that were sent, better ones for open areas, and the fallback's judgement of sufficiency."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.investigation.assistance.assistance import COMPLETE, LONGEST, YIELD, SentQueries, by_rule
from engine.investigation.coverage import Coverage
from engine.investigation.facets import Facet
from engine.investigation.pool import Reading
from engine.investigation.stopping import Progress, decide
from engine.model import AreaCoverage, AreaState, Completeness, GapQuery, StopReason
from engine.retrieval.planning import make_plan
from engine.settings import InvestigationSettings
from tests.engine.retrieval.searching import searched

DUES = Facet("dues", "Dues", ("dues?", "arrears?"), True, 2, 0.3)
WRECKS = Facet("wrecks", "Wrecks", ("wrecks?",), False, 1, 0.3)


def opened(corpus: Corpus) -> Coverage:
    found = searched(corpus, make_plan("Who pays dues?", ["en"]))
    coverage = Coverage(found.relevance, [DUES, WRECKS], Reading(corpus))
    coverage.update(np.empty(0, np.int32), [], 0)
    return coverage


def test_queries_differ_by_their_terms() -> None:
    sent = SentQueries(["Is a berth allocated on request?"], "en")
    proposals = [
        "berths, allocated at request",
        "Request: allocate a berth",
        "the",
        "arrears of dues",
        "dues, arrears",
        "x" * (LONGEST + 1),
    ]
    assert sent.fresh(proposals, 5) == ("arrears of dues",)
    sent.add(["arrears of dues"])
    assert sent.fresh(proposals, 5) == ()


@given(st.lists(st.text(max_size=40), max_size=8), st.integers(0, 3))
def test_what_is_fresh_is_short_new_and_not_too_much(proposals: list[str], most: int) -> None:
    sent = SentQueries(["berth"], "en")
    found = sent.fresh(proposals, most)
    assert len(found) <= most
    sent.add(found)
    assert sent.fresh(found, 9) == ()


def test_better_queries_take_the_place_of_an_area_s_own(bare: Corpus) -> None:
    coverage = opened(bare)
    assert [area.id for area in coverage.open_areas()] == ["dues", "wrecks"]
    assert coverage.gap_queries({"dues": ("payment in default", "unpaid dues"), "nobody": ("x",)}) == (
        GapQuery("payment in default", "dues", "Dues"),
        GapQuery("unpaid dues", "dues", "Dues"),
        GapQuery("wrecks?", "wrecks", "Wrecks"),
    )
    assert coverage.areas[0].query == "payment in default; unpaid dues"
    assert [area.id for area in coverage.open_areas()] == ["dues"], "an area is asked for as often as without"
    assert [query.text for query in coverage.gap_queries()] == ["dues?"], (
        "its own first query was not sent yet"
    )
    assert coverage.open_queries == 0
    assert coverage.gap_queries({"dues": ("once more",)}) == ()


def area(state: AreaState, required: bool = True) -> AreaCoverage:
    return AreaCoverage("a", "A", state, required, ("p",) if state is not AreaState.MISSING else (), 1, 0.5)


def estimate(value: float, brought: float) -> Completeness:
    return Completeness(value, value, value, evidence={"yield": brought})


COVERED, WEAK = AreaState.COVERED, AreaState.WEAK
ENOUGH = estimate(COMPLETE, YIELD)


@pytest.mark.parametrize(
    ("areas", "completeness", "sufficient"),
    [
        ([area(COVERED)], ENOUGH, True),
        ([area(COVERED), area(WEAK, required=False)], ENOUGH, True),
        ([area(COVERED, required=False)], ENOUGH, True),
        ([area(COVERED, required=False), area(WEAK, required=False)], ENOUGH, False),
        ([area(COVERED), area(WEAK)], ENOUGH, False),
        ([area(COVERED)], estimate(COMPLETE - 0.01, 0.0), False),
        ([area(COVERED)], estimate(1.0, YIELD + 0.01), False),
        ([area(COVERED)], None, False),
        ([], ENOUGH, False),
    ],
)
def test_the_fallback_asks_for_coverage_completeness_and_little_gain(
    areas: list[AreaCoverage], completeness: Completeness | None, sufficient: bool
) -> None:
    judged = by_rule(areas, completeness)
    assert judged.sufficient is sufficient
    assert bool(judged.numbers) is sufficient
    assert judged.missing == ()


def progress(**changes: object) -> Progress:
    values: dict[str, object] = {
        "round": 2,
        "admitted": 0,
        "pool_size": 50,
        "pool_limit": 100,
        "seconds": 0.0,
        "calls": 0,
        "cancelled": False,
        "completeness": lambda: None,
    }
    return Progress(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, StopReason.SUFFICIENCY),
        ({"cancelled": True}, StopReason.PERSON),
        ({"pool_size": 100}, StopReason.POOL_FULL),
        ({"round": 5}, StopReason.SUFFICIENCY),
    ],
)
def test_sufficiency_comes_after_what_was_demanded_and_before_the_end(
    changes: dict[str, object], reason: StopReason
) -> None:
    stop = decide(progress(sufficient={"evidence": 3.0}, **changes), InvestigationSettings(rounds=5))
    assert stop is not None
    assert stop.reason is reason
    if reason is StopReason.SUFFICIENCY:
        assert stop.numbers["evidence"] == 3.0
