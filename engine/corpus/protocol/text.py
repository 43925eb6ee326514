"""Documents, sections and passages, and what stands around a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.journal import Journals
from engine.corpus.protocol.values import CorpusInfo, Links, Mask, Ontology, Rows
from engine.model import Document, Passage, Section


class Texts(Protocol):
    """Documents, sections and passages, and what stands around a passage."""

    @property
    def name(self) -> str:
        """What people call the corpus."""
        ...

    @property
    def folder(self) -> Path | None:
        """Where its data stand; None where it has no folder."""
        ...

    @property
    def journals(self) -> Journals | None:
        """What people and models say of the corpus stands here, beside its data; None where there is no place
        for it."""
        ...

    @property
    def ontology(self) -> Ontology | None:
        """Legal areas, None where the corpus has none."""
        ...

    def __len__(self) -> int:
        """Number of passages."""
        ...

    def info(self) -> CorpusInfo:
        """The counts."""
        ...

    def passages(self, rows: Rows) -> list[Passage]:
        """Passages by row."""
        ...

    def documents(self) -> list[Document]:
        """All documents, in the order of their rows."""
        ...

    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Index into ``documents()`` for each row."""
        ...

    def by_document(self, document_ids: Sequence[str]) -> list[Rows]:
        """The rows of each document, in reading order."""
        ...

    def printed_numbers(self, document: int) -> Mapping[str, tuple[Sequence[int], Sequence[int]]] | None:
        """Where the numbers of a document stand, by the form in which numbers are compared; None where that
        cannot be told without reading the document. ``document`` is its index in ``documents()``.

        Of each number: the rows of the passages that print it, as their number or, where they have neither
        number nor section, as that of their paragraph; with the next passage that is cited by another number
        where one stands between two of them. Then the numbers of the sections that print it. Both ascending.
        """
        ...

    def section_parents(self, numbers: Rows) -> Rows:
        """The number of the section around each section, -1 where there is none."""
        ...

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        """Sections by number."""
        ...

    def section_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Index into the corpus's sections for each row; -1 where a passage has none."""
        ...

    def document_sections(self, number: int) -> Rows:
        """Numbers of the sections of the document with a number (its index in ``documents()``), in reading
        order, a section before its subsections; ``sections`` tells the parent of each."""
        ...

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        """Rows of passage ids; -1 for an id that is not in the corpus."""
        ...

    def ids(self, rows: Rows) -> list[str]:
        """Passage ids by row."""
        ...

    def numbered(self, number: str) -> Rows:
        """The first passage of what bears a number ("14", "3.4.1"), one of each document, in order."""
        ...

    def bare_headings(self, rows: Rows) -> Mask:
        """Which passages are nothing but a heading (short, no sentence), shape (rows,)."""
        ...

    def siblings(self, rows: Rows, limit: int) -> Links:
        """Passages of the same section, its parent's first passage, the neighbours in reading
        order, the document's preamble and annexes; at most ``limit`` a document."""
        ...
