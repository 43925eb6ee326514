"""Structural neighbours of passages, and browsing of a corpus folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import found_in
from engine.corpus.embedded.arrays import Array, Index, ranges, row_pointers
from engine.corpus.embedded.documents import KIND_NUMBERS, RELATION_NUMBERS, DocumentTable, SectionTable
from engine.corpus.embedded.links import STATUSES, TARGET_KINDS, ReferenceTable
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.protocol import Cited, Links, Quoted, Rows
from engine.model import Relation, SectionKind, Status, TargetKind

# Passages related by the structure of a document. Weights, from near to far; within a band the distance in
# reading order reduces the weight by less than the difference of the bands:  ====
# ===================================================== 1.0  the same section 0.8  the first passage of the
# section, and of its parent 0.6  the next and the previous passage 0.4  the parent section (in a flat
# document: all of it) 0.2  the first passages of the document's preamble and annexes ====
# =====================================================

SAME_SECTION, HEAD, ADJACENT, AROUND, ATTACHED = 1.0, 0.8, 0.6, 0.4, 0.2
# The largest reduction by distance, and the distance with half of it.
DISTANCE_LOSS, HALF_DISTANCE = 0.15, 8.0

_PART_OF, _NEXT_TO = RELATION_NUMBERS[Relation.PART_OF], RELATION_NUMBERS[Relation.NEXT_TO]
_ATTACHED_KINDS = [
    KIND_NUMBERS[kind] for kind in (SectionKind.PREAMBLE, SectionKind.ANNEX, SectionKind.SCHEDULE)
]


class SectionColumns(Protocol):
    """Sections as columns, shape (sections,) each.

    ``first`` and ``stop`` are rows, ``parent`` a number or -1.
    """

    document: NDArray[np.int32]
    parent: NDArray[np.int32]
    kind: NDArray[np.int8]
    first: NDArray[np.int32]
    stop: NDArray[np.int32]

    def __len__(self) -> int: ...


class Outline(NamedTuple):
    """The documents and sections of a corpus as ranges of rows.

    ``first``: the first row of each document and the number of passages, shape (documents + 1,). ``document``
    and ``section`` are functions from rows of shape (n,) to the numbers of their documents and sections; -1
    for none.
    """

    first: NDArray[np.int32]
    sections: SectionColumns
    document: Callable[[Index], Array]
    section: Callable[[Index], Array]

    def sections_of(self, number: int) -> Rows:
        """Return the numbers of a document's sections, in reading order."""
        own = np.flatnonzero(self.sections.document == number)
        # A section comes before its subsections, which may begin with the same passage.
        order = np.lexsort((own, -self.sections.stop[own], self.sections.first[own]))
        return own[order].astype(np.int32)


class Structure:
    """Structural neighbours of passages."""

    def __init__(self, outline: Outline) -> None:
        self._outline, self._sections = outline, outline.sections

    def siblings(self, rows: Rows, limit: int) -> Links:
        """Return the structural neighbours of ``rows``, at most ``limit`` distinct passages a document."""
        near = np.asarray(rows, np.int64)
        found = _Candidates(near)
        section = self._outline.section(near).astype(np.int64)
        inside = np.flatnonzero(section >= 0)
        own = section[inside]
        parent = self._sections.parent[own].astype(np.int64)
        nested = parent >= 0
        document = self._outline.document(near).astype(np.int64)
        first, stop = self._outline.first[document], self._outline.first[document + 1]
        if len(self._sections):
            found.window(inside, self._sections.first[own], self._sections.stop[own], limit, SAME_SECTION)
            found.each(inside, self._sections.first[own], HEAD, _PART_OF)
            found.each(inside[nested], self._sections.first[parent[nested]], HEAD, _PART_OF)
            around_first = np.where(nested, self._sections.first[parent], first[inside])
            around_stop = np.where(nested, self._sections.stop[parent], stop[inside])
            found.window(inside, around_first, around_stop, limit, AROUND)
            origins, places = ranges(self._attached_pointers[document], self._attached_pointers[document + 1])
            found.each(origins, self._attached_heads[places], ATTACHED, _PART_OF)
        flat = np.flatnonzero(section < 0)
        found.window(flat, first[flat], stop[flat], limit, AROUND)
        for step in (-1, 1):
            adjacent = near + step
            within = np.flatnonzero((adjacent >= first) & (adjacent < stop))
            found.each(within, adjacent[within], ADJACENT, _NEXT_TO)
        return found.links(document, limit)

    @cached_property
    def _attached(self) -> tuple[Index, Index]:
        kind, parent = np.asarray(self._sections.kind), np.asarray(self._sections.parent)
        is_attached = np.isin(kind, _ATTACHED_KINDS)
        # An annex with parts counts once.
        outermost = np.flatnonzero(is_attached & ~(is_attached[parent] & (parent >= 0)))
        document = np.asarray(self._sections.document)[outermost]
        pointers = np.searchsorted(document, np.arange(len(self._outline.first))).astype(np.int64)
        return pointers, np.asarray(self._sections.first)[outermost].astype(np.int64)

    @property
    def _attached_pointers(self) -> Index:
        return self._attached[0]

    @property
    def _attached_heads(self) -> Index:
        return self._attached[1]


class _Candidates:
    """Collects links from ``rows`` and keeps the best."""

    def __init__(self, rows: Index) -> None:
        self._rows = rows
        self._pieces: list[tuple[Index, Index, NDArray[np.float64], NDArray[np.int8]]] = []

    def each(self, origins: Array, reached: Array, weight: float, relation: int) -> None:
        """Add a passage for each origin."""
        origins, reached = np.asarray(origins, np.int64), np.asarray(reached, np.int64)
        distance = np.abs(reached - self._rows[origins])
        loss = DISTANCE_LOSS * distance / (distance + HALF_DISTANCE)
        self._pieces.append((origins, reached, weight - loss, np.full(len(origins), relation, np.int8)))

    def window(self, origins: Array, first: Array, stop: Array, limit: int, weight: float) -> None:
        """Add the passages of a range around each origin, within ``limit`` of it."""
        near = self._rows[origins]
        members, reached = ranges(np.maximum(first, near - limit), np.minimum(stop, near + limit + 1))
        self.each(np.asarray(origins)[members], reached, weight, _PART_OF)

    def links(self, document: Index, limit: int) -> Links:
        """Return the best link for each origin and passage, of the best ``limit`` passages a document."""
        origins, reached, weights, relations = (
            np.concatenate([piece[column] for piece in self._pieces]) for column in range(4)
        )
        others = np.flatnonzero(reached != self._rows[origins])
        order = others[np.lexsort((-weights[others], reached[others], origins[others]))]
        order = order[_first_of(origins[order], reached[order])]
        origins, reached, weights, relations = (
            origins[order],
            reached[order],
            weights[order],
            relations[order],
        )
        best = np.sort(_best_of_documents(document[origins], reached, weights, limit))
        kept = found_in(best, reached)
        return Links(
            origins[kept].astype(np.int32),
            reached[kept].astype(np.int32),
            relations[kept],
            weights[kept].astype(np.float32),
            np.full(int(kept.sum()), -1, np.int32),
        )


def _best_of_documents(document: Index, reached: Index, weights: NDArray[np.float64], limit: int) -> Index:
    """Return the ``limit`` passages of each document with the highest weight from any origin."""
    order = np.lexsort((-weights, reached))
    order = order[_first_of(reached[order])]
    document, reached, weights = document[order], reached[order], weights[order]
    order = np.lexsort((reached, -weights, document))
    starts = np.searchsorted(document[order], document[order])
    return reached[order[np.arange(len(order)) - starts < limit]]


def _first_of(*columns: Array) -> NDArray[np.bool_]:
    """Return a mask of the entries of sorted columns that differ from the one before."""
    is_first = np.ones(len(columns[0]), np.bool_)
    if len(is_first):
        is_first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return is_first


# Browsing: references by status, most cited provisions.

_PASSAGE, _SECTION, _DOCUMENT = (
    TARGET_KINDS.index(kind) for kind in (TargetKind.PASSAGE, TargetKind.SECTION, TargetKind.DOCUMENT)
)


class Browsing:
    """Queries on the reference table and the structure; results are computed once on demand."""

    def __init__(
        self,
        references: ReferenceTable,
        passages: PassageTable,
        sections: SectionTable,
        documents: DocumentTable,
    ) -> None:
        self._references, self._passages = references, passages
        self._sections, self._documents = sections, documents

    def numbers(
        self, statuses: Sequence[Status] | None, relations: Sequence[Relation] | None, document: int | None
    ) -> Rows:
        """Return the numbers of the references with these statuses and relations in a document's passages."""
        chosen = np.ones(len(self._references), np.bool_)
        if statuses is not None:
            codes = [STATUSES.index(status) for status in statuses]
            chosen &= np.isin(self._references.column("status"), codes)
        if relations is not None:
            kinds = [RELATION_NUMBERS[relation] for relation in relations]
            chosen &= np.isin(self._references.column("relation"), kinds)
        if document is not None:
            chosen &= self._passages.document[self._references.column("source")] == document
        return np.flatnonzero(chosen).astype(np.int32)

    def made_by(self, rows: Rows) -> Quoted:
        """Return the references in passages, in text order."""
        asked = np.asarray(rows, np.int64)
        return _quoted(*ranges(self._by_source[asked], self._by_source[asked + 1]))

    def made_to(self, rows: Rows) -> Quoted:
        """Return the resolved references to passages."""
        asked = np.asarray(rows, np.int64)
        pointers, numbers = self._by_target
        origins, places = ranges(pointers[asked], pointers[asked + 1])
        return _quoted(origins, numbers[places])

    def counts(self) -> Rows:
        """Return the number of references to each passage, shape (passages,)."""
        return np.diff(self._by_target[0]).astype(np.int32)

    def most_cited(self, limit: int, relations: Sequence[Relation] | None) -> list[Cited]:
        """Return the most cited provisions."""
        numbers, kind, target = self.provisions(relations)
        keys = target * len(TARGET_KINDS) + kind
        found, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
        heads, is_in_section = found // len(TARGET_KINDS), found % len(TARGET_KINDS) == _SECTION
        heads[is_in_section] = self._sections.first[heads[is_in_section]]
        best = np.lexsort((heads, -counts))[: max(limit, 0)]
        source = self._references.column("source")[numbers]
        cited = []
        for group in best.tolist():
            number, code = divmod(int(found[group]), len(TARGET_KINDS))
            is_section = code == _SECTION
            cited.append(
                Cited(
                    kind=TARGET_KINDS[code],
                    target_id=self._sections.id(number) if is_section else self._passages.ids([number])[0],
                    row=int(heads[group]),
                    references=int(counts[group]),
                    passages=len(np.unique(source[groups == group])),
                )
            )
        return cited

    def provisions(self, relations: Sequence[Relation] | None = None) -> tuple[Index, Array, Index]:
        """Return resolved references with some relations (None: all), except those to whole documents.

        With each comes the kind and number of the provision that it counts for; shape (n,) each.
        """
        numbers = self.numbers([Status.RESOLVED], relations, None).astype(np.int64)
        kind = self._references.column("kind")[numbers]
        numbers, kind = numbers[kind != _DOCUMENT], kind[kind != _DOCUMENT]
        target = self._references.column("target")[numbers].astype(np.int64)
        return numbers, *self._provisions(kind, target)

    def _provisions(self, kind: Array, target: Index) -> tuple[Array, Index]:
        """Assign paragraphs to the provision that contains them: the section with their number."""
        kind, target = kind.copy(), target.copy()
        rows = np.unique(target[kind == _PASSAGE])
        section = self._passages.section[rows].astype(np.int64)
        for row, own in zip(rows.tolist(), section.tolist(), strict=True):
            number = self._passages.number(row) if own >= 0 else ""
            if number and number == self._sections.number(own):
                moved = (kind == _PASSAGE) & (target == row)
                kind[moved], target[moved] = _SECTION, own
        return kind, target

    @cached_property
    def _by_source(self) -> Index:
        # The table is sorted by source.
        return row_pointers(self._references.column("source"), len(self._passages))

    @cached_property
    def _by_target(self) -> tuple[Index, Index]:
        heads = self.heads()
        numbers = np.flatnonzero(heads >= 0)
        order = np.lexsort((numbers, heads[numbers]))
        numbers = numbers[order]
        return row_pointers(heads[numbers], len(self._passages)), numbers

    def heads(self) -> Index:
        """Return the passage that each reference leads to, directly or as the first of a section.

        -1 for unresolved ones and whole documents. Shape (references,).
        """
        target, kind = self._references.column("target"), self._references.column("kind")
        heads = np.where(kind == _DOCUMENT, -1, target).astype(np.int64)
        to_section = (heads >= 0) & (kind == _SECTION)
        heads[to_section] = self._sections.first[heads[to_section]]
        return heads


def _quoted(origins: Index, numbers: Index) -> Quoted:
    return Quoted(origins.astype(np.int32), numbers.astype(np.int32))
