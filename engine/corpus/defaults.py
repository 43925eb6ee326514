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
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.documents import BEGINNING, END_OF_TIME
from engine.corpus.embedded.structure import Outline, Structure
from engine.corpus.journal import FolderJournals, Journals
from engine.corpus.protocol import Hits, Links, Mask, Rows
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import OUT_OF_FORCE, Document, Passage, Reference, Relation, Status

if TYPE_CHECKING:
    from engine.corpus.related import Adjacency

NO_MODEL = "none"
# References read in one batch.
AT_ONCE = 4096
# The code of a missing status.
NO_STATUS = -1


class Dated(NamedTuple):
    """First and last day of validity and code of the status of passages or documents, shape (n,) each.

    Days are those of ``embedded.documents.day_number``.
    """

    valid_from: Array
    valid_to: Array
    status: Array


class CorpusDefaults:
    """The methods of a corpus that follow from others.

    Positions of passages follow from the documents' rows and an outline of the sections. Without overrides
    there are no vectors, no verdicts, no names that texts define, and no prebuilt adjacency.
    """

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

    def adjacency(self) -> Adjacency | None:
        """Return None."""
        return None

    @property
    def verdict_version(self) -> tuple[int, ...]:
        """No verdicts."""
        return ()

    def apply_verdicts(self) -> None:
        """Do nothing."""

    def defined_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield nothing."""
        return iter(())

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

    @property
    @abstractmethod
    def validities(self) -> tuple[Dated, Dated, Sequence[str]]:
        """Validity of the passages and of the documents, and the names of their statuses."""

    def in_force(self, day: date) -> Mask:
        """Return a mask of passages in force on a day, both bounds included.

        A passage without dates has its document's. A passage repealed on an unknown day is never in force.
        """
        passages, documents, _ = self.validities
        start = self._in_effect(passages.valid_from, BEGINNING, documents.valid_from)
        in_force: Mask = (start <= day.toordinal()) & ~self.out_of_force(day)
        return in_force

    def out_of_force(self, day: date) -> Mask:
        """Return a mask of passages that ended before a day, or were repealed on an unknown day."""
        passages, documents, _ = self.validities
        end = self._in_effect(passages.valid_to, END_OF_TIME, documents.valid_to)
        ended: Mask = (end < day.toordinal()) | (self.with_status(OUT_OF_FORCE) & (end == END_OF_TIME))
        return ended

    def with_status(self, statuses: Sequence[str]) -> Mask:
        """Return a mask of passages whose status, or else their document's, is one of ``statuses``."""
        passages, documents, names = self.validities
        asked = {name.casefold() for name in statuses}
        codes = [code for code, name in enumerate(names) if name.casefold() in asked]
        found: Mask = np.isin(self._in_effect(passages.status, NO_STATUS, documents.status), codes)
        return found

    def _in_effect(self, own: Array, missing: int, of_documents: Array) -> Array:
        """Return the value of each passage, if it has none that of its document."""
        numbers = self.document_numbers(np.arange(len(own), dtype=np.int32))
        return np.where(own == missing, of_documents[numbers], own)


def no_hits(queries: int) -> list[Hits]:
    """Return an empty result for each query."""
    return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in range(queries)]
