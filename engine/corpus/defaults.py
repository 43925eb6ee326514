"""What a store need not answer by itself: derived from the rest, or nothing where it holds none.

A store inherits ``CorpusDefaults`` and says what is not here: its counts, documents, passages and sections,
search by words, references and links, entities and mentions. What it can answer faster it overrides.
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
# References that are read at once.
AT_ONCE = 4096


class Periods(NamedTuple):
    """Stretches of consecutive passages with the same dates and status of their own, shape (n,) each.

    Stretch i begins at ``first[i]`` and ends where the next one does. Days are those of
    ``embedded.documents.day_number``; ``status`` is empty where the passages have none.
    """

    first: Rows
    valid_from: NDArray[np.int32]
    valid_to: NDArray[np.int32]
    status: tuple[str, ...]


class TextDefaults:
    """Where passages stand, told by the documents' rows and an outline of the sections."""

    @property
    @abstractmethod
    def outline(self) -> Outline:
        """Documents, sections and passages as ranges of rows."""

    @abstractmethod
    def documents(self) -> list[Document]:
        """All documents."""

    @abstractmethod
    def passages(self, rows: Rows) -> list[Passage]:
        """Passages by row."""

    def ids(self, rows: Rows) -> list[str]:
        """Passage ids by row."""
        return [passage.id for passage in self.passages(rows)]

    @property
    def folder(self) -> Path | None:
        """None: the data stand in no folder."""
        return None

    @property
    def journals(self) -> Journals | None:
        """Files beside the data; None where they stand in no folder."""
        return None if self.folder is None else FolderJournals(self.folder)

    def __len__(self) -> int:
        return int(self.outline.first[-1])

    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Index into ``documents()`` for each row."""
        return np.asarray(self.outline.document(np.asarray(rows, np.int64)), np.int32)

    def section_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Index into the sections for each row, -1 where a passage has none."""
        return np.asarray(self.outline.section(np.asarray(rows, np.int64)), np.int32)

    def document_sections(self, number: int) -> Rows:
        """Numbers of a document's sections, in reading order."""
        return self.outline.sections_of(number)

    def printed_numbers(self, document: int) -> Mapping[str, tuple[Sequence[int], Sequence[int]]] | None:
        """None: a document must be read."""
        return None

    def section_parents(self, numbers: Rows) -> Rows:
        """The section around each, -1 for none."""
        return np.asarray(self.outline.sections.parent[np.asarray(numbers, np.int64)], np.int32)

    def by_document(self, document_ids: Sequence[str]) -> list[Rows]:
        """The rows of each document; none for an id that is not in the corpus."""
        numbers = [self._document_numbers.get(one) for one in document_ids]
        first = self.outline.first
        bounds = [(0, 0) if n is None else (int(first[n]), int(first[n + 1])) for n in numbers]
        return [np.arange(start, stop, dtype=np.int32) for start, stop in bounds]

    def bare_headings(self, rows: Rows) -> Mask:
        """Which passages are nothing but a heading."""
        return np.array([is_bare_heading(passage.text) for passage in self.passages(rows)], np.bool_)

    def siblings(self, rows: Rows, limit: int) -> Links:
        """Passages around ``rows`` by structure."""
        return self._structure.siblings(rows, limit)

    @cached_property
    def _document_numbers(self) -> dict[str, int]:
        return {document.id: number for number, document in enumerate(self.documents())}

    @cached_property
    def _structure(self) -> Structure:
        return Structure(self.outline)


class DenseDefaults:
    """A corpus without vectors."""

    @property
    def embedding(self) -> str:
        """No model."""
        return NO_MODEL

    @property
    def similarity_floor(self) -> float:
        """0 without vectors."""
        return 0.0

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Nothing."""
        return nothing(len(queries))

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Vectors without a component."""
        return np.zeros((len(rows), 0), np.float32)


class SparseDefaults:
    """A corpus without learned sparse vectors."""

    @property
    def sparse_model(self) -> str:
        """No model."""
        return NO_MODEL

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Nothing."""
        return nothing(len(queries.pointers) - 1)

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """0 for all."""
        return np.zeros((len(queries.pointers) - 1, len(rows)), np.float32)


class LinkedDefaults:
    """Links on which nobody says anything beside the data, and that nobody has put together."""

    def adjacency(self) -> Adjacency | None:
        """None."""
        return None

    @property
    def judged(self) -> tuple[int, ...]:
        """No verdicts."""
        return ()

    def judge(self) -> None:
        """Nothing to put in force."""


class NamesDefaults:
    """Texts that give no names."""

    def given_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """None."""
        return iter(())


class ValidityDefaults:
    """Validity by the stretches of passages that have the same dates and status."""

    @property
    @abstractmethod
    def periods(self) -> Periods:
        """The stretches."""

    @property
    @abstractmethod
    def outline(self) -> Outline:
        """Documents, sections and passages as ranges of rows."""

    @abstractmethod
    def documents(self) -> list[Document]:
        """All documents."""

    def in_force(self, day: date) -> Mask:
        """Which passages are in force on a day, both bounds included."""
        start, end, _, _ = self._in_effect
        return self._each((start <= day.toordinal()) & ~self._gone(end, day))

    def out_of_force(self, day: date) -> Mask:
        """Which passages ended before a day, or are marked as repealed on an unknown day."""
        return self._each(self._gone(self._in_effect[1], day))

    def with_status(self, statuses: Sequence[str]) -> Mask:
        """Which passages have one of these statuses, of their own or else of their document."""
        return self._each(self._has_status(statuses))

    def _has_status(self, statuses: Sequence[str]) -> Mask:
        asked = {name.casefold() for name in statuses}
        return np.array([status.casefold() in asked for status in self._in_effect[2]], np.bool_)

    def _gone(self, end: NDArray[np.int32], day: date) -> Mask:
        gone: Mask = (end < day.toordinal()) | (self._has_status(OUT_OF_FORCE) & (end == END_OF_TIME))
        return gone

    def _each(self, stretches: Mask) -> Mask:
        return np.repeat(stretches, self._in_effect[3])

    @cached_property
    def _in_effect(
        self,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], tuple[str, ...], NDArray[np.int32]]:
        """First and last day and status of each stretch, the document's where it has none, and its length."""
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
    """The reference table as a whole, read by numbers."""

    @abstractmethod
    def info(self) -> CorpusInfo:
        """The counts."""

    @abstractmethod
    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Rows of the reference table."""

    @abstractmethod
    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Rows of the reference table that are chosen."""

    def all_references(self) -> Iterator[Reference]:
        """The whole reference table, read in parts."""
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
    """The defaults of all small protocols that have some."""


def nothing(queries: int) -> list[Hits]:
    """An empty answer to each query."""
    return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in range(queries)]
