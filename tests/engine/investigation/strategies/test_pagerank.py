"""Walks over passages, references and entities."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.graph.walks import add_named, get_associations, walk_from
from engine.investigation.strategies.base import Strategy
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.investigation.strategies.pagerank import PageRank


class TestPageRankOfALaw(StrategyContract):
    made, on = PageRank, "bare"

    def test_leads_of_one_seed_are_among_those_of_all(self, strategy: Strategy, corpus: Corpus) -> None:
        # Walks start at the best seeds alone: with all of the harbour as seeds some start no walk.
        for row in range(1, len(corpus)):
            both = set(self.leads(strategy, corpus, seeds_of(row, row - 1)).rows.tolist())
            alone = set(self.leads(strategy, corpus, seeds_of(row)).rows.tolist())
            assert alone <= both | {row}


def test_a_walker_goes_somewhere_or_is_at_a_dead_end(bare: Corpus, toy: Corpus) -> None:
    for corpus in (bare, toy):
        graph = get_associations(corpus)
        sums = (graph.joined @ np.diag(graph.scale)).sum(axis=0)
        assert (np.isclose(sums, 1, atol=1e-5) | (sums == 0)).all()
        assert graph.joined.toarray().tolist() == graph.joined.toarray().T.tolist()


def test_the_graph_is_made_once(toy: Corpus) -> None:
    assert get_associations(toy) is get_associations(toy)


def test_links_have_weights_between_zero_and_one_and_none_to_itself(bare: Corpus) -> None:
    graph = get_associations(bare)
    for matrix in (graph.cites, graph.names):
        assert ((matrix.data > 0) & (matrix.data <= 1)).all()
        assert not matrix.diagonal().any()
    assert graph.cited.toarray().tolist() == graph.cites.toarray().T.tolist()


def test_a_walk_from_a_passage_reaches_what_it_cites_before_what_nothing_joins(bare: Corpus) -> None:
    graph, plan = get_associations(bare), context_of(bare).relevance.plan
    start = np.array([int(bare.rows(["harbour-act/art-3/para-3"])[0])], np.int32)
    visits = walk_from(graph, start, np.ones(1, np.float32), plan)
    cited = graph.cites[start].tocoo().col
    assert len(cited)
    assert visits.of(start)[0] == visits.shares.max() == pytest.approx(1.0)
    assert visits.ranks(start)[0] == 0
    unlinked = np.setdiff1d(np.flatnonzero(graph.scale[: graph.passages] == 0), start).astype(np.int32)
    assert visits.of(cited).min() > 0
    assert not visits.of(unlinked).any()
    assert (visits.ranks(unlinked) == len(visits.rows)).all()


def test_nothing_to_start_from_is_nowhere(bare: Corpus) -> None:
    graph, plan = get_associations(bare), context_of(bare).relevance.plan
    empty = np.empty(0, np.int32)
    assert not len(walk_from(graph, empty, np.empty(0, np.float32), plan).rows)


def test_a_passage_that_the_question_names_is_where_it_points(bare: Corpus) -> None:
    graph = get_associations(bare)
    plan = context_of(bare, question="What is a vessel or a Berth under the Harbour Act?").relevance.plan
    named, _ = graph.named_in(plan.question, plan.language)
    assert len(named)
    rows, scores = add_named(graph, seeds_of(0).rows, np.ones(1, np.float32), plan)
    assert set(named.tolist()) <= set(rows.tolist())
    assert ((scores > 0) & (scores <= 1)).all()
