"""Nodes of a case's graph, their neighbours in the corpus, and the words for its edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.corpus.related import LOWEST_RARITY
from engine.investigation.graph.walks import get_associations
from engine.model import RELATION_VERBS, Direction, Relation
from engine.ontology.applying import Article, get_concepts

if TYPE_CHECKING:
    import networkx as nx


# Nodes and edges as they are shown, keys and steps as they are searched

# The source of an edge that no passage states.
ONTOLOGY = "ontology.yaml"


class NodeKind(StrEnum):
    """Kinds of nodes."""

    DOCUMENT = "document"
    SECTION = "section"
    PASSAGE = "passage"
    CONCEPT = "concept"
    ENTITY = "entity"
    ENTITY_TYPE = "entity_type"
    AREA = "area"
    TRANSACTION = "transaction"


class Key(NamedTuple):
    """The key of a node: the row of a passage, the number of a document, section or entity, or another id."""

    kind: NodeKind
    id: int | str


class Step(NamedTuple):
    """An edge seen from the node ``start``.

    ``forward``: ``start`` is the edge's source. ``evidence``: row of the reference table, -1 without one;
    ``quote``: words of the ontology.
    """

    start: Key
    end: Key
    relation: Relation
    confidence: float
    forward: bool = True
    evidence: int = -1
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a subgraph.

    ``id``: the id of a passage, or kind and id of another node. ``worth``: how well it is connected with the
    anchors, 0..1; ``hops``: distance to the nearest anchor. ``row``: only of a passage.
    """

    id: str
    kind: NodeKind
    name: str
    worth: float
    hops: int
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation of one node to another with its confidence, 0..1.

    ``quote``: the words that state it, from the passage ``quoted_from`` or from the ontology; "" for an edge
    that follows from the order of a document.
    """

    source: str
    target: str
    relation: Relation
    confidence: float
    quote: str = ""
    quoted_from: str = ""


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes, the best connected first, and the edges between them; ``anchors`` are the ids of its starts."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    anchors: tuple[str, ...] = ()

    def node(self, node_id: str) -> Node:
        """Return the node with an id."""
        return next(node for node in self.nodes if node.id == node_id)


# Edges of nodes, found for many nodes at once
#
# Documents and kinds of entities have no outgoing edges: two passages of one document are not near each
# other.

_RELATIONS = tuple(Relation)
# Neighbours of a passage by references, each way; passages of a section or an entity; of an article.
MOST_LINKED, MOST_BELOW, MOST_OF_ARTICLE = 40, 12, 6


def steps_from(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    """Yield all edges of some nodes, in both directions."""
    for kind, find_steps in _STEPS.items():
        own = [key for key in keys if key.kind is kind]
        if own:
            yield from find_steps(corpus, own)


def _of_passages(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    rows = np.array([key.id for key in keys], np.int32)
    yield from _linked(corpus, keys, rows)
    sections, documents = corpus.section_numbers(rows).tolist(), corpus.document_numbers(rows).tolist()
    for key, section, document in zip(keys, sections, documents, strict=True):
        within = Key(NodeKind.SECTION, section) if section >= 0 else Key(NodeKind.DOCUMENT, document)
        yield Step(key, within, Relation.PART_OF, 1.0)
    graph = get_associations(corpus)
    for key, row, named in zip(keys, rows.tolist(), corpus.entities_of(rows), strict=True):
        start, stop = graph.defined.indptr[row : row + 2]
        defined = set(graph.defined.indices[start:stop].tolist())
        for entity in dict.fromkeys(named):
            rarity = float(graph.rarity[entity])
            if entity in defined:
                yield Step(key, Key(NodeKind.ENTITY, entity), Relation.DEFINES, 1.0)
            elif rarity >= LOWEST_RARITY:
                yield Step(key, Key(NodeKind.ENTITY, entity), Relation.MENTIONS, rarity)
    if (known := get_concepts(corpus)) is not None:
        for row, concept, article in known.at(corpus, rows):
            relation = Relation.DEFINES if article.defines else Relation.APPLIES_TO
            target = Key(NodeKind.CONCEPT, concept.id)
            yield Step(Key(NodeKind.PASSAGE, row), target, relation, 1.0, quote=article.words)


def _linked(corpus: Corpus, keys: Sequence[Key], rows: Rows) -> Iterator[Step]:
    """Yield references from and to passages, the most certain of each, one for each passage and relation."""
    for direction in Direction:
        links = corpus.neighbours(rows, None, direction)
        order = np.lexsort((links.rows, -links.weights, links.origins))
        counts: dict[int, int] = {}
        seen: set[tuple[int, int, int]] = set()
        for link in order.tolist():
            origin, row = int(links.origins[link]), int(links.rows[link])
            key = (origin, row, int(links.relations[link]))
            if row == int(rows[origin]) or key in seen or counts.get(origin, 0) >= MOST_LINKED:
                continue
            seen.add(key)
            counts[origin] = counts.get(origin, 0) + 1
            yield Step(
                keys[origin],
                Key(NodeKind.PASSAGE, row),
                _RELATIONS[key[2]],
                float(links.weights[link]),
                direction is Direction.OUT,
                int(links.evidence[link]),
            )


def _of_sections(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    numbers = [int(key.id) for key in keys]
    sections = corpus.sections(numbers)
    names = {document.id: number for number, document in enumerate(corpus.documents())}
    for key, section in zip(keys, sections, strict=True):
        document = names[section.document_id]
        (rows,) = corpus.by_document([section.document_id])
        within = Key(NodeKind.DOCUMENT, document)
        if section.parent_id is not None:
            own = corpus.document_sections(document).tolist()
            listed = zip(own, corpus.sections(own), strict=True)
            above = next(number for number, other in listed if other.id == section.parent_id)
            within = Key(NodeKind.SECTION, above)
        yield Step(key, within, Relation.PART_OF, 1.0)
        for row in rows[section.first : section.stop][:MOST_BELOW].tolist():
            yield Step(key, Key(NodeKind.PASSAGE, row), Relation.PART_OF, 1.0, forward=False)


def _of_entities(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    graph = get_associations(corpus)
    for key, entity in zip(keys, corpus.entities([int(key.id) for key in keys]), strict=True):
        yield Step(key, Key(NodeKind.ENTITY_TYPE, entity.kind.value), Relation.BELONGS_TO, 1.0)
        defining = graph.defining(int(key.id))[:MOST_BELOW].tolist()
        for row in defining:
            yield Step(key, Key(NodeKind.PASSAGE, row), Relation.DEFINES, 1.0, forward=False)
        rarity = float(graph.rarity[int(key.id)])
        for row in graph.mentioning(int(key.id))[:MOST_BELOW].tolist() if rarity >= LOWEST_RARITY else ():
            if row not in defining:
                yield Step(key, Key(NodeKind.PASSAGE, row), Relation.MENTIONS, rarity, forward=False)


def _of_concepts(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    known = get_concepts(corpus)
    for key in keys if known is not None else ():
        assert known is not None
        concept = known.by_id[str(key.id)]
        if concept.parent is not None:
            yield Step(key, Key(NodeKind.CONCEPT, concept.parent), Relation.PARENT_OF, 1.0, forward=False)
        for below in known.children.get(concept.id, ()):
            yield Step(key, Key(NodeKind.CONCEPT, below.id), Relation.PARENT_OF, 1.0)
        if concept.area is not None:
            yield Step(key, Key(NodeKind.AREA, concept.area), Relation.BELONGS_TO, 1.0)
        for article in known.articles(corpus, concept):
            relation = Relation.DEFINES if article.defines else Relation.APPLIES_TO
            for target in _of_article(corpus, article):
                yield Step(key, target, relation, 1.0, forward=False, quote=article.words)


def _of_article(corpus: Corpus, article: Article) -> list[Key]:
    """Return the nodes of a provision: its section if it has several passages, else the passage itself."""
    rows = article.found.rows
    sections = np.unique(corpus.section_numbers(rows)) if len(rows) > 1 else rows[:0]
    if len(sections) == 1 and sections[0] >= 0:
        return [Key(NodeKind.SECTION, int(sections[0]))]
    return [Key(NodeKind.PASSAGE, row) for row in rows[:MOST_OF_ARTICLE].tolist()]


def _of_areas(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    ontology = corpus.ontology
    for key in keys if ontology is not None else ():
        assert ontology is not None
        for name, areas in ontology.transactions.items():
            if key.id in areas:
                yield Step(key, Key(NodeKind.TRANSACTION, name), Relation.REQUIRES, 1.0, forward=False)
        for concept in ontology.concepts:
            if concept.area == key.id:
                yield Step(key, Key(NodeKind.CONCEPT, concept.id), Relation.BELONGS_TO, 1.0, forward=False)


def _of_transactions(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    ontology = corpus.ontology
    for key in keys if ontology is not None else ():
        assert ontology is not None
        for area in ontology.transactions[str(key.id)]:
            yield Step(key, Key(NodeKind.AREA, area), Relation.REQUIRES, 1.0)


_STEPS: Mapping[NodeKind, Callable[[Corpus, Sequence[Key]], Iterator[Step]]] = {
    NodeKind.PASSAGE: _of_passages,
    NodeKind.SECTION: _of_sections,
    NodeKind.ENTITY: _of_entities,
    NodeKind.CONCEPT: _of_concepts,
    NodeKind.AREA: _of_areas,
    NodeKind.TRANSACTION: _of_transactions,
}


# Output of a subgraph: in sentences, one for each edge, as JSON and for networkx

MOST_SENTENCES = 40
# The least informative relations, which come last.
_LAST = (Relation.MENTIONS, Relation.PART_OF, Relation.BELONGS_TO)


def sentence(found: Subgraph, edge: Edge) -> str:
    """Return an edge in words: "Agency Code, Article 3(4) defines Power of attorney"."""
    names = {node.id: node for node in found.nodes}
    source, target = names[edge.source], names[edge.target]
    verb = RELATION_VERBS[edge.relation]
    if edge.relation is Relation.DEFINES and target.kind in (NodeKind.CONCEPT, NodeKind.ENTITY):
        verb = "defines"
    if target.kind is NodeKind.ENTITY_TYPE:
        verb = "is a"
    quote = f" (“{edge.quote}”)" if edge.quote and edge.quoted_from != ONTOLOGY else ""
    return f"{source.name} {verb} {target.name}{quote if edge.relation not in _LAST else ''}"


def to_words(corpus: Corpus, found: Subgraph, limit: int = MOST_SENTENCES) -> tuple[str, ...]:
    """Return up to ``limit`` sentences on a subgraph.

    First the checks that its concepts require, then its edges, the most certain and best connected first.
    """
    return tuple(dict.fromkeys((*_checks(corpus, found), *edge_sentences(found))))[:limit]


def _checks(corpus: Corpus, found: Subgraph) -> Iterator[str]:
    known = get_concepts(corpus)
    for node in found.nodes if known is not None else ():
        if known is not None and node.kind is NodeKind.CONCEPT and not node.hops:
            checks = known.by_id[node.id.partition(":")[2]].required_checks
            if checks:
                yield f"{node.name} has to be checked for: {'; '.join(checks)}"


def edge_sentences(found: Subgraph) -> Iterator[str]:
    """Yield the edges in sentences, the most certain and best connected first, uninformative ones last."""
    worth = {node.id: node.worth for node in found.nodes}
    kinds = {node.id for node in found.nodes if node.kind is NodeKind.ENTITY_TYPE}

    def order(edge: Edge) -> tuple[bool, float]:
        return edge.relation in _LAST, -edge.confidence * worth[edge.source] * worth[edge.target]

    # The kind of an entity follows from its spelling and has no legal meaning.
    edges = (edge for edge in found.edges if edge.target not in kinds)
    yield from (sentence(found, edge) for edge in sorted(edges, key=order))


def graph_text(corpus: Corpus, found: Subgraph) -> Iterator[str]:
    """Yield the lines of a subgraph for a terminal: its nodes, best connected first, and its sentences."""
    if not found.nodes:
        yield "nothing in this corpus is named there"
    for node in found.nodes:
        far = f"{node.hops} hop{'' if node.hops == 1 else 's'}" if node.hops else "asked for"
        yield f"{node.worth:.2f}  {node.kind.value.replace('_', ' ')}: {node.name}  [{node.id}], {far}"
    yield ""
    yield from to_words(corpus, found, len(found.edges) + len(found.nodes))


def to_json(corpus: Corpus, found: Subgraph) -> dict[str, Any]:
    """Return a subgraph as plain values: anchors, nodes, edges and sentences."""
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
    """Return a subgraph as a networkx graph with all attributes of nodes and edges."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=name)
    for node in found.nodes:
        graph.add_node(node.id, kind=node.kind.value, name=node.name, worth=node.worth, hops=node.hops)
    for edge in found.edges:
        attributes = {"confidence": edge.confidence, "quote": edge.quote, "quoted_from": edge.quoted_from}
        graph.add_edge(edge.source, edge.target, relation=edge.relation.value, **attributes)
    return graph
