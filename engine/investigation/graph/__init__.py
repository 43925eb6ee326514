"""The typed graph of a corpus and its ontology: neighbourhoods of nodes, as data and in words."""

from engine.investigation.graph.nodes import Edge, Node, NodeKind, Subgraph, to_words
from engine.investigation.graph.subgraph import anchors_in, subgraph

__all__ = ["Edge", "Node", "NodeKind", "Subgraph", "anchors_in", "subgraph", "to_words"]
