"""References that a source states outside its texts: in a document's metadata, or in ``edges.tsv``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from engine.ingestion.gathering import Collection
from engine.ingestion.readers.base import Problem
from engine.model import Document, Reference, Relation, Section, SectionKind, Span, Status, TargetKind

# Names of metadata fields, as in ELI, and the relation they state between whole documents.
DECLARED = {
    "based_on": Relation.BASED_ON,
    "amends": Relation.AMENDS,
    "repeals": Relation.REPEALS,
    "supersedes": Relation.SUPERSEDES,
    "replaces": Relation.SUPERSEDES,
    "applies_to": Relation.APPLIES_TO,
    "cites": Relation.CITES,
}
DECLARED_GRAMMAR, VERSIONS_GRAMMAR, EDGES_GRAMMAR = "metadata", "versions", "edges.tsv"

# No words of the text make these links, so their span is empty.
_NOWHERE = Span(0, 0)


def declared_references(collection: Collection) -> Iterator[Reference]:
    """Links between documents that their metadata name by id, from the first passage of each.

    A name that is no id of a document in the collection is passed over: it may be prose.
    """
    ids = {document.id for document in collection.documents}
    heads: dict[str, str] = {}
    for passage in collection.passages:
        heads.setdefault(passage.document_id, passage.id)
    for document in collection.documents:
        for field, relation in DECLARED.items():
            for target in _named(document, field):
                if target in ids and target != document.id:
                    yield Reference(
                        heads[document.id],
                        _NOWHERE,
                        "",
                        relation,
                        Status.RESOLVED,
                        TargetKind.DOCUMENT,
                        target,
                        grammar=DECLARED_GRAMMAR,
                    )


def version_references(collection: Collection) -> Iterator[Reference]:
    """Links from a later version of a provision to the one it took the place of.

    Versions stand one after the other in a document, with one number and rising dates.
    """
    latest: dict[tuple[str, SectionKind, str], Section] = {}
    heads = {(passage.document_id, passage.position): passage for passage in collection.passages}
    for section in collection.sections:
        if section.number is None:
            continue
        key = (section.document_id, section.kind, section.number)
        earlier = latest.get(key)
        latest[key] = section
        if earlier is None:
            continue
        new, old = heads[(section.document_id, section.first)], heads[(section.document_id, earlier.first)]
        if new.valid_from is not None and (old.valid_from or date.min) < new.valid_from:
            yield Reference(
                new.id,
                _NOWHERE,
                "",
                Relation.SUPERSEDES,
                Status.RESOLVED,
                TargetKind.SECTION,
                earlier.id,
                grammar=VERSIONS_GRAMMAR,
            )


def _named(document: Document, field: str) -> Sequence[str]:
    value: Any = document.metadata.get(field)
    if isinstance(value, str):
        return (value,)
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()


def edge_references(path: Path, collection: Collection, problems: list[Problem]) -> Iterator[Reference]:
    """The edges of a file: ``source-id``, ``target-id`` and more, tab-separated, with a header line."""
    first_part: dict[str, str] = {}
    for passage in collection.passages:
        first_part.setdefault(passage.source_id, passage.id)
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            columns = line.rstrip("\r\n").split("\t")
            if number == 1 or not line.strip():
                continue
            if len(columns) < 2:
                problems.append(
                    Problem(str(path), "an edge needs a source id, a tab and a target id", number)
                )
                continue
            source, target = (first_part.get(name) for name in columns[:2])
            if source is None or target is None:
                missing = columns[0] if source is None else columns[1]
                problems.append(Problem(str(path), "no such passage in the corpus", number, missing))
            else:
                yield Reference(
                    source,
                    _NOWHERE,
                    "",
                    Relation.CITES,
                    Status.RESOLVED,
                    TargetKind.PASSAGE,
                    target,
                    grammar=EDGES_GRAMMAR,
                )
