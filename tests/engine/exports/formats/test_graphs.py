"""GraphML as networkx reads them, and as XML that any reader takes."""

from __future__ import annotations

import io
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engine.exports.cases import ExportableCase, export_of, for_xml, record_in
from tests.engine.exports.cases import EMPTY, GAPS, KINDS, ORDINARY
from tests.engine.exports.conftest import Cases


def graphml(case: ExportableCase) -> Any:
    return nx.read_graphml(io.BytesIO(export_of("graphml").write(case)), force_multigraph=True)


@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_every_passage_query_and_hop(kind: str, cases: Cases) -> None:
    case, graph = cases[kind], graphml(cases[kind])
    record = record_in(case)
    kinds = [data["kind"] for _, data in graph.nodes(data=True)]
    queries = {query for one in record.rounds for query in one.queries}
    assert kinds.count("question") == 1
    assert kinds.count("query") == len(queries)
    assert kinds.count("passage") == len(record.pool.nodes)
    assert graph.number_of_edges() == len(record.pool.edges) + len(queries)


def test_a_hop_says_what_it_was(cases: Cases) -> None:
    record, graph = record_in(cases[ORDINARY]), graphml(cases[ORDINARY])
    step = next(one for one in record.pool.edges if one.source is not None and one.quote)
    hops = [data for _, target, data in graph.edges(step.source, data=True) if target == step.target]
    [hop] = [data for data in hops if data["strategy"] == step.strategy and data["quote"] == step.quote]
    assert (hop["relation"], hop["direction"]) == (step.relation.value, step.direction.value)
    assert (hop["round"], hop["strength"]) == (step.round, step.strength)


def test_a_passage_says_what_it_is(cases: Cases) -> None:
    record, graph = record_in(cases[GAPS]), graphml(cases[GAPS])
    first = record.passages[0]
    node = graph.nodes[first.id]
    assert (node["rank"], node["score"], node["document"]) == (first.rank, first.score, first.document)
    assert (node["title"], node["provision"]) == (first.title, first.label)
    assert node["label"].endswith(first.label)
    pinned = {name for name, data in graph.nodes(data=True) if data.get("pinned")}
    dismissed = {name for name, data in graph.nodes(data=True) if data.get("dismissed")}
    assert pinned == set(record.pool.pinned) != set()
    assert dismissed == set(record.pool.dismissed) != set()
    # The corpus names what was not ranked as well.
    assert all("title" in data for _, data in graph.nodes(data=True) if data["kind"] == "passage")


def test_a_query_for_a_gap_lies_between_the_question_and_what_it_found(cases: Cases) -> None:
    graph = graphml(cases[GAPS])
    queries = [name for name, data in graph.nodes(data=True) if data["kind"] == "query"]
    assert queries
    for name in queries:
        [(start, _, asked)] = graph.in_edges(name, data=True)
        assert (graph.nodes[start]["kind"], asked["relation"]) == ("question", "asked")
    assert any(graph.out_degree(name) for name in queries)


def test_where_nothing_was_found_the_question_stays(cases: Cases) -> None:
    kinds = {data["kind"] for _, data in graphml(cases[EMPTY]).nodes(data=True)}
    assert kinds == {"question"}


@given(st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF)))
def test_any_text_becomes_one_that_xml_holds(text: str) -> None:
    told = for_xml(text)
    assert len(told) == len(text)
    assert for_xml(told) == told
    node = etree.Element("a", b=told)
    node.text = told
    again = etree.fromstring(etree.tostring(node, encoding="utf-8"))
    assert (again.get("b"), again.text or "") == (told, told)
