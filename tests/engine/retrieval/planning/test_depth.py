"""How deep a question goes."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.model import DepthKind, QueryPlan
from engine.records.plain import plan_from_json, plan_to_json
from engine.retrieval.planning import make_plan
from engine.settings import InvestigationSettings, preset


def planned(corpus: Corpus, question: str, settings: InvestigationSettings) -> QueryPlan:
    return make_plan(question, ["en"], settings, corpus=corpus)


@pytest.mark.parametrize(
    ("question", "kind", "reason"),
    [
        ("What does Article 7 of the Harbour Act say?", DepthKind.LOOK_UP, "it asks for Article 7"),
        ("Who takes a pilot?", DepthKind.USUAL, "it asks for one thing"),
        (
            "When may a berth be refused, and how long does an objection suspend the refusal?",
            DepthKind.DEEP,
            "it has 2 parts",
        ),
        ("What is the difference between dues and arrears?", DepthKind.DEEP, "it "),
    ],
)
def test_the_question_says_how_deep_it_goes_and_why(
    bare: Corpus, question: str, kind: DepthKind, reason: str
) -> None:
    depth = planned(bare, question, preset("auto")).depth
    assert depth is not None
    assert depth.kind is kind
    assert depth.reason.startswith(reason)


def test_a_sign_in_the_question_comes_before_the_settings(bare: Corpus) -> None:
    plan = planned(bare, "What does Article 7 of the Harbour Act say? depth:deep", preset("balanced"))
    assert plan.depth is not None
    assert plan.depth.kind is DepthKind.DEEP
    assert "depth" not in plan.views[0].text
    assert plan_from_json(plan_to_json(plan)) == plan
    with pytest.raises(InputError, match="depth:bottomless: no depth; write look-up, usual, deep"):
        planned(bare, "Who takes a pilot? depth:bottomless", preset("auto"))
