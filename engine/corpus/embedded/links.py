"""References and links of a corpus folder, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Strings, ranges, row_pointers
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.documents import RELATION_NUMBERS, RELATIONS, DocumentTable, SectionTable
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.protocol import Links, Rows
from engine.model import Direction, Reference, Relation, Span, Status, TargetKind

# Columns of references.

STATUSES = tuple(Status)
TARGET_KINDS = tuple(TargetKind)
STATUS_NUMBERS: Mapping[Status, int] = {status: number for number, status in enumerate(STATUSES)}
KIND_NUMBERS: Mapping[TargetKind | None, int] = {
    None: -1,
    **{kind: number for number, kind in enumerate(TARGET_KINDS)},
}

COLUMNS: Mapping[str, type[np.generic]] = {
    "source": np.int32,
    "start": np.int32,
    "end": np.int32,
    "relation": np.int8,
    "status": np.int8,
    "kind": np.int8,
    "target": np.int32,
    "confidence": np.float32,
    "grammar": np.int16,
}


class Targets(NamedTuple):
    """Numbers of possible targets of references, by id."""

    passages: Mapping[str, int]
    sections: Mapping[str, int]
    documents: Mapping[str, int]

    def number(self, kind: TargetKind | None, target_id: str | None) -> int:
        """Return the number of a target, -1 for none. Raises KeyError for an unknown target."""
        if kind is None or target_id is None:
            return -1
        if kind is TargetKind.PASSAGE:
            return self.passages[target_id]
        return self.sections[target_id] if kind is TargetKind.SECTION else self.documents[target_id]


@dataclass(slots=True)
class ReferenceColumns:
    """References in the order of their sources.

    ``columns`` have shape (n,); ``target`` is a row, or the number of a section or document, by ``kind``; -1
    for none. ``candidates`` are JSON lists of ids.
    """

    columns: dict[str, Array]
    candidates: Strings
    grammars: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.candidates)

    def sorted(self) -> ReferenceColumns:
        """Return the references sorted by source passage and position in its text."""
        # As one number, so that nearly sorted input takes one pass.
        places = self.columns["source"].astype(np.int64) << 32 | self.columns["start"]
        if (places[1:] >= places[:-1]).all():
            return self
        order = np.argsort(places, kind="stable")
        columns = {name: values[order] for name, values in self.columns.items()}
        return ReferenceColumns(columns, self.candidates.picked(order), self.grammars)

    def block(self) -> Block:
        """Return the columns as a block."""
        block = Block(self.columns)
        block.put_column("candidates", self.candidates)
        return block

    def by_relation(self) -> dict[str, int]:
        """Return the number of references of each relation."""
        return _counted(self.columns["relation"], RELATIONS)

    def by_status(self) -> dict[str, int]:
        """Return the number of references of each status."""
        return _counted(self.columns["status"], STATUSES)


def _counted(codes: Array, names: Sequence[object]) -> dict[str, int]:
    """Return the number of each code that occurs, by name, in order of first occurrence."""
    found, first, counts = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(first)
    return {str(names[found[place]]): int(counts[place]) for place in order.tolist()}


def columns_in(block: Block, grammars: tuple[str, ...]) -> ReferenceColumns:
    """Return the columns of ``ReferenceColumns.block``."""
    return ReferenceColumns({name: block[name] for name in COLUMNS}, block.strings("candidates"), grammars)


def columns_of(references: Sequence[Reference], targets: Targets) -> ReferenceColumns:
    """Return the columns of references. Raises KeyError for an unknown source or resolved target."""
    grammars = tuple(sorted({reference.grammar for reference in references}))
    codes = {grammar: code for code, grammar in enumerate(grammars)}
    values: dict[str, list[int] | list[float]] = {
        "source": [targets.passages[r.source_id] for r in references],
        "start": [r.span.start for r in references],
        "end": [r.span.end for r in references],
        "relation": [RELATION_NUMBERS[r.relation] for r in references],
        "status": [STATUS_NUMBERS[r.status] for r in references],
        "kind": [KIND_NUMBERS[r.target_kind] for r in references],
        "target": [targets.number(r.target_kind, r.target_id) for r in references],
        "confidence": [r.confidence for r in references],
        "grammar": [codes[r.grammar] for r in references],
    }
    columns = {name: np.asarray(values[name], dtype) for name, dtype in COLUMNS.items()}
    candidates = [orjson.dumps(r.candidates).decode() if r.candidates else "" for r in references]
    return ReferenceColumns(columns, Strings.of(candidates), grammars)


# Interfaces to the possible ends of links, in any store.


class Passages(Protocol):
    """Passages by id and by row."""

    def rows(self, ids: Sequence[str]) -> Rows:
        """Return rows of ids, -1 for an unknown id."""

    def texts(self, rows: Sequence[int]) -> list[str]:
        """Return texts by row."""


class Sections(Protocol):
    """Sections by number."""

    @property
    def first(self) -> Array:
        """The first row of each."""

    @property
    def stop(self) -> Array:
        """The row after the last of each."""

    def find(self, section_id: str) -> int | None:
        """Return the number of an id."""


class Documents(Protocol):
    """Documents by number."""

    @property
    def first(self) -> Array:
        """The first row of each."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each id."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The possible ends of links."""

    passages: Passages
    sections: Sections
    documents: Documents


# The reference table, and the links between passages.

# A reference to a section links to its first passage, and in a short section to all. A reference to a whole
# document links to its first passage only.
SHORT_SECTION = 8
SECTION_BODY_WEIGHT = 0.6
DOCUMENT_WEIGHT = 0.5


class ReferenceTable:
    """Every reference, resolved or not, in the order of its source passage."""

    def __init__(
        self, cited: Block, grammars: Sequence[str], changed: Mapping[str, Array] | None = None
    ) -> None:
        """``changed`` are columns that replace those of the block, shape (references,) each."""
        self._grammars = tuple(grammars)
        self._cited, self._candidates = cited, cited.strings("candidates")
        self._columns: dict[str, Array] = {name: cited[name] for name in COLUMNS} | dict(changed or {})

    def __len__(self) -> int:
        return len(self._columns["source"])

    def column(self, name: str) -> Array:
        """Return a column by name, shape (references,): source, status, relation, kind, target."""
        return self._columns[name]

    def candidates(self) -> list[str]:
        """Return the candidates of each reference, a JSON list of ids or empty."""
        return self._candidates.all()

    def changed(self, columns: Mapping[str, Array]) -> ReferenceTable:
        """Return the references with some columns replaced, shape (references,) each."""
        return ReferenceTable(self._cited, self._grammars, columns)

    def take(
        self,
        numbers: Sequence[int] | Array,
        passages: PassageTable,
        sections: SectionTable,
        documents: DocumentTable,
    ) -> list[Reference]:
        """Return the references with these numbers, in that order."""
        chosen = np.asarray(numbers, np.int64)
        column = {name: values[chosen].tolist() for name, values in self._columns.items()}
        texts, sources = passages.texts(column["source"]), passages.ids(column["source"])
        candidates = self._candidates.take(chosen)
        references = []
        for n, text in enumerate(texts):
            kind = None if column["kind"][n] < 0 else TARGET_KINDS[column["kind"][n]]
            span = Span(column["start"][n], column["end"][n])
            references.append(
                Reference(
                    source_id=sources[n],
                    span=span,
                    text=text[span.start : span.end],
                    relation=RELATIONS[column["relation"][n]],
                    status=STATUSES[column["status"][n]],
                    target_kind=kind,
                    target_id=_target_id(kind, column["target"][n], passages, sections, documents),
                    candidates=tuple(orjson.loads(candidates[n])) if candidates[n] else (),
                    confidence=round(column["confidence"][n], 6),
                    grammar=self._grammars[column["grammar"][n]],
                )
            )
        return references

    def each(
        self, passages: PassageTable, sections: SectionTable, documents: DocumentTable, block: int = 4096
    ) -> Iterator[Reference]:
        """Yield all references, read in batches."""
        yield from self.some(np.arange(len(self)), passages, sections, documents, block)

    def some(
        self,
        numbers: Array,
        passages: PassageTable,
        sections: SectionTable,
        documents: DocumentTable,
        block: int = 4096,
    ) -> Iterator[Reference]:
        """Yield the references with these numbers, read in batches."""
        for start in range(0, len(numbers), block):
            yield from self.take(numbers[start : start + block], passages, sections, documents)

    def edges(self, sections: Sections, documents: Documents, numbers: Array | None = None) -> Edges:
        """Return resolved references as edges between passages, one per source, target and relation.

        ``numbers``: None for all references.
        """
        targets = self._columns["target"]
        resolved = np.flatnonzero(targets >= 0) if numbers is None else numbers[targets[numbers] >= 0]
        kind, target = self._columns["kind"][resolved], self._columns["target"][resolved].astype(np.int64)
        first, stop, weight = target.copy(), target + 1, np.ones(len(resolved), np.float32)
        is_section = kind == TARGET_KINDS.index(TargetKind.SECTION)
        first[is_section], stop[is_section] = (
            sections.first[target[is_section]],
            sections.stop[target[is_section]],
        )
        is_document = kind == TARGET_KINDS.index(TargetKind.DOCUMENT)
        first[is_document] = documents.first[target[is_document]]
        weight[is_document] = DOCUMENT_WEIGHT
        stop = np.where(is_document | (stop - first > SHORT_SECTION), first + 1, stop)
        origins, rows = ranges(first, stop)
        weights = weight[origins] * np.where(rows == first[origins], 1.0, SECTION_BODY_WEIGHT)
        weights *= self._columns["confidence"][resolved][origins]
        return _distinct(
            Edges(
                self._columns["source"][resolved][origins].astype(np.int64),
                rows,
                self._columns["relation"][resolved][origins],
                weights.astype(np.float32),
                resolved[origins].astype(np.int32),
            )
        )


class Edges(NamedTuple):
    """Edges between passages, shape (n,) each; ``evidence`` is the number of a reference."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    relations: NDArray[np.int8]
    weights: NDArray[np.float32]
    evidence: NDArray[np.int32]


class LinkIndex:
    """Links as a sparse matrix for each direction."""

    def __init__(self, cited: Block) -> None:
        self._matrices = {direction: _Matrix(cited, direction) for direction in Direction}

    @property
    def size(self) -> int:
        """The number of passages."""
        return len(self._matrices[Direction.OUT].pointers) - 1

    def edges(self) -> Edges:
        """Return all links as edges."""
        out = self._matrices[Direction.OUT]
        sources = np.repeat(np.arange(self.size, dtype=np.int64), np.diff(out.pointers))
        return Edges(sources, out.rows.astype(np.int64), out.relations, out.weights, out.evidence)

    def every(self) -> Links:
        """Return the links from all rows, as ``neighbours`` of all, without a copy."""
        out = self._matrices[Direction.OUT]
        origins = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(out.pointers))
        return Links(origins, out.rows, out.relations, out.weights, out.evidence)

    @staticmethod
    def put(cited: Block, edges: Edges, passages: int) -> None:
        """Set both directions."""
        for direction in Direction:
            out = direction is Direction.OUT
            near, far = (edges.sources, edges.targets) if out else (edges.targets, edges.sources)
            order = _ordered(near, far, edges.relations)
            cited.arrays |= {
                f"links.{direction}.pointers": row_pointers(near[order], passages),
                f"links.{direction}.rows": far[order].astype(np.int32),
                f"links.{direction}.relations": edges.relations[order],
                f"links.{direction}.weights": edges.weights[order],
                f"links.{direction}.evidence": edges.evidence[order],
            }

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Return the links of a batch of rows, sorted by row and passage reached."""
        matrix = self._matrices[direction]
        origins, places = ranges(matrix.pointers[rows], matrix.pointers[np.asarray(rows, np.int64) + 1])
        if relations is not None:
            wanted = np.asarray([RELATION_NUMBERS[relation] for relation in relations], np.int8)
            kept = np.isin(matrix.relations[places], wanted)
            origins, places = origins[kept], places[kept]
        return Links(
            origins.astype(np.int32),
            matrix.rows[places],
            matrix.relations[places],
            matrix.weights[places],
            matrix.evidence[places],
        )


class _Matrix:
    def __init__(self, cited: Block, direction: Direction) -> None:
        self.pointers: NDArray[np.int64] = cited[f"links.{direction}.pointers"]
        self.rows: Rows = cited[f"links.{direction}.rows"]
        self.relations: NDArray[np.int8] = cited[f"links.{direction}.relations"]
        self.weights: NDArray[np.float32] = cited[f"links.{direction}.weights"]
        self.evidence: Rows = cited[f"links.{direction}.evidence"]


def _distinct(edges: Edges) -> Edges:
    """Return one edge per source, target and relation, the strongest and then the first; no loops."""
    keys = _keys(edges.sources, edges.targets, edges.relations)
    order = np.argsort(keys, kind="stable")
    shared = np.zeros(len(order), np.bool_)
    again = keys[order][1:] == keys[order][:-1]
    shared[1:] |= again
    shared[:-1] |= again
    several = order[shared]
    # Only duplicates need the complete sort key.
    order[shared] = several[np.lexsort((edges.evidence[several], -edges.weights[several], keys[several]))]
    order = order[edges.sources[order] != edges.targets[order]]
    ordered = keys[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    kept = order[is_new]
    return Edges(*(column[kept] for column in edges))


def _keys(near: NDArray[np.int64], far: NDArray[np.int64], relations: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return a number for the ends and relation of each edge, with the same order."""
    size = max(int(far.max(initial=0)) + 1, 1)
    return (near * size + far) * len(RELATIONS) + relations


def _ordered(near: NDArray[np.int64], far: NDArray[np.int64], relations: NDArray[np.int8]) -> Array | slice:
    """Return the order of edges by their ends and relation; they are often sorted already."""
    keys = _keys(near, far, relations)
    if (keys[1:] >= keys[:-1]).all():
        return slice(None)
    return np.argsort(keys, kind="stable")


def _target_id(
    kind: TargetKind | None,
    number: int,
    passages: PassageTable,
    sections: SectionTable,
    documents: DocumentTable,
) -> str | None:
    if kind is None or number < 0:
        return None
    if kind is TargetKind.PASSAGE:
        return passages.ids([number])[0]
    return sections.id(number) if kind is TargetKind.SECTION else documents.all[number].id
