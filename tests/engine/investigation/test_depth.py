"""What the depth of a question bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.opening import BOUNDED, limit_to_depth, limit_to_plan
from engine.model import Completeness, Depth, DepthKind
from engine.search_budget import budget_for
from engine.settings import InvestigationSettings, Preset, preset
from tests.engine.investigation.story import case_of, finished

AUTO = preset("auto")
LOOK_UP = "What does Article 7 of the Harbour Act say?"
SURE = Completeness(0.9, 0.8, 1.0)


@given(
    st.sampled_from(DepthKind),
    st.builds(
        InvestigationSettings,
        rounds=st.integers(0, 5),
        pool_size=st.integers(10, 2000),
    ),
)
def test_no_question_goes_deeper_than_the_settings_say(
    kind: DepthKind, settings: InvestigationSettings
) -> None:
    found = limit_to_depth(settings, Depth(kind))
    assert all(getattr(found, name) <= getattr(settings, name) for name in BOUNDED)
    narrow, wide = budget_for(found), budget_for(settings)
    assert narrow.gate >= wide.gate
    assert all(
        getattr(narrow, name) <= getattr(wide, name)
        for name in ("scan", "seeds", "hops", "per_strategy", "per_document", "per_relation")
    )
    assert set(found.strategies) <= set(settings.strategies)
    if kind is DepthKind.DEEP:
        assert found == settings


def test_a_usual_question_goes_as_deep_as_the_balanced_preset() -> None:
    usual, balanced = limit_to_depth(AUTO, Depth(DepthKind.USUAL)), preset(Preset.BALANCED)
    assert usual.model_copy(update={"depth": balanced.depth}) == balanced
    assert limit_to_depth(AUTO, None) is AUTO


def test_a_look_up_is_a_scan_its_provision_and_one_hop(harbour: Corpus) -> None:
    case = finished(harbour, LOOK_UP, AUTO, None)
    assert len(case.rounds) <= 2
    followed = {count.strategy for count in case.rounds[-1].strategies}
    assert followed <= {"citations", "amendments", "scan", "named"}, "only links that texts state"
    assert case.transaction is not None
    assert case.transaction.id is None, "who asks for a provision is about no transaction"
    assert case.ranking[0].passage.id.startswith("harbour-act/art-7")
    whole = finished(harbour, LOOK_UP, preset("balanced"), None)
    assert len(case.ranking) < len(whole.ranking), "no ranks of noise"
    cites = {passage.id for passage in harbour.passages(harbour.rows(["pilot-regulation/section-2"]))}
    shown = {one for found in case.ranking for one in (found.passage.id, *found.assembled_ids)}
    assert cites <= shown, "what cites it is there"


@pytest.mark.parametrize("depth", ["look-up", "usual", "deep"])
def test_a_person_may_say_how_deep(harbour: Corpus, depth: str) -> None:
    case = finished(harbour, f"Who takes a pilot? depth:{depth}", AUTO, None)
    assert case.plan is not None
    assert case.plan.depth == Depth(DepthKind(depth), "the question says so")
    bounds = case.bounds.rounds, case.bounds.pool_size
    assert bounds == {"look-up": (1, 500), "usual": (2, 500), "deep": (2, 1000)}[depth]
    assert case.settings == AUTO, "what was set is kept"


@pytest.mark.parametrize(
    ("question", "kind", "told"),
    [
        ("What does Article 14 of the Agency Code say?", DepthKind.LOOK_UP, None),
        ("When must an objection be lodged?", DepthKind.USUAL, SURE),
    ],
)
def test_a_look_up_says_nothing_of_how_much_is_there(
    meridia: Corpus,
    question: str,
    kind: DepthKind,
    told: Completeness | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Case, "completeness", lambda case: SURE)
    case = finished(meridia, question, AUTO, None)
    assert case.plan is not None
    assert case.plan.depth is not None
    assert case.stop is not None
    assert (case.plan.depth.kind, case.stop.completeness) == (kind, told)


@pytest.mark.parametrize(
    ("question", "whole"),
    [("the Harbour Act", True), ("Harbour Act", True), ("Who takes a pilot under the Harbour Act?", False)],
)
def test_a_law_asked_for_by_name_is_read_whole(bare: Corpus, question: str, whole: bool) -> None:
    plan = case_of(bare, question, AUTO).make_plan()
    assert plan.document_ids
    assert ("whole_document" in limit_to_plan(AUTO, plan, bare).strategies) is whole
