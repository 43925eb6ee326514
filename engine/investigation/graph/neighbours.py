"""What is next to some nodes of the graph: asked for many at once, so that only what is near is read.

Documents and kinds of entities lead nowhere: what is in one of them is not near to the rest of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from engine.corpus.adjacency import LOWEST_RARITY
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.associations import associations
from engine.investigation.graph.nodes import Key, NodeKind, Step
from engine.model import Direction, Relation
from engine.ontology.concepts import Article, concepts_of

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
    graph = associations(corpus)
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
    graph = associations(corpus)
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
