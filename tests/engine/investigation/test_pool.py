"""The research pool: nothing lost, nothing twice, trails that lead back to the question."""

from __future__ import annotations

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.pool import QUESTION_NODE, Pool, restore_pool
from engine.investigation.trails import make_leads
from engine.model import Direction, Hop, Relation


def hop(
    target: str, source: str | None = None, *, strategy: str = "scan", turn: int = 0, strength: float = 0.5
) -> Hop:
    relation = Relation.MATCHES if source is None else Relation.CITES
    return Hop(target, source, strategy, relation, Direction.OUT, turn, strength)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """Pools grown by admissible hops in any order."""
    pool = Pool(limit=12)
    for _ in range(draw(st.integers(1, 40))):
        known = [None, *(entry.passage_id for entry in pool.entries())]
        source = draw(st.sampled_from(known))
        target = f"p{draw(st.integers(0, 9))}"
        if source != target:
            strategy = draw(st.sampled_from(["scan", "citations", "entities"]))
            pool.admit(hop(target, source, strategy=strategy, turn=len(pool)), int(target[1:]), 0.5)
    return pool


def test_a_second_find_adds_a_trail_and_no_passage() -> None:
    pool = Pool(10)
    assert pool.admit(hop("a"), 0, 0.9)
    assert pool.admit(hop("b"), 1, 0.8)
    assert not pool.admit(hop("b", "a", strategy="citations", turn=1), 1, 0.1)
    assert len(pool) == 2
    assert [[step.source_id for step in trail] for trail in pool.trails("b")] == [[None], [None, "a"]]
    assert pool.round("b") == 0
    assert pool.score("b") == 0.8


def test_the_same_hop_twice_is_one_trail() -> None:
    pool = Pool(10)
    again = hop("b", "a", strategy="citations", turn=1)
    for one in (hop("a"), hop("a"), again, again, replace(again)):
        pool.admit(one, ord(one.target_id), 0.5)
    assert [len(pool.hops_to(one)) for one in "ab"] == [1, 1]
    assert len(pool.trails("b")) == 1
    assert pool.statistics().hops == 2
    assert pool.statistics().hops_by_relation == {"matches": 1, "cites": 1}
    # Another relation, quote, round or strength is another hop.
    pool.admit(replace(again, quote="under Article 2"), 1, 0.5)
    assert len(pool.hops_to("b")) == 2


def test_descendants_are_those_reached_through_a_passage() -> None:
    pool = Pool(10)
    for one in (hop("a"), hop("b", "a"), hop("c", "b"), hop("d")):
        pool.admit(one, ord(one.target_id), 0.5)
    assert pool.descendants("a") == {"b", "c"}
    assert pool.descendants("d") == set()


def test_a_hop_from_outside_the_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="not in the pool"):
        Pool(10).admit(hop("b", "nowhere"), 1, 0.5)


def test_a_full_pool_takes_no_new_passage_but_new_trails() -> None:
    pool = Pool(2)
    pool.admit(hop("a"), 0, 0.5)
    pool.admit(hop("b"), 1, 0.5)
    with pytest.raises(ValueError, match="full"):
        pool.admit(hop("c"), 2, 0.5)
    assert not pool.admit(hop("b", "a"), 1, 0.5)
    assert len(pool.hops_to("b")) == 2


def test_statistics_count_by_source_round_and_relation() -> None:
    pool = Pool(10)
    for one in (
        hop("a"),
        hop("b", "a", strategy="citations", turn=1),
        hop("b", "a", strategy="entities", turn=1),
    ):
        pool.admit(one, ord(one.target_id), 0.5)
    statistics = pool.statistics()
    assert statistics.by_strategy == {"scan": 1, "citations": 1}
    assert statistics.by_round == {0: 1, 1: 1}
    assert statistics.hops_by_relation == {"matches": 1, "cites": 2}


@given(pools())
def test_every_passage_has_a_trail_from_the_question(pool: Pool) -> None:
    for entry in pool.entries():
        trails = pool.trails(entry.passage_id)
        assert trails
        for trail in trails:
            assert trail[0].source_id is None
            assert trail[-1].target_id == entry.passage_id
            for step, following in itertools.pairwise(trail):
                assert step.target_id == following.source_id
            visited = [step.target_id for step in trail]
            assert len(set(visited)) == len(visited)


@given(pools())
def test_descendants_agree_with_networkx_and_with_trails(pool: Pool) -> None:
    for entry in pool.entries():
        later = {e.passage_id for e in pool.entries() if e.order > entry.order}
        assert pool.descendants(entry.passage_id) == nx.descendants(pool.graph(), entry.passage_id) & later
        assert QUESTION_NODE not in pool.descendants(entry.passage_id)


@given(pools())
def test_a_restored_pool_is_the_same_pool(pool: Pool) -> None:
    again = restore_pool(pool.limit, pool.entries(), pool.hops(), pinned={"p1"})
    assert again.entries() == pool.entries()
    assert again.hops() == pool.hops()
    assert again.statistics() == pool.statistics()
    assert again.pinned == {"p1"}


def test_a_pool_is_whole_at_every_look_while_it_is_filled() -> None:
    pool = Pool(1000)
    for row in range(3):
        pool.admit(Hop(f"p{row}", None, "scan", Relation.MATCHES, Direction.OUT, 0, 1.0), row, 0.5)
        assert [entry.order for entry in pool.entries()] == list(range(row + 1))
        assert pool.entries() == [pool.entry(f"p{place}") for place in range(row + 1)]
    found = make_leads(
        np.arange(3, 6, dtype=np.int32), np.zeros(3, np.int32), np.ones(3, np.float32), Relation.CITES
    )
    pool.admit_leads("citations", 1, found, ["p3", "p4", "p5"], np.full(3, 0.25, np.float32))
    assert [(entry.passage_id, entry.row, entry.round, entry.strategy) for entry in pool.entries()[3:]] == [
        (f"p{row}", row, 1, "citations") for row in (3, 4, 5)
    ]
    assert pool.rows().tolist() == list(range(6))
    assert pool.scores().tolist() == [0.5] * 3 + [0.25] * 3
