"""Default implementations of the corpus protocols.

A store inherits ``CorpusDefaults`` and implements the rest: counts, documents, passages and sections, lexical
search, references and links, entities and mentions. It may override any default with a faster method.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.corpus.contents import is_bare_heading
from engine.corpus.embedded.documents import BEGINNING, END_OF_TIME, day_number
from engine.corpus.embedded.structure import Outline, Structure
from engine.corpus.journal import FolderJournals, Journals
from engine.corpus.protocol import CorpusInfo, Hits, Links, Mask, Rows
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import OUT_OF_FORCE, Document, Passage, Reference, Relation, Status

if TYPE_CHECKING:
    from engine.corpus.related import Adjacency

NO_MODEL = "none"
# References read in one batch.
AT_ONCE = 4096


class Periods(NamedTuple):
    """Runs of consecutive passages with the same own dates and status, shape (n,) each.

    Run i begins at ``first[i]`` and ends where the next one begins. Days are those of
    ``embedded.documents.day_number``; ``status`` is empty if the passages have none.
    """

    first: Rows
    valid_from: NDArray[np.int32]
    valid_to: NDArray[np.int32]
    status: tuple[str, ...]


class TextDefaults:
    """Positions of passages, from the documents' rows and an outline of the sections."""

    @property
    @abstractmethod
    def outline(self) -> Outline:
        """Documents, sections and passages as ranges of rows."""

    @abstractmethod
    def documents(self) -> list[Document]:
        """Return all documents."""

    @abstractmethod
    def passages(self, rows: Rows) -> list[Passage]:
        """Return passages by row."""

    def ids(self, rows: Rows) -> list[str]:
        """Return passage ids by row."""
        return [passage.id for passage in self.passages(rows)]

    @property
    def folder(self) -> Path | None:
        """None: the data are not in a folder."""
        return None

    @property
    def journals(self) -> Journals | None:
        """The journals next to the data; None without a folder."""
        return None if self.folder is None else FolderJournals(self.folder)

    def __len__(self) -> int:
        return int(self.outline.first[-1])

    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index into ``documents()`` for each row."""
        return np.asarray(self.outline.document(np.asarray(rows, np.int64)), np.int32)

    def section_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index into the sections for each row, -1 without a section."""
        return np.asarray(self.outline.section(np.asarray(rows, np.int64)), np.int32)

    def document_sections(self, number: int) -> Rows:
        """Return the numbers of a document's sections, in reading order."""
        return self.outline.sections_of(number)

    def printed_numbers(self, document: int) -> Mapping[str, tuple[Sequence[int], Sequence[int]]] | None:
        """Return None: the document must be read."""
        return None

    def section_parents(self, numbers: Rows) -> Rows:
        """Return the parent of each section, -1 for none."""
        return np.asarray(self.outline.sections.parent[np.asarray(numbers, np.int64)], np.int32)

    def by_document(self, document_ids: Sequence[str]) -> list[Rows]:
        """Return the rows of each document, empty for an unknown id."""
        numbers = [self._document_numbers.get(one) for one in document_ids]
        first = self.outline.first
        bounds = [(0, 0) if n is None else (int(first[n]), int(first[n + 1])) for n in numbers]
        return [np.arange(start, stop, dtype=np.int32) for start, stop in bounds]

    def bare_headings(self, rows: Rows) -> Mask:
        """Return a mask of the rows that contain only a heading."""
        return np.array([is_bare_heading(passage.text) for passage in self.passages(rows)], np.bool_)

    def siblings(self, rows: Rows, limit: int) -> Links:
        """Return the structural neighbours of ``rows``."""
        return self._structure.siblings(rows, limit)

    @cached_property
    def _document_numbers(self) -> dict[str, int]:
        return {document.id: number for number, document in enumerate(self.documents())}

    @cached_property
    def _structure(self) -> Structure:
        return Structure(self.outline)


class DenseDefaults:
    """Defaults for a corpus without vectors."""

    @property
    def embedding(self) -> str:
        """None: no model."""
        return NO_MODEL

    @property
    def similarity_floor(self) -> float:
        """0 without vectors."""
        return 0.0

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return no hits."""
        return no_hits(len(queries))

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Return vectors of dimension 0."""
        return np.zeros((len(rows), 0), np.float32)


class SparseDefaults:
    """Defaults for a corpus without learned sparse vectors."""

    @property
    def sparse_model(self) -> str:
        """None: no model."""
        return NO_MODEL

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Return no hits."""
        return no_hits(len(queries.pointers) - 1)

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Return 0 for all rows."""
        return np.zeros((len(queries.pointers) - 1, len(rows)), np.float32)


class LinkedDefaults:
    """Defaults for a store without verdicts and without a prebuilt adjacency."""

    def adjacency(self) -> Adjacency | None:
        """Return None."""
        return None

    @property
    def verdict_version(self) -> tuple[int, ...]:
        """No verdicts."""
        return ()

    def apply_verdicts(self) -> None:
        """Do nothing."""


class NamesDefaults:
    """Defaults for texts that define no document names."""

    def defined_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield nothing."""
        return iter(())


class ValidityDefaults:
    """Validity of passages from runs with equal dates and status."""

    @property
    @abstractmethod
    def periods(self) -> Periods:
        """The runs."""

    @property
    @abstractmethod
    def outline(self) -> Outline:
        """Documents, sections and passages as ranges of rows."""

    @abstractmethod
    def documents(self) -> list[Document]:
        """Return all documents."""

    def in_force(self, day: date) -> Mask:
        """Return a mask of the passages in force on a day, both bounds included."""
        start, end, _, _ = self._in_effect
        return self._each((start <= day.toordinal()) & ~self._ended(end, day))

    def out_of_force(self, day: date) -> Mask:
        """Return a mask of the passages that ended before a day, or were repealed on an unknown day."""
        return self._each(self._ended(self._in_effect[1], day))

    def with_status(self, statuses: Sequence[str]) -> Mask:
        """Return a mask of the passages whose status, or else their document's, is one of ``statuses``."""
        return self._each(self._has_status(statuses))

    def _has_status(self, statuses: Sequence[str]) -> Mask:
        asked = {name.casefold() for name in statuses}
        return np.array([status.casefold() in asked for status in self._in_effect[2]], np.bool_)

    def _ended(self, end: NDArray[np.int32], day: date) -> Mask:
        ended: Mask = (end < day.toordinal()) | (self._has_status(OUT_OF_FORCE) & (end == END_OF_TIME))
        return ended

    def _each(self, runs: Mask) -> Mask:
        return np.repeat(runs, self._in_effect[3])

    @cached_property
    def _in_effect(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], tuple[str, ...], NDArray[np.int32]]:
        """Return first day, last day, status (the document's if it has none) and length of each run."""
        first, start, end, status = self.periods
        owners = self.outline.document(first.astype(np.int64))
        documents = [self.documents()[number] for number in owners.tolist()]
        begun = np.array([day_number(one.valid_from, BEGINNING) for one in documents], np.int32)
        ended = np.array([day_number(one.valid_to, END_OF_TIME) for one in documents], np.int32)
        return (
            np.where(start == BEGINNING, begun, start),
            np.where(end == END_OF_TIME, ended, end),
            tuple(own or one.status or "" for own, one in zip(status, documents, strict=True)),
            np.diff(np.append(first, self.outline.first[-1])),
        )


class BrowsingDefaults:
    """The reference table, read by number."""

    @abstractmethod
    def info(self) -> CorpusInfo:
        """Return the counts."""

    @abstractmethod
    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Return rows of the reference table."""

    @abstractmethod
    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Return the numbers of matching rows of the reference table."""

    def all_references(self) -> Iterator[Reference]:
        """Yield the whole reference table, read in batches."""
        numbers = self.reference_numbers()
        for start in range(0, len(numbers), AT_ONCE):
            yield from self.references(numbers[start : start + AT_ONCE].tolist())


class CorpusDefaults(
    TextDefaults,
    DenseDefaults,
    SparseDefaults,
    LinkedDefaults,
    NamesDefaults,
    ValidityDefaults,
    BrowsingDefaults,
):
    """The defaults of all protocols."""


def no_hits(queries: int) -> list[Hits]:
    """Return an empty result for each query."""
    return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in range(queries)]
