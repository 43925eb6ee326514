"""The expansion tree: every passage once, behind its parent, and the same from a pool and from its record."""

from __future__ import annotations

import copy
import time
from collections import Counter
from typing import Any

import orjson
import pytest
from hypothesis import given

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.pool import QUESTION_NODE, Pool
from engine.model import Direction, Hop, Relation
from engine.records.expansion import ExpansionTree, expansion_tree, facts_of_pool, facts_of_record
from engine.records.expansion_text import descendants_to_json, tree_lines, tree_to_json
from engine.records.record import read_record
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished
from tests.engine.records.grown import facts, pools, record_of


def no_names(ids: object) -> dict[str, Any]:
    return {}


def shape(tree: ExpansionTree) -> Any:
    return tree_to_json(tree, no_names)


@given(pools())
def test_every_passage_comes_once_behind_its_parent_and_counts_add_up(pool: Pool) -> None:
    tree = expansion_tree(facts(pool))
    ids = {entry.passage_id for entry in pool.entries()}
    passages = [node for node in tree.nodes.values() if node.query is None]
    assert Counter(node.id for node in passages) == Counter(ids)
    seen = {QUESTION_NODE}
    for node in tree.nodes.values():
        assert node.parent in seen
        assert node.id in tree.children(node.parent)
        seen.add(node.id)
    for node in passages:
        assert node.also == len(pool.hops_to(node.id)) - 1
        assert node.descendants == len(list(tree.below(node.id))) == len(tree.descendants(node.id).passages)
        assert tree.first_hops([node.id])[node.id] == pool.first_hop(node.id)
        assert node.hops == len([one for one in tree.path(node.id) if tree.nodes[one].query is None])
    own = sum(tree.nodes[root].query is None for root in tree.roots)
    assert sum(tree.nodes[root].descendants for root in tree.roots) + own == len(ids)
    assert [*tree.nodes] == [*tree.below(QUESTION_NODE)]


@given(pools())
def test_descendants_are_counted_and_all_that_a_trail_reaches_is_known(pool: Pool) -> None:
    tree = expansion_tree(facts(pool))
    for entry in pool.entries():
        found = tree.descendants(entry.passage_id)
        assert set(found.reached) == pool.descendants(entry.passage_id)
        assert set(found.passages) <= set(found.reached)
        for counts in (found.by_round, found.by_strategy, found.by_relation):
            assert sum(counts.values()) == len(found.passages)


@given(pools())
def test_a_record_has_the_same_tree_as_its_pool(pool: Pool) -> None:
    saved = orjson.loads(orjson.dumps(record_of(pool)))
    again = expansion_tree(facts_of_record(read_record(saved), "case"))
    live = expansion_tree(facts(pool))
    assert shape(again) == shape(live)
    for entry in pool.entries():
        assert descendants_to_json(again, entry.passage_id, no_names) == descendants_to_json(
            live, entry.passage_id, no_names
        )


def test_a_query_for_a_gap_is_a_node_whether_it_found_anything_or_not(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION)
    tree = expansion_tree(facts_of_pool(QUESTION, case.pool, case.ranking, case.rounds))
    sent = {(report.number, query) for report in case.rounds for query in report.queries}
    nodes = {(node.round, node.query): node for node in tree.nodes.values() if node.query is not None}
    assert nodes.keys() >= sent
    for node in nodes.values():
        assert node.parent == QUESTION_NODE
        assert tree.roots.index(node.id) >= sum(tree.nodes[one].query is None for one in tree.roots)


CIRCLE = [("a", "b"), ("b", "a"), ("c", "b"), ("d", None), ("b", "d"), ("e", "f"), ("f", "e")]


def circular() -> dict[str, Any]:
    """What no case writes: passages that hang on one another."""
    pool = record_of(Pool(1))
    node = {"round": 1, "strategy": "citations", "score": 0.5, "search": None, "similarity": None}
    node |= {"referenced_by": [], "areas": []}
    nodes = [node | {"id": one} for one in "abcdefg"]
    hop = {
        "strategy": "citations", "relation": "cites", "direction": "out", "round": 1, "strength": 0.5,
        "quote": "", "quoted_from": None, "detail": "", "rank": None, "query": None,
    }  # fmt: skip
    edges = [hop | {"target": target, "source": source} for target, source in CIRCLE]
    return pool | {"pool": pool["pool"] | {"nodes": nodes, "edges": edges}}


def test_circles_of_a_damaged_record_hang_on_what_is_outside_of_them() -> None:
    tree = expansion_tree(facts_of_record(read_record(circular()), "case"))
    parents = {node.id: node.parent for node in tree.nodes.values()}
    assert parents == {"a": "b", "b": "d", "c": "b", "d": "?", "e": "?", "f": "e", "g": "?"}
    assert tree.nodes["g"].step is None
    assert tree.nodes["d"].descendants == 3
    assert len(shape(tree)["nodes"]) == 7


def test_a_trail_of_many_hops_is_no_recursion() -> None:
    count = 3000
    pool = Pool(count)
    for place in range(count):
        source = f"p{place - 1}" if place else None
        pool.admit(Hop(f"p{place}", source, "scan", Relation.CITES, Direction.OUT, 0, 0.5), place, 0.5)
    began = time.process_time()
    tree = expansion_tree(facts(pool))
    assert time.process_time() - began < 2.0
    assert tree.nodes[f"p{count - 1}"].hops == count
    assert tree.nodes["p0"].descendants == count - 1


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("pool",), {}, "pool.nodes: "),
        (("pool", "nodes"), [{"id": "a"}], "pool.nodes.0.round: "),
        (("pool", "nodes", 1, "id"), "a", "a passage is in the pool twice"),
        (("pool", "edges", 0, "target"), "nowhere", "not in the pool"),
        (("pool", "edges", 0, "source"), "nowhere", "not in the pool"),
        (("pool", "edges", 0, "relation"), "loves", "relation: "),
        (("pool", "edges", 0, "quote"), 5, "quote: "),
        (("pool", "edges", 0, "rank"), "first", "rank: "),
        (("pool", "edges", 0, "round"), 10**30, ""),
        (("rounds",), [{"number": "x"}], "rounds.0"),
        (("passages",), None, ""),
    ],
)
def test_what_is_damaged_is_named(path: tuple[Any, ...], value: object, words: str) -> None:
    record: Any = copy.deepcopy(circular())
    place = record
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(InputError, match=r"^case\.json: damaged: ") as caught:
        facts_of_record(read_record(record, "case.json"), "case.json")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@given(pools())
def test_the_line_of_a_node_says_how_many_passages_came_through_it(pool: Pool) -> None:
    tree = expansion_tree(facts(pool))
    question, *lines = tree_lines(tree, no_names)
    assert question == tree.facts.question
    for line, node in zip(lines, tree.nodes.values(), strict=True):
        none = "nothing new came through it" if node.query else ""
        count = f"{node.descendants:,} passage{'' if node.descendants == 1 else 's'} came through it"
        assert line.endswith(count if node.descendants else none)
        assert ("came through it" in line) == bool(node.descendants or node.query)
