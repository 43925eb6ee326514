"""Passages that belong together by a document's structure alone.

Weights, from near to far; within a band the distance in reading order takes off a little, never so
much that the bands overlap:

====  =====================================================
1.0   the same section
0.8   the head of the section, and of the section around it
0.6   the next and the previous passage
0.4   the section around it (in a flat document: all of it)
0.2   the heads of the document's preamble and annexes
====  =====================================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Index, ranges
from engine.corpus.embedded.documents import KIND_NUMBERS
from engine.corpus.embedded.references import RELATION_NUMBERS
from engine.corpus.protocol import Links, Rows
from engine.model import Relation, SectionKind
from engine.sorting import found_in

SAME_SECTION, HEAD, ADJACENT, AROUND, ATTACHED = 1.0, 0.8, 0.6, 0.4, 0.2
# What distance takes off at most, and the distance at which it has taken off half of that.
DISTANCE_LOSS, HALF_DISTANCE = 0.15, 8.0

_PART_OF, _NEXT_TO = RELATION_NUMBERS[Relation.PART_OF], RELATION_NUMBERS[Relation.NEXT_TO]
_ATTACHED_KINDS = [
    KIND_NUMBERS[kind] for kind in (SectionKind.PREAMBLE, SectionKind.ANNEX, SectionKind.SCHEDULE)
]


class Sections(Protocol):
    """Sections as columns, shape (sections,) each; ``first`` and ``stop`` are rows, ``parent`` is a number or
    -1."""

    document: NDArray[np.int32]
    parent: NDArray[np.int32]
    kind: NDArray[np.int8]
    first: NDArray[np.int32]
    stop: NDArray[np.int32]

    def __len__(self) -> int: ...


class Outline(NamedTuple):
    """The documents and sections of a corpus as ranges of rows.

    ``first``: the first row of each document and the number of passages, shape (documents + 1,). ``document``
    and ``section`` tell the numbers of those that passages belong to, by rows of shape (n,); -1 for none.
    """

    first: NDArray[np.int32]
    sections: Sections
    document: Callable[[Index], Array]
    section: Callable[[Index], Array]

    def sections_of(self, number: int) -> Rows:
        """Numbers of the sections of a document, in reading order."""
        own = np.flatnonzero(self.sections.document == number)
        # A section stands before its subsections, which may begin with the same passage.
        order = np.lexsort((own, -self.sections.stop[own], self.sections.first[own]))
        return own[order].astype(np.int32)


class Structure:
    """Answers to what stands around a passage."""

    def __init__(self, outline: Outline) -> None:
        self._outline, self._sections = outline, outline.sections

    def siblings(self, rows: Rows, limit: int) -> Links:
        """The structural neighbours of ``rows``, at most ``limit`` distinct passages a document."""
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
            beside = near + step
            within = np.flatnonzero((beside >= first) & (beside < stop))
            found.each(within, beside[within], ADJACENT, _NEXT_TO)
        return found.links(document, limit)

    @cached_property
    def _attached(self) -> tuple[Index, Index]:
        kind, parent = np.asarray(self._sections.kind), np.asarray(self._sections.parent)
        is_attached = np.isin(kind, _ATTACHED_KINDS)
        # Of an annex with parts, only the annex.
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
    """Collects links from ``rows``, then keeps the best of each kind."""

    def __init__(self, rows: Index) -> None:
        self._rows = rows
        self._pieces: list[tuple[Index, Index, NDArray[np.float64], NDArray[np.int8]]] = []

    def each(self, origins: Array, reached: Array, weight: float, relation: int) -> None:
        """One passage for each origin."""
        origins, reached = np.asarray(origins, np.int64), np.asarray(reached, np.int64)
        distance = np.abs(reached - self._rows[origins])
        loss = DISTANCE_LOSS * distance / (distance + HALF_DISTANCE)
        self._pieces.append((origins, reached, weight - loss, np.full(len(origins), relation, np.int8)))

    def window(self, origins: Array, first: Array, stop: Array, limit: int, weight: float) -> None:
        """The passages of a range around each origin, those within ``limit`` of it."""
        near = self._rows[origins]
        members, reached = ranges(np.maximum(first, near - limit), np.minimum(stop, near + limit + 1))
        self.each(np.asarray(origins)[members], reached, weight, _PART_OF)

    def links(self, document: Index, limit: int) -> Links:
        """The best link for each origin and passage, of the best ``limit`` passages a document."""
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
    """Rows of the ``limit`` passages of each document that have the highest weight from any origin."""
    order = np.lexsort((-weights, reached))
    order = order[_first_of(reached[order])]
    document, reached, weights = document[order], reached[order], weights[order]
    order = np.lexsort((reached, -weights, document))
    starts = np.searchsorted(document[order], document[order])
    return reached[order[np.arange(len(order)) - starts < limit]]


def _first_of(*columns: Array) -> NDArray[np.bool_]:
    """Which places of sorted columns differ from the place before."""
    is_first = np.ones(len(columns[0]), np.bool_)
    if len(is_first):
        is_first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return is_first
