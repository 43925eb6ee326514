"""What is found in the texts of a collection: references, entities, index terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from engine.ingestion.children import Here, InChild
from engine.ingestion.gathering import Collection
from engine.ingestion.indexing import lexical_terms
from engine.ingestion.progress import Progress
from engine.language.entities import EntityTable, extract_entities
from engine.language.references import Resolver
from engine.model import Reference

# Below this many passages, the work takes less time than a child process.
WORTH_A_CHILD = 3000


@dataclass(frozen=True, slots=True)
class Analysis:
    """The findings. ``seconds`` of the steps overlap where they ran side by side."""

    references: list[Reference]
    entities: EntityTable
    texts: list[list[str]]
    contexts: list[list[str]]
    seconds: dict[str, float]


def analyse(collection: Collection, progress: Progress, *, headings: bool) -> Analysis:
    """Everything found in the texts; the three steps run side by side where that pays."""
    run = InChild if len(collection.passages) >= WORTH_A_CHILD else Here
    references = run(lambda: references_of(collection))
    entities = run(lambda: extract_entities(collection.passages))
    start = perf_counter()
    texts, contexts = lexical_terms(collection, progress, headings=headings)
    seconds = {"index": perf_counter() - start}
    progress("references", 0, 1)
    found, seconds["references"] = references.result()
    progress("references", 1, 1)
    progress("entities", 0, 1)
    table, seconds["entities"] = entities.result()
    progress("entities", 1, 1)
    return Analysis(found, table, texts, contexts, {name: round(value, 3) for name, value in seconds.items()})


def references_of(collection: Collection) -> list[Reference]:
    """The references that the texts make, in corpus order."""
    resolver = Resolver(collection.documents, collection.sections, collection.passages)
    return [reference for passage in collection.passages for reference in resolver.references(passage)]


def in_corpus_order(references: Sequence[Reference], collection: Collection) -> list[Reference]:
    """References by their source passage, and within one by their place in the text."""
    rows = {passage.id: row for row, passage in enumerate(collection.passages)}
    return sorted(references, key=lambda reference: (rows[reference.source_id], reference.span.start))
