"""The interface of an open corpus. Methods work on batches: arrays in, arrays out.

``Rows`` are int32 indexes of passages. Passages of a document are consecutive rows in reading order, so a
section is a range of rows.

``Corpus`` combines small protocols. Each has a contract kit in ``engine.corpus.contract``;
``engine.corpus.defaults`` implements all methods that can be derived from others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.journal import Journals
from engine.corpus.rule_expressions import Fact, Rule
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import (
    Direction,
    Document,
    Entity,
    Passage,
    Reference,
    Relation,
    Section,
    Status,
    TargetKind,
)

if TYPE_CHECKING:
    from engine.corpus.related import Adjacency


Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """The result of a retriever for a query, best first. ``rows`` and ``scores``: shape (n,)."""

    rows: Rows
    scores: Scores


@dataclass(frozen=True, slots=True)
class Links:
    """Edges from a batch of rows; all arrays have shape (n,).

    ``origins`` index the requested rows, ``rows`` are the passages reached, ``relations`` index
    ``tuple(Relation)``, ``weights`` are in 0..1. ``evidence`` identifies the cause of the link: for
    references the row of the reference table, for entities the entity's number, -1 for none.
    """

    origins: Rows
    rows: Rows
    relations: NDArray[np.int8]
    weights: Scores
    evidence: Rows


@dataclass(frozen=True, slots=True)
class Quoted:
    """References of a batch of rows; both arrays have shape (n,).

    ``origins`` index the requested rows, ``numbers`` are rows of the reference table.
    """

    origins: Rows
    numbers: Rows


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions of entities in a corpus.

    ``rows``, ``entities`` and ``defines`` have shape (pairs,): passage ``rows[i]`` mentions entity
    ``entities[i]`` and defines it if ``defines[i]``; ``rarity`` of shape (entities,) is log(n / df) / log(n),
    0..1.
    """

    rows: Rows
    entities: Rows
    defines: Mask
    rarity: Scores


@dataclass(frozen=True, slots=True)
class Cited:
    """A provision with the number of its citations.

    ``row`` is its first passage. ``references`` counts the references to it and to its parts, ``passages``
    the distinct passages that contain them.
    """

    kind: TargetKind
    target_id: str
    row: int
    references: int
    passages: int


@dataclass(frozen=True, slots=True)
class Area:
    """A legal area of an ontology. ``keywords`` by language code."""

    id: str
    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]
    required: bool = False
    minimum_passages: int = 2
    minimum_similarity: float = 0.3


@dataclass(frozen=True, slots=True)
class Wording:
    """Names and keywords of a type of transaction, by language code."""

    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Concept:
    """A legal concept: its names, its parent, and the law it refers to.

    ``definition`` is text by language, ``defined_in`` cites the defining provision; ``articles`` are ids of
    the corpus or citations. ``required_checks`` describe what must be checked in a case about it.
    ``importance`` is 1 to 5.
    """

    id: str
    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parent: str | None = None
    area: str | None = None
    definition: Mapping[str, str] = field(default_factory=dict)
    defined_in: str = ""
    articles: tuple[str, ...] = ()
    required_checks: tuple[str, ...] = ()
    importance: int = 3


@dataclass(frozen=True, slots=True)
class Ontology:
    """Areas, transaction types with their required areas (type id -> area ids), rules over facts, and
    concepts.

    ``least`` are minimum numbers of passages in an area for a type (type id -> area id -> number) that differ
    from the area's own.
    """

    areas: tuple[Area, ...]
    transactions: Mapping[str, tuple[str, ...]]
    facts: tuple[Fact, ...] = ()
    rules: tuple[Rule, ...] = ()
    wording: Mapping[str, Wording] = field(default_factory=dict)
    concepts: tuple[Concept, ...] = ()
    least: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def needed(self, area: Area, transaction: str | None) -> int:
        """Return the minimum number of passages of an area, for a type of transaction if given."""
        return self.least.get(transaction or "", {}).get(area.id, area.minimum_passages)


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """The counts shown by ``info``.

    ``languages``: number of passages by language, most frequent first, ties in alphabetical order.
    ``embedding`` and ``sparse`` are specs of models, or "none".
    """

    name: str
    documents: int
    passages: int
    references_by_relation: Mapping[str, int]
    references_by_status: Mapping[str, int]
    entities: int
    languages: Mapping[str, int]
    embedding: str
    metadata: Mapping[str, Any]
    sparse: str = "none"


class Texts(Protocol):
    """Documents, sections and passages, and the structure around a passage."""

    @property
    def name(self) -> str:
        """The name of the corpus."""

    @property
    def folder(self) -> Path | None:
        """The folder of the data; None without one."""

    @property
    def journals(self) -> Journals | None:
        """Users' decisions and models' readings, stored next to the data; None without storage."""

    @property
    def ontology(self) -> Ontology | None:
        """The legal areas and concepts, None without an ontology."""

    def __len__(self) -> int:
        """Return the number of passages."""

    def info(self) -> CorpusInfo:
        """Return the counts."""

    def passages(self, rows: Rows) -> list[Passage]:
        """Return passages by row."""

    def documents(self) -> list[Document]:
        """Return all documents, in the order of their rows."""

    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index into ``documents()`` for each row."""

    def by_document(self, document_ids: Sequence[str]) -> list[Rows]:
        """Return the rows of each document, in reading order."""

    def printed_numbers(self, document: int) -> Mapping[str, tuple[Sequence[int], Sequence[int]]] | None:
        """Return the rows and sections of a document by number, in normalised form.

        Return None if that is impossible without reading the document. ``document`` is its index in
        ``documents()``. Each number has the rows of the passages that print it, as their number or, without
        number and section, as that of their paragraph, including the next passage if another number is
        between two of them; and the numbers of the sections that print it. Both are ascending.
        """

    def section_parents(self, numbers: Rows) -> Rows:
        """Return the number of the parent of each section, -1 without one."""

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        """Return sections by number."""

    def section_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index into the corpus's sections for each row; -1 without a section."""

    def document_sections(self, number: int) -> Rows:
        """Return the numbers of a document's sections in reading order, parents before their subsections.

        ``number`` is the document's index in ``documents()``.
        """

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        """Return rows of passage ids; -1 for an unknown id."""

    def ids(self, rows: Rows) -> list[str]:
        """Return passage ids by row."""

    def numbered(self, number: str) -> Rows:
        """Return the first passage with a number ("14", "3.4.1") in each document, in order."""

    def bare_headings(self, rows: Rows) -> Mask:
        """Return a mask of passages that contain only a heading (short, no sentence), shape (rows,)."""

    def siblings(self, rows: Rows, limit: int) -> Links:
        """Return structural neighbours, at most ``limit`` a document.

        These are passages of the same section, the first of its parent, the neighbours in reading order, and
        the document's preamble and annexes.
        """


class Browsing(Protocol):
    """Questions of a user who browses a corpus."""

    def all_references(self) -> Iterator[Reference]:
        """Yield the whole reference table, in order."""

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Return row numbers of the reference table in order, for some statuses and relations (None: all).

        ``document`` (its number, None: all) is the document of their passages. Read a page with
        ``references`` from a slice of the result.
        """

    def citation_counts(self) -> Rows:
        """Return the number of references by ``references_to`` for each passage, shape (passages,)."""

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """Return the most cited provisions, most cited first, then in corpus order.

        A reference to a paragraph counts for the provision (the section with its number) that contains it.
        """


class Lexical(Protocol):
    """Lexical search."""

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return BM25 hits for each query text, scores above 0, at most ``limit`` each."""

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """Return the scores of ``search_lexical`` for some rows, shape (queries, rows), 0 without a match.

        Two fields are indexed, each by BM25 with k1 0.9 and b 0.6: the text, and the context (document alias,
        label, path of headings). A score is the text's plus 0.15 times the context's; measured on the gold
        sets, see benchmarks/RESULTS.md.
        """


class Dense(Protocol):
    """Search by the vectors of an embedding model."""

    @property
    def embedding(self) -> str:
        """The spec of the model of the vectors, or "none"."""

    @property
    def similarity_floor(self) -> float:
        """The cosine of unrelated passages: the 1st percentile over random pairs, computed at ingestion."""

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return hits by inner product, scores >= ``minimum``; ``queries`` has shape (q, d), unit length.

        Scores are exact; a store with approximate search reports its recall.
        """

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Return unit vectors, shape (n, d); zero rows for passages without one."""


class Sparse(Protocol):
    """Search by learned sparse vectors."""

    @property
    def sparse_model(self) -> str:
        """The spec of the model of the learned sparse vectors, or "none"."""

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Return hits by inner product, scores above 0, at most ``limit`` each.

        None without sparse vectors.
        """

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Return the scores of ``search_sparse`` for some rows, shape (queries, rows), 0 without a match."""


class Linked(Protocol):
    """References, and the links between passages that follow from them."""

    @property
    def verdict_version(self) -> tuple[int, ...]:
        """A value that changes with the verdicts in force on links; empty without verdicts."""

    def apply_verdicts(self) -> None:
        """Apply the verdicts on links that are newer than the last call; rejected links disappear.

        Raises CorpusError.
        """

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Return passages linked to ``rows`` by resolved references (out: cited, in: citing)."""

    def adjacency(self) -> Adjacency | None:
        """Return all links and mentions as built at publication.

        None if not built, or if links were judged since.
        """

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Return rows of the reference table."""

    def references_from(self, rows: Rows) -> Quoted:
        """Return the references in passages, of every status, in text order."""

    def references_to(self, rows: Rows) -> Quoted:
        """Return the resolved references to passages, or to sections (not documents) that begin with them."""


class Names(Protocol):
    """Entities, their mentions, and the names that texts give to documents."""

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Return entities by number."""

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Return the numbers of the entities that each passage mentions."""

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Return passages that share entities with ``rows``, weighted by rarity.

        At most ``limit`` an entity.
        """

    def mentions(self) -> Mentions:
        """Return all mentions of entities, for walks over the whole corpus."""

    def defined_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield the names that texts give to documents ('... ("FSMR")'): row, language, name."""


class Validity(Protocol):
    """Validity of passages in time."""

    def in_force(self, day: date) -> Mask:
        """Return a mask of passages in force on a day, shape (passages,)."""

    def out_of_force(self, day: date) -> Mask:
        """Return a mask of passages known to be no longer in force on a day, shape (passages,).

        It excludes passages that are not yet in force, and those of unknown validity.
        """

    def with_status(self, statuses: Sequence[str]) -> Mask:
        """Return a mask of passages whose status, else their document's, is in ``statuses`` (any case)."""


__all__ = [
    "Area",
    "Browsing",
    "Cited",
    "Concept",
    "Corpus",
    "CorpusInfo",
    "Dense",
    "Hits",
    "Lexical",
    "Linked",
    "Links",
    "Mask",
    "Mentions",
    "Names",
    "Ontology",
    "Quoted",
    "Rows",
    "Scores",
    "Sparse",
    "Texts",
    "Validity",
    "Wording",
]


class Corpus(Texts, Lexical, Dense, Sparse, Linked, Names, Validity, Browsing, Protocol):
    """The interface between the engine and a corpus store."""
