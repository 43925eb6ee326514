"""The protocols of a corpus: text, browsing, lexical and dense search, links, names, validity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.journal import Journals
from engine.corpus.protocol.values import (
    Cited,
    CorpusInfo,
    Hits,
    Links,
    Mask,
    Mentions,
    Ontology,
    Quoted,
    Rows,
)
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import Direction, Document, Entity, Passage, Reference, Relation, Section, Status

if TYPE_CHECKING:
    from engine.corpus.related import Adjacency


# Documents, sections and passages, and what stands around a passage.


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


# What a person asks who reads through a corpus.


class Browsing(Protocol):
    """What a person asks who reads through a corpus."""

    def all_references(self) -> Iterator[Reference]:
        """The whole reference table, in order."""
        ...

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Rows of the reference table, in order, of these statuses and relations (None: of any) that the
        passages of a document (its number, None: of any) make. A page of them is a slice of the answer,
        read by ``references``."""
        ...

    def citation_counts(self) -> Rows:
        """How many references ``references_to`` finds for each passage, shape (passages,)."""
        ...

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """The provisions that the most references point at, most cited first, then in corpus order. A
        reference to a paragraph counts for the provision (the section of its number) it is part of."""
        ...


# Search by words.


class Lexical(Protocol):
    """Search by words."""

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """BM25 for each query text, scores above 0 only, at most ``limit`` each."""
        ...

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """The scores that ``search_lexical`` gives, for chosen rows: shape (queries, rows), 0 for none.

        Two fields are indexed, each by BM25 with k1 0.9 and b 0.6: the text, and the context (document
        alias, label, path of headings). A score is the text's plus 0.15 times the context's; measured
        on the gold sets, see benchmarks/RESULTS.md.
        """
        ...


# Search by the vectors of an embedding model, dense and learned sparse ones.


class Dense(Protocol):
    """Search by the vectors of an embedding model."""

    @property
    def embedding(self) -> str:
        """Spec of the model whose vectors the corpus holds; "none" where it holds none."""
        ...

    @property
    def similarity_floor(self) -> float:
        """Cosine of unrelated passages: the 1st percentile over random pairs, taken at ingestion."""
        ...

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Inner product; ``queries`` has shape (q, d), unit length; scores >= ``minimum``. Scores are exact;
        a store that does not compare everything tells the share of the best that it finds."""
        ...

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Unit vectors, shape (n, d); zero rows where a passage has none."""
        ...


class Sparse(Protocol):
    """Search by learned sparse vectors."""

    @property
    def sparse_model(self) -> str:
        """Spec of the model whose learned sparse vectors the corpus holds; "none" where it holds none."""
        ...

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Inner product for each query, scores above 0 only, at most ``limit`` each; nothing in a corpus
        without learned sparse vectors."""
        ...

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """The scores that ``search_sparse`` gives, for chosen rows: shape (queries, rows), 0 for none."""
        ...


# References, and the links that they make between passages.


class Linked(Protocol):
    """References, and the links that they make between passages."""

    @property
    def judged(self) -> tuple[int, ...]:
        """Another value whenever other verdicts on links are in force; empty where there are none."""
        ...

    def judge(self) -> None:
        """Put in force what people have said of links since the corpus was opened, or this was last called;
        from then on what they rejected is no link, for whoever asks. Raises CorpusError."""
        ...

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Passages linked to ``rows`` by resolved references (out: cited, in: citing)."""
        ...

    def adjacency(self) -> Adjacency | None:
        """All links and mentions as they were put together when the corpus was published; None where they
        were not, or where people have judged links since."""
        ...

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Rows of the reference table."""
        ...

    def references_from(self, rows: Rows) -> Quoted:
        """The references that passages make, of every status, in the order of their texts."""
        ...

    def references_to(self, rows: Rows) -> Quoted:
        """The resolved references that lead to passages: to one itself, or to a section that begins with
        it. References to whole documents are not among them."""
        ...


# Entities, who mentions them, and the names that texts give to documents.


class Names(Protocol):
    """Entities, who mentions them, and the names that texts give to documents."""

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Entities by number."""
        ...

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Numbers of the entities that each passage mentions."""
        ...

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Passages that share entities with ``rows``, weighted by rarity; at most ``limit`` an entity."""
        ...

    def mentions(self) -> Mentions:
        """All mentions of entities; for walks over the whole corpus."""
        ...

    def given_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that texts give to documents ('... ("FSMR")'): row and language of the passage, name."""
        ...


# What is in force when.


class Validity(Protocol):
    """What is in force when."""

    def in_force(self, day: date) -> Mask:
        """Which passages are in force on a day, shape (passages,)."""
        ...

    def out_of_force(self, day: date) -> Mask:
        """Which passages are known to be no longer in force on a day, shape (passages,).

        What is not yet in force is not among them, nor what nothing is known of.
        """
        ...

    def with_status(self, statuses: Sequence[str]) -> Mask:
        """Which passages have one of these statuses, their document's where they have none of their
        own; in any case of letters; shape (passages,)."""
        ...
