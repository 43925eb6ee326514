"""The part of the graph around some nodes, best first, and the shortest path between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.graph.nodes import ONTOLOGY, Edge, Key, Node, NodeKind, Step, Subgraph, steps_from
from engine.investigation.graph.walks import get_associations
from engine.investigation.strategies.entities import as_written
from engine.model import Direction, Naming, Passage, Relation
from engine.ontology.applying import get_concepts
from engine.retrieval.planning.named import provisions_named
from engine.retrieval.planning.prose import documents_at, standards_at

# The shortest path of references between two provisions or documents, with the words of each
# step.

# Steps of a path, passages that one round of the search follows, and passages of a named document.
LONGEST_PATH, MOST_IN_PATH, MOST_OF_DOCUMENT = 4, 2_000, 2_000
_RELATIONS = tuple(Relation)


@dataclass(frozen=True, slots=True)
class PathStep:
    """A reference from one passage to another, with its row of the reference table."""

    source: int
    target: int
    relation: Relation
    evidence: int


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """What a text names: a provision or a document, with the rows of its passages."""

    words: str
    rows: Rows


def named_places(corpus: Corpus, text: str, language: str, day: date | None = None) -> list[NamedPlace]:
    """Return the provisions, standards and documents that a text names, provisions first."""
    found = [
        NamedPlace(one.words, corpus.rows(list(one.passage_ids)))
        for one in provisions_named(corpus, text, language, day or date.today())
        if one.status is Naming.FOUND and one.passage_ids
    ]
    if len(found) > 1:
        return found
    named = {span.start: (ids, span) for ids, span in standards_at(corpus, text)}
    for document, span in documents_at(corpus, text, language):
        named.setdefault(span.start, ((document,), span))
    taken = [one.words.casefold() for one in found]
    for ids, span in (named[start] for start in sorted(named)):
        words = text[span.start : span.end]
        if ids and not any(words.casefold() in one for one in taken):
            rows = np.concatenate(corpus.by_document(list(ids)))[:MOST_OF_DOCUMENT]
            found.append(NamedPlace(words, rows.astype(np.int32)))
    return found


def find_path(corpus: Corpus, first: Rows, second: Rows) -> tuple[PathStep, ...]:
    """Return the shortest path of references, in either direction, between two sets of passages.

    Passages of one provision are one place: a path may go on from another paragraph. Empty if they have a
    passage in common, or if there is no path of ``LONGEST_PATH`` steps.
    """
    goal = set(second.tolist())
    reached: dict[int, tuple[int, PathStep | None]] = {row: (row, None) for row in first.tolist()}
    if goal & reached.keys():
        return ()
    frontier = np.array(sorted(reached), np.int32)
    for _ in range(LONGEST_PATH):
        fresh: list[int] = []
        for direction in Direction:
            links = corpus.neighbours(frontier, None, direction)
            for origin, row, relation, evidence in zip(
                links.origins.tolist(),
                links.rows.tolist(),
                links.relations.tolist(),
                links.evidence.tolist(),
                strict=True,
            ):
                start = int(frontier[origin])
                if row in reached or evidence < 0:
                    continue
                ends = (start, row) if direction is Direction.OUT else (row, start)
                reached[row] = start, PathStep(ends[0], ends[1], _RELATIONS[relation], evidence)
                fresh.append(row)
        met = next((row for row in fresh if row in goal), None)
        if met is not None:
            return _back(reached, met)
        fresh += _siblings(corpus, fresh, reached)
        frontier = np.array(fresh[:MOST_IN_PATH], np.int32)
        if not len(frontier):
            break
    return ()


def _siblings(corpus: Corpus, rows: list[int], reached: dict[int, tuple[int, PathStep | None]]) -> list[int]:
    """Return the other passages of the provisions of some rows, and note that they are reached, too."""
    own = np.array(rows, np.int32)
    added: list[int] = []
    numbers = corpus.section_numbers(own).tolist() if len(own) else []
    documents = corpus.documents()
    for row, section, document in zip(rows, numbers, corpus.document_numbers(own).tolist(), strict=True):
        if section < 0:
            continue
        (found,), (every,) = corpus.sections([section]), corpus.by_document([documents[document].id])
        for other in every[found.first : found.stop].tolist():
            if other not in reached:
                reached[other] = row, None
                added.append(other)
    return added


def _back(reached: dict[int, tuple[int, PathStep | None]], row: int) -> tuple[PathStep, ...]:
    steps: list[PathStep] = []
    while True:
        before, step = reached[row]
        if before == row:
            return tuple(reversed(steps))
        if step is not None:
            steps.append(step)
        row = before


# The part of the graph that is best connected with some nodes (anchors), best first.
#
# The worth of an anchor is 1. The worth of another node is the highest that a path from an anchor
# gives it: at each step the worth of the previous node, times the edge's confidence, times the
# weight of its relation, divided by the root of the number of neighbours that the previous node
# has by this relation, unless the ontology names each of them. So neighbours of a hub have a low
# worth, longer paths give less than shorter ones, and a subgraph is connected with its anchors.
# Among equal nodes those with fewer hops come first, then their order in the corpus decides.

# Default depth in hops and number of nodes, and their limits.
DEPTH, MOST_NODES = 2, 20
DEEPEST, LARGEST = 4, 200
# The best nodes reached by a hop, from which the next one starts.
MOST_FOLLOWED = 60
# Weights of relations, 1 for others: the order of a document is the least informative.
RELATION_WEIGHTS: Mapping[Relation, float] = {
    Relation.PART_OF: 0.4,
    Relation.MENTIONS: 0.4,
    Relation.CITES: 0.8,
    Relation.BELONGS_TO: 0.7,
    Relation.REQUIRES: 0.7,
}
# The factor of each hop.
HOP = 0.9
_ORDER = {kind: place for place, kind in enumerate(NodeKind)}


def subgraph(
    corpus: Corpus, anchors: Sequence[Key], depth: int = DEPTH, most_nodes: int = MOST_NODES
) -> Subgraph:
    """Return the nodes that are best connected with the anchors, and the edges between them.

    At most ``most_nodes`` nodes with the anchors, at most ``depth`` hops away. Raises InputError for numbers
    out of range.
    """
    _check("depth", depth, DEEPEST)
    _check("nodes", most_nodes, LARGEST)
    hops = dict.fromkeys(anchors[:most_nodes], 0)
    worth = dict.fromkeys(hops, 1.0)
    seen: dict[tuple[Key, Key, Relation], Step] = {}
    frontier = list(hops)
    for hop in range(1, depth + 1):
        reached: set[Key] = set()
        steps = list(steps_from(corpus, frontier))
        fan = Counter((step.start, step.relation, step.forward) for step in steps)
        for step in steps:
            seen.setdefault(_ends(step), step)
            shared = 1.0 if step.quote else fan[step.start, step.relation, step.forward] ** 0.5
            gain = (
                worth[step.start] * step.confidence * RELATION_WEIGHTS.get(step.relation, 1.0) * HOP / shared
            )
            if gain > worth.get(step.end, 0.0):
                worth[step.end] = gain
                hops.setdefault(step.end, hop)
                if hops[step.end] == hop:
                    reached.add(step.end)
        frontier = sorted(reached, key=lambda key: (-worth[key], *_place(key)))[:MOST_FOLLOWED]
    chosen = sorted(worth, key=lambda key: (hops[key] > 0, -worth[key], hops[key], *_place(key)))
    return _make_subgraph(corpus, chosen[:most_nodes], worth, hops, seen.values())


def anchors_in(corpus: Corpus, text: str, language: str) -> list[Key]:
    """Return the nodes that a text names.

    Provisions, standards and documents come first, with the path between the first two; then concepts of the
    ontology, then entities, the rarest first.
    """
    named = named_places(corpus, text, language)
    path = find_path(corpus, named[0].rows, named[1].rows) if len(named) > 1 else ()
    rows = dict.fromkeys(row for step in path for row in (step.source, step.target))
    places = [Key(NodeKind.PASSAGE, row) for row in rows]
    places += [
        Key(NodeKind.PASSAGE, int(one.rows[0])) for one in named if rows.keys().isdisjoint(one.rows.tolist())
    ]
    known = get_concepts(corpus)
    concepts = () if known is None else known.named_in(text, language)
    graph = get_associations(corpus)
    entities = sorted(graph.entities_in(text, language), key=lambda one: (-float(graph.rarity[one]), one))
    return [
        *places,
        *(Key(NodeKind.CONCEPT, one.concept.id) for one in concepts),
        *(Key(NodeKind.ENTITY, entity) for entity in entities),
    ]


def anchor(corpus: Corpus, name: str) -> Key:
    """Find a node by its id in a subgraph: a passage id, or kind, colon and id ("concept:objection").

    Raises InputError for an unknown id.
    """
    row = int(corpus.rows([name])[0])
    if row >= 0:
        return Key(NodeKind.PASSAGE, row)
    kind, _, own = name.partition(":")
    found = _looked_up(corpus, kind, own)
    if found is None:
        raise InputError(
            f"{corpus.name} has no node {name!r}: give the id of a passage, or document:, section:, "
            f"concept:, area:, transaction: or entity: and an id"
        )
    return Key(NodeKind(kind), found)


def _looked_up(corpus: Corpus, kind: str, own: str) -> int | str | None:
    ontology, documents = corpus.ontology, corpus.documents()
    if kind == NodeKind.DOCUMENT:
        return next((number for number, one in enumerate(documents) if one.id == own), None)
    if kind == NodeKind.SECTION:
        for document, one in enumerate(documents):
            numbers = corpus.document_sections(document).tolist() if own.startswith(one.id) else []
            for number, section in zip(numbers, corpus.sections(numbers), strict=True):
                if section.id == own:
                    return int(number)
        return None
    if kind == NodeKind.ENTITY:
        every = corpus.entities(range(corpus.info().entities))
        return next((number for number, entity in enumerate(every) if entity.id == own), None)
    if ontology is None:
        return None
    listed: Mapping[str, Iterable[str]] = {
        NodeKind.CONCEPT: [concept.id for concept in ontology.concepts],
        NodeKind.AREA: [area.id for area in ontology.areas],
        NodeKind.TRANSACTION: ontology.transactions,
    }
    return own if own in listed.get(kind, ()) else None


def _check(what: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise InputError(f"{what}: a number from 1 to {most} (given: {number})")


def _ends(step: Step) -> tuple[Key, Key, Relation]:
    """Return source, target and relation of a step's edge."""
    source, target = (step.start, step.end) if step.forward else (step.end, step.start)
    return source, target, step.relation


def _place(key: Key) -> tuple[int, int, str]:
    return (_ORDER[key.kind], key.id, "") if isinstance(key.id, int) else (_ORDER[key.kind], 0, key.id)


def _make_subgraph(
    corpus: Corpus,
    chosen: Sequence[Key],
    worth: Mapping[Key, float],
    hops: Mapping[Key, int],
    seen: Iterable[Step],
) -> Subgraph:
    rows = np.array([key.id for key in chosen if key.kind is NodeKind.PASSAGE], np.int32)
    passages = dict(zip(rows.tolist(), corpus.passages(rows), strict=True)) if len(rows) else {}
    nodes = {key: _node(corpus, key, worth[key], hops[key], passages) for key in chosen}
    inside = [step for step in seen if step.start in nodes and step.end in nodes]
    made = {step.evidence for step in inside if step.evidence >= 0}
    references = dict(zip(sorted(made), corpus.references(sorted(made)), strict=True))
    edges = []
    for step in inside:
        source, target, relation = _ends(step)
        quote, origin = step.quote, ONTOLOGY
        if step.evidence >= 0:
            quote, origin = references[step.evidence].text, references[step.evidence].source_id
        elif source.kind is NodeKind.PASSAGE and target.kind is NodeKind.ENTITY:
            passage = passages[int(source.id)]
            quote, origin = as_written(nodes[target].name, passage.text), passage.id
        elif relation in (Relation.PART_OF, Relation.BELONGS_TO) and target.kind is not NodeKind.AREA:
            # From the order of a document, or from the spelling of an entity.
            origin = passages[int(source.id)].id if source.kind is NodeKind.PASSAGE else ""
        edges.append(Edge(nodes[source].id, nodes[target].id, relation, step.confidence, quote, origin))
    ids = tuple(nodes[key].id for key in chosen if not hops[key])
    return Subgraph(tuple(nodes.values()), tuple(edges), ids)


def _node(corpus: Corpus, key: Key, worth: float, hops: int, passages: Mapping[int, Passage]) -> Node:
    if key.kind is NodeKind.PASSAGE:
        row = int(key.id)
        passage = passages[row]
        document = corpus.documents()[int(corpus.document_numbers(np.array([row], np.int32))[0])]
        name = f"{_short(document.title or document.id, document.aliases)}, {passage.label or passage.id}"
        return Node(passage.id, key.kind, name, worth, hops, row)
    own, name = _called(corpus, key)
    return Node(f"{key.kind}:{own}", key.kind, name, worth, hops)


def _called(corpus: Corpus, key: Key) -> tuple[str, str]:
    """Return the id and name of a node other than a passage."""
    if key.kind is NodeKind.DOCUMENT:
        document = corpus.documents()[int(key.id)]
        return document.id, document.title or document.id
    if key.kind is NodeKind.SECTION:
        (section,) = corpus.sections([int(key.id)])
        kind = section.kind.value.capitalize()
        return section.id, " ".join(part for part in (kind, section.number, section.title) if part)
    if key.kind is NodeKind.ENTITY:
        (entity,) = corpus.entities([int(key.id)])
        return entity.id, entity.name
    own, ontology = str(key.id), corpus.ontology
    named: Mapping[str, Mapping[str, str]] = {}
    if ontology is not None:
        named = {
            NodeKind.CONCEPT: {one.id: _first(one.names) for one in ontology.concepts},
            NodeKind.AREA: {one.id: _first(one.names) for one in ontology.areas},
            NodeKind.TRANSACTION: {name: _first(words.names) for name, words in ontology.wording.items()},
        }
    return own, named.get(key.kind, {}).get(own) or own.replace("_", " ").replace("-", " ")


def _first(names: Mapping[str, str]) -> str:
    return names.get("en") or next(iter(names.values()), "")


def _short(title: str, aliases: Sequence[str]) -> str:
    """Return the title of a document, or the first of its shorter names if the title is long."""
    return next((name for name in aliases if len(name) < len(title)), title) if len(title) > 40 else title
