"""What is near some nodes: best connected first, typed, with confidence and the words that say so."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import pytest

from engine.corpus.ontology import checked, ontology_from
from engine.corpus.protocol import Corpus
from engine.corpus.related import with_ontology, without_ontology
from engine.errors import InputError
from engine.investigation.graph import NodeKind, anchors_in, subgraph, to_words
from engine.investigation.graph.nodes import ONTOLOGY, Key, graph_text, sentence, to_json, to_networkx
from engine.investigation.graph.subgraph import anchor
from engine.model import Relation

OBJECTION = "When does the objection deadline end after an amended assessment?"
PERIOD = Key(NodeKind.CONCEPT, "objection-period")


def test_a_concept_leads_to_its_articles_what_stands_above_it_and_its_area(meridia: Corpus) -> None:
    found = subgraph(meridia, [PERIOD], depth=2, most_nodes=20)
    edges = {(edge.source, edge.relation, edge.target): edge for edge in found.edges}
    defined = edges["tax-procedure-act/art-3/para-6", Relation.DEFINES, "concept:objection-period"]
    assert (defined.confidence, defined.quoted_from) == (1.0, ONTOLOGY)
    assert defined.quote == "Article 3(6) of the Tax Procedure Act"
    assert ("section:tax-procedure-act/art-26", Relation.APPLIES_TO, "concept:objection-period") in edges
    assert ("concept:objection", Relation.PARENT_OF, "concept:objection-period") in edges
    assert ("concept:objection-period", Relation.BELONGS_TO, "area:deadlines-and-delivery") in edges
    assert ("transaction:tax-objection", Relation.REQUIRES, "area:deadlines-and-delivery") in edges
    assert found.anchors == ("concept:objection-period",)
    assert len(found.nodes) == 20


def test_a_passage_leads_to_what_it_cites_in_its_own_words(meridia: Corpus) -> None:
    found = subgraph(meridia, [anchor(meridia, "commercial-agency-code/art-14/para-5")], depth=1)
    edge = next(edge for edge in found.edges if edge.relation is Relation.SUBJECT_TO)
    assert edge.source == "commercial-agency-code/art-14/para-5"
    (passage,) = meridia.passages(meridia.rows([edge.quoted_from]))
    assert edge.quote
    assert edge.quote in passage.text
    assert {edge.relation for edge in found.edges} >= {Relation.PART_OF, Relation.APPLIES_TO}
    assert "subject to" in sentence(found, edge)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("most", [1, 5, 20, 60])
def test_it_is_connected_with_its_anchors_and_keeps_its_bounds(
    meridia: Corpus, depth: int, most: int
) -> None:
    anchors = anchors_in(meridia, OBJECTION, "en")
    found = subgraph(meridia, anchors, depth, most)
    assert len(found.nodes) <= most
    assert all(node.hops <= depth and 0 < node.worth <= 1 for node in found.nodes)
    graph = to_networkx(found, "m").to_undirected()
    for node in found.nodes:
        assert any(nx.has_path(graph, start, node.id) for start in found.anchors)
    ids = {node.id for node in found.nodes}
    assert all({edge.source, edge.target} <= ids and 0 < edge.confidence <= 1 for edge in found.edges)


def test_worth_falls_with_each_hop_and_with_the_number_of_neighbours(meridia: Corpus) -> None:
    found = subgraph(meridia, [PERIOD], 2, 60)
    worth = {node.id: node.worth for node in found.nodes}
    far = [node for node in found.nodes if node.hops == 2]
    assert far
    assert all(node.worth < 0.9 for node in far)
    # The section of definitions has many passages: each is worth less than the one that was cited.
    others = [
        worth[f"tax-procedure-act/art-3/para-{n}"]
        for n in (1, 2)
        if f"tax-procedure-act/art-3/para-{n}" in worth
    ]
    assert all(one < worth["tax-procedure-act/art-3/para-6"] / 2 for one in others)


def test_a_corpus_without_ontology_has_entities_and_provisions(meridia: Corpus) -> None:
    plain = without_ontology(meridia)
    assert without_ontology(plain) is plain
    anchors = anchors_in(plain, OBJECTION, "en")
    assert {key.kind for key in anchors} == {NodeKind.ENTITY}
    kinds = {node.kind for node in subgraph(plain, anchors).nodes}
    assert NodeKind.PASSAGE in kinds
    assert not kinds & {NodeKind.CONCEPT, NodeKind.AREA, NodeKind.TRANSACTION}


def test_words_name_what_is_to_be_checked_and_how_things_relate(meridia: Corpus) -> None:
    found = subgraph(meridia, [PERIOD])
    words = to_words(meridia, found)
    assert words[0].startswith("Objection period has to be checked for: day of delivery; ")
    assert "Tax Procedure Act, Article 3(6) defines Objection period" in words
    assert "Objection is wider than Objection period" in words
    assert len(to_words(meridia, found, 3)) == 3
    assert any("[concept:objection-period], asked for" in line for line in graph_text(meridia, found))


def test_nothing_named_is_an_empty_graph(meridia: Corpus) -> None:
    found = subgraph(meridia, anchors_in(meridia, "Where is the moon?", "en"))
    assert (found.nodes, found.edges) == ((), ())
    assert to_json(meridia, found) == {"anchors": [], "nodes": [], "edges": [], "words": []}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tax-procedure-act/art-26/para-1", NodeKind.PASSAGE),
        ("section:tax-procedure-act/art-26", NodeKind.SECTION),
        ("document:tax-procedure-act", NodeKind.DOCUMENT),
        ("concept:objection", NodeKind.CONCEPT),
        ("area:objection", NodeKind.AREA),
        ("transaction:tax-objection", NodeKind.TRANSACTION),
        ("entity:en:amend-assess", NodeKind.ENTITY),
    ],
)
def test_every_kind_of_node_is_found_by_its_id(meridia: Corpus, name: str, kind: NodeKind) -> None:
    key = anchor(meridia, name)
    assert key.kind is kind
    assert subgraph(meridia, [key], 1).anchors == (name,)


@pytest.mark.parametrize(
    "name", ["concept:nix", "nix", "", "colour:red", "section:tax-procedure-act/art-999"]
)
def test_what_is_no_node_is_refused_by_name(meridia: Corpus, name: str) -> None:
    with pytest.raises(InputError, match="Republic of Meridia has no node"):
        anchor(meridia, name)


@pytest.mark.parametrize(("depth", "most"), [(0, 20), (5, 20), (2, 0), (2, 201)])
def test_numbers_out_of_range_are_refused(meridia: Corpus, depth: int, most: int) -> None:
    with pytest.raises(InputError, match="a number from 1 to"):
        subgraph(meridia, [PERIOD], depth, most)


def test_what_an_ontology_says_in_another_language_is_found_in_it(meridia: Corpus) -> None:
    assert anchors_in(meridia, "Wann endet die Einspruchsfrist?", "de")[0] == PERIOD
    content = {"concepts": [{"id": "a", "names": {"en": "Assessment"}}]}
    other = with_ontology(meridia, ontology_from(checked(content)))
    assert Key(NodeKind.CONCEPT, "a") in anchors_in(other, "an assessment", "en")
    assert replace(subgraph(other, [Key(NodeKind.CONCEPT, "a")]).nodes[0], worth=0.0).name == "Assessment"
