"""A subgraph in words, one sentence an edge, for whoever reads it before the passages; as JSON and for
networkx."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.corpus.protocol import Corpus
from engine.investigation.graph.nodes import ONTOLOGY, Edge, NodeKind, Subgraph
from engine.model import RELATION_VERBS, Relation
from engine.ontology.concepts import concepts_of

if TYPE_CHECKING:
    import networkx as nx

MOST_SENTENCES = 40
# What tells least is told last, where there is room for it.
_LAST = (Relation.MENTIONS, Relation.PART_OF, Relation.BELONGS_TO)


def sentence(found: Subgraph, edge: Edge) -> str:
    """An edge in words: "Agency Code, Article 3(4) defines Power of attorney"."""
    names = {node.id: node for node in found.nodes}
    source, target = names[edge.source], names[edge.target]
    verb = RELATION_VERBS[edge.relation]
    if edge.relation is Relation.DEFINES and target.kind in (NodeKind.CONCEPT, NodeKind.ENTITY):
        verb = "defines"
    if target.kind is NodeKind.ENTITY_TYPE:
        verb = "is a"
    said = f" (“{edge.quote}”)" if edge.quote and edge.quoted_from != ONTOLOGY else ""
    return f"{source.name} {verb} {target.name}{said if edge.relation not in _LAST else ''}"


def to_words(corpus: Corpus, found: Subgraph, most: int = MOST_SENTENCES) -> tuple[str, ...]:
    """A subgraph in sentences: what the concepts in it require to be checked, then its edges, the surest and
    best connected first; at most so many."""
    return tuple(dict.fromkeys((*_checks(corpus, found), *edge_sentences(found))))[:most]


def _checks(corpus: Corpus, found: Subgraph) -> Iterator[str]:
    known = concepts_of(corpus)
    for node in found.nodes if known is not None else ():
        if known is not None and node.kind is NodeKind.CONCEPT and not node.hops:
            checks = known.by_id[node.id.partition(":")[2]].required_checks
            if checks:
                yield f"{node.name} has to be checked for: {'; '.join(checks)}"


def edge_sentences(found: Subgraph) -> Iterator[str]:
    """The edges in sentences, the surest and best connected first, what tells least last."""
    worth = {node.id: node.worth for node in found.nodes}
    kinds = {node.id for node in found.nodes if node.kind is NodeKind.ENTITY_TYPE}

    def order(edge: Edge) -> tuple[bool, float]:
        return edge.relation in _LAST, -edge.confidence * worth[edge.source] * worth[edge.target]

    # How an entity is written says nothing of the law.
    telling = (edge for edge in found.edges if edge.target not in kinds)
    yield from (sentence(found, edge) for edge in sorted(telling, key=order))


def graph_text(corpus: Corpus, found: Subgraph) -> Iterator[str]:
    """A subgraph for a terminal: its nodes, best connected first, and its sentences."""
    if not found.nodes:
        yield "nothing in this corpus is named there"
    for node in found.nodes:
        far = f"{node.hops} hop{'' if node.hops == 1 else 's'}" if node.hops else "asked for"
        yield f"{node.worth:.2f}  {node.kind.value.replace('_', ' ')}: {node.name}  [{node.id}], {far}"
    yield ""
    yield from to_words(corpus, found, len(found.edges) + len(found.nodes))


def to_json(corpus: Corpus, found: Subgraph) -> dict[str, Any]:
    """A subgraph as plain values: anchors, nodes, edges, and its sentences."""
    return {
        "anchors": list(found.anchors),
        "nodes": [
            {**asdict(node), "kind": node.kind.value, "worth": round(node.worth, 4)} for node in found.nodes
        ],
        "edges": [
            {**asdict(edge), "relation": edge.relation.value, "confidence": round(edge.confidence, 4),
             "words": sentence(found, edge)}
            for edge in found.edges
        ],
        "words": list(to_words(corpus, found)),
    }  # fmt: skip


def to_networkx(found: Subgraph, name: str) -> nx.MultiDiGraph[str]:
    """A subgraph as networkx has it, with all that is known of nodes and edges."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=name)
    for node in found.nodes:
        graph.add_node(node.id, kind=node.kind.value, name=node.name, worth=node.worth, hops=node.hops)
    for edge in found.edges:
        told = {"confidence": edge.confidence, "quote": edge.quote, "quoted_from": edge.quoted_from}
        graph.add_edge(edge.source, edge.target, relation=edge.relation.value, **told)
    return graph
