"""The nouns of the graph: nodes and edges as people see them, keys and steps as they are searched."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.model import Relation

# What an edge rests on that no passage says.
ONTOLOGY = "ontology.yaml"


class NodeKind(StrEnum):
    """What a node stands for."""

    DOCUMENT = "document"
    SECTION = "section"
    PASSAGE = "passage"
    CONCEPT = "concept"
    ENTITY = "entity"
    ENTITY_TYPE = "entity_type"
    AREA = "area"
    TRANSACTION = "transaction"


class Key(NamedTuple):
    """A node by what the corpus calls it: the row of a passage, the number of a document, a section or an
    entity; the id of anything else."""

    kind: NodeKind
    id: int | str


class Step(NamedTuple):
    """An edge from the side of the node that was asked for its neighbours. ``forward``: that node is the
    edge's source. ``evidence`` is the row of the reference table, -1 where there is none; ``quote`` the words
    of the ontology."""

    start: Key
    end: Key
    relation: Relation
    confidence: float
    forward: bool = True
    evidence: int = -1
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a subgraph. ``id`` is a passage's own, and begins with its kind for all others; ``worth``
    says how well it is connected with the anchors, 0..1; ``hops`` how far it is from the nearest. ``row`` is
    a passage's."""

    id: str
    kind: NodeKind
    name: str
    worth: float
    hops: int
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """How one node relates to another, how sure that is (0..1), and the words that say so: ``quote`` from the
    passage ``quoted_from``, or from the ontology; the order of a document has no words."""

    source: str
    target: str
    relation: Relation
    confidence: float
    quote: str = ""
    quoted_from: str = ""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes, the best connected first, and the edges between them; ``anchors`` are the nodes that it was
    asked for."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    anchors: tuple[str, ...] = ()

    def node(self, node_id: str) -> Node:
        """The node of an id."""
        return next(node for node in self.nodes if node.id == node_id)
