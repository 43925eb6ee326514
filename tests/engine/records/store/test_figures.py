"""Figures over kept cases: they say what the records say, of one's own cases alone."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from engine.records.store import EVERYBODY
from engine.records.store.lists import Statements, TaskCost, Tenth
from engine.records.store.store import CaseStore
from tests.engine.records.store.test_store import kept

USED = {
    "calls": 2,
    "prompt_tokens": 900,
    "cached_tokens": 100,
    "completion_tokens": 50,
    "milliseconds": 1200.0,
    "money": 0.25,
}


def with_coverage(record: dict[str, Any], score: float | None) -> dict[str, Any]:
    return {**record, "metrics": {**record["metrics"], "coverage": score}}


def test_what_cases_can_be_chosen_by(store: CaseStore, record: dict[str, Any]) -> None:
    first = kept(store, record)
    kept(store, {**record, "corpus": "قانون الوكالة"})
    other = kept(store, {**record, "corpus": "Ben's"}, matter=store.matter(owner="ben"))
    store.judge(first, "useful", who="Ann")
    store.judge(other, "secret", who="Ben", owner="ben")
    mine = store.figures().choices()
    assert mine.corpora == tuple(sorted([record["corpus"], "قانون الوكالة"]))
    assert mine.verdicts == ("useful",)
    assert store.figures(owner="ben").choices().corpora == ("Ben's",)
    assert store.figures(owner="nobody").choices().corpora == ()
    assert store.figures(owner=EVERYBODY).choices().verdicts == ("secret", "useful")


def test_threads_yield_what_the_records_say(store: CaseStore, record: dict[str, Any]) -> None:
    for _ in range(2):
        kept(store, record)
    kept(store, record, matter=store.matter(owner="ben"))
    ranked = {passage["id"] for passage in record["passages"]}
    first, pool = Counter[str](), Counter[str]()
    for node in record["pool"]["nodes"]:
        pool[node["strategy"]] += 1
        first[node["strategy"]] += node["id"] in ranked
    led = {(edge["strategy"], edge["target"]) for edge in record["pool"]["edges"] if edge["target"] in ranked}
    reached = Counter(strategy for strategy, _ in led)
    found = store.figures().yields()
    assert found.cases == 2
    assert {one.strategy for one in found.threads} == {*pool, *reached}
    for one in found.threads:
        told = one.pool, one.ranked, one.reached
        assert told == (pool[one.strategy], first[one.strategy], reached[one.strategy]), one.strategy
    assert sum(one.ranked for one in found.threads) == len(ranked)
    # Of the newest one alone it is the same: they are alike.
    assert store.figures().yields(newest=1) == type(found)(1, found.threads)
    assert store.figures(owner="nobody").yields().threads == ()


def test_costs_are_summed_by_task_and_one_unknown_price_makes_the_sum_unknown(
    store: CaseStore, record: dict[str, Any]
) -> None:
    assert store.figures().costs() == ()
    kept(store, {**record, "usage": {"plan": USED, "judge": {**USED, "prompt_tokens": 10}}})
    kept(store, {**record, "usage": {"plan": USED, "judge": {**USED, "money": None}}})
    plan, judge = store.figures().costs()
    assert plan == TaskCost("plan", 2, 4, 1800, 200, 100, 2400.0, 0.5)
    assert (judge.task, judge.prompt_tokens, judge.money) == ("judge", 910, None)
    assert store.figures(owner="nobody").costs() == ()


@pytest.mark.parametrize(
    ("score", "tenth"), [(0.0, 0), (0.0999, 0), (0.1, 1), (0.65, 6), (0.95, 9), (1.0, 9)]
)
def test_coverage_falls_into_tenths(
    store: CaseStore, record: dict[str, Any], score: float, tenth: int
) -> None:
    kept(store, with_coverage(record, score))
    kept(store, with_coverage(record, None))
    assert store.figures().coverage_by_verdict() == (Tenth(None, tenth, 1),)


def test_statements_on_the_evidence_are_counted_by_what_people_say(
    store: CaseStore, record: dict[str, Any]
) -> None:
    nothing = deepcopy(record)
    nothing["evidence"]["status"] = "none"
    found = [kept(store, record) for _ in range(3)]
    wrong = kept(store, nothing)
    store.judge(found[0], "useful", who="Ann", right=True)
    store.judge(found[1], "useful", who="Ann", right=False)
    store.judge(wrong, None, who="Ann", right=False)
    status = record["evidence"]["status"]
    assert store.figures().statements() == (Statements(status, 1, 1, 1), Statements("none", 0, 1, 0))


def test_figures_are_those_of_one_matter(store: CaseStore, record: dict[str, Any]) -> None:
    harbour, taxes = store.matter("Harbour"), store.matter("Taxes")
    kept(store, with_coverage(record, 0.25), matter=harbour)
    kept(store, with_coverage(record, 0.75), matter=taxes)
    kept(store, record, matter=store.matter("Harbour", owner="ben"))
    assert store.figures(harbour).coverage_by_verdict() == (Tenth(None, 2, 1),)
    assert {row["matter"]: row["cases"] for row in store.by_matter()} == {harbour.id: 1, taxes.id: 1}
    assert {row["matter"]: row["coverage_score"] for row in store.by_matter()}[taxes.id] == pytest.approx(
        0.75
    )
    # Not by the matter of another.
    assert store.figures(harbour, "ben").yields().cases == 0
    assert store.low_coverage(matter=harbour, limit=5)[0].coverage_score == pytest.approx(0.25)
    assert len(store.low_coverage(2.0, limit=1)) == 1
