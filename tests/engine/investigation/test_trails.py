"""Hops that are told when somebody asks are those that were told at once."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.pool import Pool
from engine.investigation.trails import DIRECTIONS, RELATIONS, FirstHops, Leads, joined, make_leads
from engine.model import Direction, Hop, Relation

ONE = np.ones(1, np.float32)
STRATEGIES = ("citations", "entities", "semantic")
# What a lead is told by: strategy, source, target, relation, strength.
Drawn = tuple[str, int, int, Relation, float]
DRAWN = st.tuples(
    st.sampled_from(STRATEGIES),
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from([Relation.CITES, Relation.MENTIONS, Relation.SIMILAR_TO]),
    st.floats(0, 1, width=16),
)


class HopMaker:
    """Makes hops of leads, and counts for how many it was asked."""

    def __init__(self, strategy: str, number: int) -> None:
        self.strategy, self.round, self.asked = strategy, number, 0

    def __call__(self, leads: Leads) -> Sequence[Hop]:
        self.asked += len(leads)
        return [
            Hop(
                target_id=f"p{row}",
                source_id=f"p{source}",
                strategy=self.strategy,
                relation=RELATIONS[int(relation)],
                direction=DIRECTIONS[int(direction)],
                round=self.round,
                strength=float(strength),
                quote=f"{source} cites {row}",
            )
            for row, source, relation, direction, strength in zip(
                leads.rows.tolist(), leads.sources.tolist(), leads.relations.tolist(),
                leads.directions.tolist(), leads.strengths.tolist(), strict=True,
            )
        ]  # fmt: skip


def scanned() -> Pool:
    pool = Pool(50)
    for row in range(10):
        hop = Hop(f"p{row}", None, "scan", Relation.MATCHES, Direction.OUT, 0, 1.0 - row / 20, rank=row + 1)
        pool.admit(hop, row, 0.5)
    return pool


def leads_of(drawn: Sequence[Drawn]) -> Leads:
    return joined(
        [
            make_leads(np.array([target]), np.array([source]), np.array([strength], np.float32), relation)
            for _, source, target, relation, strength in drawn
        ]
    )


def filled(rounds: Sequence[Sequence[Drawn]], *, later: bool) -> Pool:
    """A pool with hops of some rounds: told ``later``, or each at once."""
    pool = scanned()
    for number, drawn in enumerate(rounds, 1):
        for name in STRATEGIES:
            own = [one for one in drawn if one[0] == name and one[1] != one[2]]
            leads, telling = leads_of(own), HopMaker(name, number)
            if later:
                pool.add_hops(name, number, leads, telling)
                continue
            for hop, row in zip(telling(leads), leads.rows.tolist(), strict=True):
                if not pool.linked(hop.source_id, hop.target_id, name):
                    pool.admit(hop, row, 0.0)
    return pool


ROUNDS = st.lists(st.lists(DRAWN, max_size=12), max_size=3)


@given(ROUNDS)
def test_they_are_those_that_are_told_at_once(rounds: list[list[Drawn]]) -> None:
    later, at_once = filled(rounds, later=True), filled(rounds, later=False)
    every = [entry.passage_id for entry in later.entries()]
    assert later.statistics() == at_once.statistics()
    assert list(later.links()) == list(at_once.links())
    assert later.trails_of(every, 5) == at_once.trails_of(every, 5)
    assert [later.hops_to(one) for one in every] == [at_once.hops_to(one) for one in every]
    assert later.hops_of(["citations"]) == at_once.hops_of(["citations"])
    assert later.ways().tolist() == at_once.ways().tolist()
    assert [later.descendants(one) for one in every] == [at_once.descendants(one) for one in every]
    assert later.last_round() == at_once.last_round()
    assert later.hops() == at_once.hops()


@given(ROUNDS)
def test_a_pool_that_was_sent_elsewhere_tells_the_same(rounds: list[list[Drawn]]) -> None:
    pool = filled(rounds, later=True)
    other = pickle.loads(pickle.dumps(pool))
    assert other.hops() == pool.hops()


def test_what_nobody_looks_at_is_never_told() -> None:
    pool, telling = scanned(), HopMaker("citations", 1)
    leads = make_leads(
        np.arange(1, 10, dtype=np.int32),
        np.zeros(9, np.int32),
        np.linspace(0.1, 0.9, 9, dtype=np.float32),
        Relation.CITES,
    )
    pool.add_hops("citations", 1, leads, telling)
    assert telling.asked == 0
    assert len(pool.hops_to("p3")) == 2
    assert telling.asked == 1
    # What was told is kept.
    pool.hops_to("p3")
    assert telling.asked == 1
    pool.hops()
    assert telling.asked == 9


def test_some_hops_are_told_when_they_are_looked_at() -> None:
    pool, telling = scanned(), HopMaker("citations", 1)
    pool.add_hops("citations", 1, make_leads(np.array([2]), np.array([1]), ONE, Relation.CITES), telling)
    brought = pool.first_hops_since(1)
    assert isinstance(brought, FirstHops)
    assert len(brought) == 9
    assert [hop.target_id for hop in brought] == [f"p{row}" for row in range(1, 10)]
    assert brought[0] == brought[0:1][0]
    # The scan brought them all: the reference is no first hop.
    assert telling.asked == 0


def test_a_hop_outside_of_the_pool_is_refused() -> None:
    leads = make_leads(np.array([99]), np.array([1]), ONE, Relation.CITES)
    with pytest.raises(ValueError, match="not in the pool"):
        scanned().add_hops("citations", 1, leads, HopMaker("citations", 1))
