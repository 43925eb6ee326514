"""Which views a strategy uses."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.retrieval.planning import KINDS, make_plan
from engine.retrieval.planning.assisted import STRATEGIES
from engine.settings import InvestigationSettings

COMPARISON = "What is the difference between a berth and a quay, and can my boss fire the harbour master?"


def kinds(corpus: Corpus, *, offered: bool = False, **changes: object) -> list[tuple[str, bool]]:
    settings = InvestigationSettings().changed(**changes)
    plan = make_plan(COMPARISON, ["en"], settings, corpus=corpus, offered=offered)
    return [(view.name, view.enabled) for view in plan.views]


def test_every_strategy_knows_every_kind() -> None:
    assert all(tuple(uses) == KINDS for uses in STRATEGIES.values())


def test_precision_is_the_question_alone_and_recall_takes_all(harbour: Corpus) -> None:
    assert kinds(harbour, query_strategy="precision") == [("literal", True)]
    few = {name for name, _ in kinds(harbour)}
    many = {name for name, _ in kinds(harbour, query_strategy="recall")}
    assert few == {"literal", "part", "side", "register"}
    assert few | {"feedback"} <= many
