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
from engine.ontology.applying import Article, concepts_of

if TYPE_CHECKING:
    import networkx as nx


# The nouns of the graph: nodes and edges as people see them, keys and steps as they are searched.

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


# What is next to some nodes of the graph: asked for many at once, so that only what is near is
# read.
#
# Documents and kinds of entities lead nowhere: what is in one of them is not near to the rest of
# it.

_RELATIONS = tuple(Relation)
# Neighbours of a passage by references, each way; passages of a section or an entity; of an article.
MOST_LINKED, MOST_BELOW, MOST_OF_ARTICLE = 40, 12, 6


def steps_from(corpus: Corpus, keys: Sequence[Key]) -> Iterator[Step]:
    """All edges of some nodes, both ways."""
    for kind, ask in _ASKED.items():
        own = [key for key in keys if key.kind is kind]
        if own:
            yield from ask(corpus, own)


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
    if (known := concepts_of(corpus)) is not None:
        for row, concept, article in known.at(corpus, rows):
            relation = Relation.DEFINES if article.defines else Relation.APPLIES_TO
            target = Key(NodeKind.CONCEPT, concept.id)
            yield Step(Key(NodeKind.PASSAGE, row), target, relation, 1.0, quote=article.said)


def _linked(corpus: Corpus, keys: Sequence[Key], rows: Rows) -> Iterator[Step]:
    """References from and to passages; of each passage the surest, one for each passage and relation."""
    for direction in Direction:
        links = corpus.neighbours(rows, None, direction)
        order = np.lexsort((links.rows, -links.weights, links.origins))
        counts: dict[int, int] = {}
        seen: set[tuple[int, int, int]] = set()
        for place in order.tolist():
            origin, row = int(links.origins[place]), int(links.rows[place])
            one = (origin, row, int(links.relations[place]))
            if row == int(rows[origin]) or one in seen or counts.get(origin, 0) >= MOST_LINKED:
                continue
            seen.add(one)
            counts[origin] = counts.get(origin, 0) + 1
            yield Step(
                keys[origin],
                Key(NodeKind.PASSAGE, row),
                _RELATIONS[one[2]],
                float(links.weights[place]),
                direction is Direction.OUT,
                int(links.evidence[place]),
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
            above = next(number for number, one in listed if one.id == section.parent_id)
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
    known = concepts_of(corpus)
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
                yield Step(key, target, relation, 1.0, forward=False, quote=article.said)


def _of_article(corpus: Corpus, article: Article) -> list[Key]:
    """The node of a provision: its section where it has several passages, else the passage itself."""
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


_ASKED: Mapping[NodeKind, Callable[[Corpus, Sequence[Key]], Iterator[Step]]] = {
    NodeKind.PASSAGE: _of_passages,
    NodeKind.SECTION: _of_sections,
    NodeKind.ENTITY: _of_entities,
    NodeKind.CONCEPT: _of_concepts,
    NodeKind.AREA: _of_areas,
    NodeKind.TRANSACTION: _of_transactions,
}


# A subgraph in words, one sentence an edge, for whoever reads it before the passages; as JSON and
# for networkx.

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
