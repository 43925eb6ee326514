"""One turn: what strategies propose, what becomes of it, and which trails are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.gate import Gate
from engine.investigation.pool import Pool
from engine.investigation.round import FIRST_ROUND, budget_shares, lead_scores, run_strategies, scan_hops
from engine.investigation.strategies.base import Context, Evidence, Seeds, strategy
from engine.investigation.strategies.citations import Citations
from engine.investigation.strategies.contract import context_of, seeds_of
from engine.investigation.trails import Leads, make_leads
from engine.model import Direction, Hop, Relation, RetrieverHit, RoundReport, StrategyCount
from engine.retrieval.scan import Scan
from engine.search_budget import SearchBudget, budget_for
from engine.settings import InvestigationSettings

BREADTH = replace(budget_for(InvestigationSettings()), gate=0.0)


@dataclass
class Pointing(Citations):
    """A strategy that points from its first seed at chosen rows."""

    rows: Sequence[int]
    name: str = "citations"
    strength: float = 1.0
    title: str = "Pointing"

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        rows = np.array(self.rows, np.int32)
        sources = np.full(len(rows), seeds.rows[0], np.int32)
        return make_leads(rows, sources, np.full(len(rows), self.strength, np.float32), Relation.CITES)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        return [Evidence(detail=f"row {row}") for row in leads.rows.tolist()]


def pool_of(corpus: Corpus, *rows: int) -> Pool:
    pool = Pool(100)
    for row, passage in zip(rows, corpus.passages(np.array(rows, np.int32)), strict=True):
        pool.admit(Hop(passage.id, None, "scan", Relation.MATCHES, Direction.OUT, 0, 0.5), row, 0.5)
    return pool


def turn(
    corpus: Corpus,
    strategies: Sequence[Pointing],
    search_budget: SearchBudget = BREADTH,
    *,
    cancelled: bool = False,
) -> tuple[Pool, tuple[StrategyCount, ...], list[Hop]]:
    pool = pool_of(corpus, 0)
    gate = Gate(search_budget, room=100, known={0}, dismissed=set())
    counts, hops = run_strategies(
        strategies, seeds_of(0), context_of(corpus), pool, gate, 1, lambda: cancelled
    )
    return pool, counts, list(hops)


def test_what_is_admitted_is_reported_and_kept(bare: Corpus) -> None:
    pool, (count,), hops = turn(bare, [Pointing([3, 5])])
    assert (count.proposed, count.admitted, dict(count.refused)) == (2, 2, {})
    assert {hop.target_id for hop in hops} == {p.id for p in bare.passages(np.array([3, 5], np.int32))}
    assert {(hop.strategy, hop.round, hop.relation, hop.detail) for hop in hops} == {
        ("citations", 1, Relation.CITES, "row 3"),
        ("citations", 1, Relation.CITES, "row 5"),
    }
    assert len(pool) == 3


def test_a_second_strategy_adds_its_trail_to_what_the_first_brought(bare: Corpus) -> None:
    pool, counts, hops = turn(bare, [Pointing([3]), Pointing([3], name="entities")])
    assert [count.admitted for count in counts] == [1, 0]
    assert len(hops) == 1
    assert [hop.strategy for hop in pool.hops_to(hops[0].target_id)] == ["citations", "entities"]


def test_a_refused_lead_explains_what_another_thread_brought_later(bare: Corpus) -> None:
    one = replace(BREADTH, per_strategy=1)
    pool, counts, _ = turn(bare, [Pointing([3, 5]), Pointing([3, 5], name="gaps")], one)
    assert [dict(count.refused) for count in counts] == [{"strategy budget": 1}, {}]
    for row in (3, 5):
        (passage,) = bare.passages(np.array([row], np.int32))
        assert {hop.strategy for hop in pool.hops_to(passage.id)} == {"citations", "gaps"}


def test_a_passage_is_no_lead_to_itself_and_the_strongest_of_equals_stays(bare: Corpus) -> None:
    _, (count,), _ = turn(bare, [Pointing([0, 3, 3, 3])])
    assert count.proposed == 1


def test_nothing_is_followed_once_cancelled(bare: Corpus) -> None:
    pool, counts, hops = turn(bare, [Pointing([3])], cancelled=True)
    assert (counts, hops, len(pool)) == ((), [], 1)


def test_a_stronger_link_and_a_better_source_score_higher(bare: Corpus) -> None:
    context = context_of(bare, question="interest on dues in arrears")
    good, bad = bare.rows(["dues-act/art-5", "harbour-act/art-8"]).tolist()
    rows, sources = np.array([3, 3, 3], np.int32), np.array([good, good, bad], np.int32)
    leads = make_leads(rows, sources, np.array([1.0, 0.5, 1.0], np.float32), Relation.CITES)
    strong, weak, poor = lead_scores(leads, context, 1.0).tolist()
    assert strong > weak > poor


def test_a_lead_from_the_question_has_the_best_source_there_is(bare: Corpus) -> None:
    context = context_of(bare, question="interest on dues in arrears")
    rows = np.array([3, 3], np.int32)
    leads = make_leads(rows, np.array([-1, 5], np.int32), np.ones(2, np.float32), Relation.MATCHES)
    asked, led = lead_scores(leads, context, 1.0).tolist()
    assert asked >= led
    assert lead_scores(leads.take(np.zeros(0, np.intp)), context, 1.0).shape == (0,)


def test_scan_hops_say_rank_strength_and_who_found_it(bare: Corpus) -> None:
    hits = {4: (RetrieverHit("bm25", "literal", 3, 1.5), RetrieverHit("bm25", "part", 1, 0.9)), 2: ()}
    found = Scan(
        np.array([4, 2], np.int32), np.array([1.2, 0.4], np.float32), hits, context_of(bare).relevance
    )
    first, second = scan_hops(found, ["a", "b"])
    assert (first.target_id, first.source_id, first.round, first.rank) == ("a", None, 0, 1)
    assert (first.strength, first.detail) == (1.0, "bm25 1")
    assert (second.rank, second.detail) == (2, "")
    assert second.strength == pytest.approx(0.4)


def test_the_budget_of_a_thread_follows_what_it_earned() -> None:
    threads = [strategy(name) for name in ("citations", "entities", "metadata")]
    deep = replace(BREADTH, per_strategy=4 * FIRST_ROUND)
    admitted = {"citations": 5, "entities": 5, "metadata": 0}
    counts = tuple(StrategyCount(name, 9, number) for name, number in admitted.items())
    rounds = [RoundReport(1, (), counts, 10, 0, 100, 0.0)]
    assert set(budget_shares(threads, [], {}, deep).values()) == {0.25}
    found = budget_shares(threads, rounds, {"citations": 1}, deep)
    assert found == {"citations": 0.5, "entities": 0.0, "metadata": 0.5}, "what ranks earns, nothing costs"
    assert budget_shares(threads, rounds * 3, {"citations": 1}, deep)["citations"] == 1.0
    assert set(budget_shares(threads, [], {}, BREADTH).values()) == {1.0}
