"""The record says of each query what it found, and of each passage which query found it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.model import RoundKind
from engine.records.conversion import investigation_to_json
from engine.retrieval.scan import MOST_HITS, NO_SEARCH, first_searches
from tests.engine.investigation.story import BREADTH, SETTINGS, finished


@pytest.fixture(scope="module")
def case(harbour: Corpus) -> Case:
    """A case with a round that fills gaps, and one that a person asked for."""
    settings = SETTINGS.changed(transaction_type="pilot-exemption")
    found = finished(harbour, "How long is a berth allocated?", settings, replace(BREADTH, seeds=2))
    list(found.follow(found.ranking[0].passage.id, ["citations"]))
    return found


def test_rounds_say_what_they_were_made_for(case: Case) -> None:
    kinds = [report.kinds for report in case.rounds]
    assert kinds[0] == (RoundKind.BROAD_SCAN,)
    assert (RoundKind.REFERENCE_EXPANSION, RoundKind.GAP_FILLING) in kinds
    assert kinds[-1] == (RoundKind.FOLLOW_UP,)


def test_each_query_has_its_best_passages(case: Case) -> None:
    scanned = case.scanned
    assert scanned is not None
    views = case.rounds[0].searches
    assert [one.text for one in views] == [one.text for one in scanned.relevance.plan.views]
    for number, search in enumerate(views):
        lists = {name: answer.hits[number] for name, answer in scanned.relevance.found.items()}
        every = {int(row) for hits in lists.values() for row in hits.rows}
        assert search.found == len(every)
        assert len(search.hits) == min(MOST_HITS, len(every))
        ids = {name: case.corpus.ids(hits.rows) for name, hits in lists.items()}
        for hit in search.hits:
            assert hit.ranks == {
                name: own.index(hit.passage_id) + 1
                for name, own in ids.items()
                if hit.passage_id in own[:MOST_HITS]
            }
        best = [min(hit.ranks.values()) for hit in search.hits]
        assert best == sorted(best)
    gaps = [one for report in case.rounds for one in report.searches if one.kind == "gap"]
    assert [(one.text, one.area) for one in gaps] == [
        (query.text, query.area) for report in case.rounds for query in report.queries
    ]
    assert all(one.milliseconds is not None and one.milliseconds > 0 for one in gaps)
    assert [one.milliseconds for one in views] == [None] * len(views)


def test_each_passage_has_the_query_that_found_it(case: Case) -> None:
    told = investigation_to_json(case.investigation())
    searches = [one for report in told["rounds"] for one in report["searches"]]
    assert [one["number"] for one in searches] == list(range(len(searches)))
    for node in told["pool"]["nodes"]:
        if node["strategy"] == "gaps":
            search = searches[node["search"]]
            assert search["kind"] == "gap"
            assert node["id"] in [hit["passage_id"] for hit in search["hits"]]
        elif node["strategy"] == "scan":
            assert searches[node["search"]]["kind"] != "gap"
    stated = {
        (edge["source"], edge["target"])
        for edge in told["pool"]["edges"]
        if edge["relation"] == "cites" and edge["direction"] == "out" and edge["source"]
    }
    assert stated
    by_id = {node["id"]: node for node in told["pool"]["nodes"]}
    assert all(source in by_id[target]["referenced_by"] for source, target in stated)
    assert {area for node in by_id.values() for area in node["areas"]} == {
        area["id"] for area in told["coverage"] if area["evidence"]
    }


def test_a_view_is_that_which_ranks_a_passage_highest(case: Case) -> None:
    scanned = case.scanned
    assert scanned is not None
    rows = case.pool.rows()
    first = first_searches(scanned, rows).tolist()
    for row, view in zip(rows.tolist(), first, strict=True):
        ranks = [
            min((int(np.flatnonzero(answer.hits[number].rows == row)[0]) for answer in
                 scanned.relevance.found.values() if row in answer.hits[number].rows), default=10**6)
            for number in range(len(scanned.relevance.plan.views))
        ]  # fmt: skip
        assert (view == NO_SEARCH) == (min(ranks) == 10**6)
        assert view == NO_SEARCH or ranks[view] == min(ranks)
    assert first_searches(scanned, rows[:0]).shape == (0,)


def test_similarity_is_the_cosine_to_the_question(dense: Corpus) -> None:
    case = Case(dense, "When must an agent render an account?", SETTINGS)
    list(case.run())
    found = case.investigation().found
    (literal, *_) = case.rounds[0].searches
    near = {hit.passage_id: hit.similarity for hit in literal.hits if hit.similarity is not None}
    assert near
    for name in near.keys() & found.keys():
        assert found[name].similarity == pytest.approx(near[name], abs=1e-5)
    assert all(-1.001 <= (one.similarity or 0) <= 1.001 for one in found.values())
