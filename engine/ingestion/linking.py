"""References that a source states outside its texts: in a document's metadata, or in ``edges.tsv``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from io import TextIOWrapper
from typing import Any, NamedTuple

from engine.errors import FileRefusedError
from engine.ingestion.readers.base import Problem, SourceFile
from engine.language.addresses import PROVISIONS
from engine.model import Document, Passage, Relation, Section, SectionKind, TargetKind

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
_LONGEST_EDGE = 65_536


class Stated(NamedTuple):
    """A link that no words of a text make: from a row of the corpus to a document, section or passage."""

    row: int
    relation: Relation
    kind: TargetKind
    target: int
    grammar: str


def declared_references(documents: Sequence[Document], first_rows: Sequence[int]) -> Iterator[Stated]:
    """Links between documents that their metadata name by id, from the first passage of each.

    A name that is no id of a document in the corpus is passed over: it may be prose.
    """
    numbers = {document.id: number for number, document in enumerate(documents)}
    for own, document in enumerate(documents):
        for field, relation in DECLARED.items():
            for name in _named(document, field):
                target = numbers.get(name, own)
                if target != own:
                    yield Stated(first_rows[own], relation, TargetKind.DOCUMENT, target, DECLARED_GRAMMAR)


def version_references(sections: Sequence[Section], passages: Sequence[Passage]) -> list[tuple[int, str]]:
    """Links from a later version of a provision to the one it took the place of, and from an explanation to
    what it explains: the position of its first passage, and the id of the earlier section.

    Versions stand one after the other in a document, with one number and rising dates.
    """
    latest: dict[tuple[str, SectionKind, str], Section] = {}
    heads = {(passage.document_id, passage.position): row for row, passage in enumerate(passages)}
    found = []
    for section in sections:
        if section.number is None:
            continue
        explains = section.kind is SectionKind.GUIDANCE
        kinds = PROVISIONS if explains else (section.kind,)
        every = (latest.get((section.document_id, kind, section.number)) for kind in kinds)
        earlier = next(filter(None, every), None)
        latest[section.document_id, section.kind, section.number] = section
        if earlier is None:
            continue
        row = heads.get((section.document_id, section.first))
        old = heads.get((section.document_id, earlier.first))
        if row is None or old is None:
            continue
        since = passages[row].valid_from
        if explains or (since is not None and (passages[old].valid_from or date.min) < since):
            found.append((row, earlier.id))
    return found


def _named(document: Document, field: str) -> Sequence[str]:
    value: Any = document.metadata.get(field)
    if isinstance(value, str):
        return (value,)
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()


class Edge(NamedTuple):
    """A link between the ids by which a source knows two passages, and where it is written."""

    source: str
    target: str
    path: str = ""
    line: int | None = None


def read_edges(source: SourceFile, problems: list[Problem]) -> Iterator[Edge]:
    """The edges of a file: ``source-id``, ``target-id`` and more, tab-separated, with a header line.

    A file that cannot be opened is a problem and counts as none.
    """
    try:
        file = TextIOWrapper(source.opened(), encoding="utf-8", errors="replace")
    except (OSError, FileRefusedError) as error:
        problems.append(Problem(source.name, f"cannot be opened ({error})"))
        return
    with file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_EDGE), ""), start=1):
            columns = line.rstrip("\r\n").split("\t")
            if len(line) == _LONGEST_EDGE:
                problems.append(Problem(source.name, "no line of edges: not read from here on", number))
                return
            if number == 1 or not line.strip():
                continue
            if len(columns) < 2:
                reason = "an edge needs a source id, a tab and a target id"
                problems.append(Problem(source.name, reason, number))
            else:
                yield Edge(columns[0], columns[1], source.name, number)


def stated_edges(
    edges: Iterable[Edge], source_ids: Iterable[str], problems: list[Problem]
) -> Iterator[Stated]:
    """The links of edges whose both ends are in the corpus; of a new edge it is a problem if one is not.

    ``source_ids``: by which id the source knows each passage of the corpus, in order.
    """
    first_part: dict[str, int] = {}
    for row, source_id in enumerate(source_ids):
        first_part.setdefault(source_id, row)
    for edge in edges:
        source, target = first_part.get(edge.source), first_part.get(edge.target)
        if source is None or target is None:
            if edge.path:
                missing = edge.source if source is None else edge.target
                problems.append(Problem(edge.path, "no such passage in the corpus", edge.line, missing))
        else:
            yield Stated(source, Relation.CITES, TargetKind.PASSAGE, target, EDGES_GRAMMAR)
