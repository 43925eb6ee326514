"""What an open corpus can be asked. Batched: arrays in, arrays out.

``Rows`` are int32 positions of passages in the corpus. Passages of one document are consecutive
rows in reading order, so a section is a range of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.corpus.rules.ruleset import Fact, Rule
from engine.language.embedders.base import SparseVectors, TokenVectors
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

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer of one retriever to one query, best first. ``rows`` and ``scores``: shape (n,)."""

    rows: Rows
    scores: Scores


@dataclass(frozen=True, slots=True)
class Links:
    """Edges found from a batch of rows; all arrays have shape (n,).

    ``origins`` index into the rows that were asked, ``rows`` are the passages reached,
    ``relations`` index into ``tuple(Relation)``, ``weights`` are in 0..1. ``evidence`` says what
    made the link: for references the row of the corpus's reference table, for entities the entity's
    number, -1 where there is none.
    """

    origins: Rows
    rows: Rows
    relations: NDArray[np.int8]
    weights: Scores
    evidence: Rows


@dataclass(frozen=True, slots=True)
class Quoted:
    """References found for a batch of rows; both arrays have shape (n,).

    ``origins`` index into the rows that were asked, ``numbers`` are rows of the reference table.
    """

    origins: Rows
    numbers: Rows


@dataclass(frozen=True, slots=True)
class Mentions:
    """Who mentions what, over a whole corpus. ``rows``, ``entities`` and ``defines`` have shape (pairs,):
    passage ``rows[i]`` mentions, and perhaps defines, entity ``entities[i]``; ``rarity`` of shape (entities,)
    is log(n / df) / log(n), 0..1."""

    rows: Rows
    entities: Rows
    defines: Mask
    rarity: Scores


@dataclass(frozen=True, slots=True)
class Cited:
    """A provision and how often it is cited.

    ``row`` is its first passage. ``references`` counts the references to it and to its parts,
    ``passages`` the distinct passages that make them.
    """

    kind: TargetKind
    target_id: str
    row: int
    references: int
    passages: int


@dataclass(frozen=True, slots=True)
class Area:
    """A legal area of a corpus's ontology. ``keywords`` by language code."""

    id: str
    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]
    required: bool = False
    minimum_passages: int = 2
    minimum_similarity: float = 0.3


@dataclass(frozen=True, slots=True)
class Wording:
    """How people call a type of transaction; by language code."""

    names: Mapping[str, str]
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Concept:
    """A legal concept: what it is called, under which wider one it stands, and which law it names.

    ``definition`` are words by language, ``defined_in`` cites the provision that defines it; ``articles`` are
    ids of the corpus or citations in words. ``required_checks`` say in words what has to be checked of a case
    that it is about. ``importance`` goes from 1 to 5.
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
    """Areas, the transaction types that require some of them (type id -> area ids), rules over facts, the
    words of the types that have some, and concepts. ``least`` are the passages that a type needs of an area
    (type id -> area id -> number), where that is not the area's own number."""

    areas: tuple[Area, ...]
    transactions: Mapping[str, tuple[str, ...]]
    facts: tuple[Fact, ...] = ()
    rules: tuple[Rule, ...] = ()
    wording: Mapping[str, Wording] = field(default_factory=dict)
    concepts: tuple[Concept, ...] = ()
    least: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def needed(self, area: Area, transaction: str | None) -> int:
        """The least number of passages of an area, for a type of transaction where there is one."""
        return self.least.get(transaction or "", {}).get(area.id, area.minimum_passages)


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """The counts that ``info`` prints. ``languages``: the passages of each, the most frequent first, those
    with as many by the alphabet. ``embedding``, ``sparse`` and ``late`` are specs of models, or "none"."""

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
    late: str = "none"


class Corpus(Protocol):
    """The seam between the engine and where a corpus lives."""

    @property
    def name(self) -> str:
        """What people call the corpus."""
        ...

    @property
    def embedding(self) -> str:
        """Spec of the model whose vectors the corpus holds; "none" where it holds none."""
        ...

    @property
    def folder(self) -> Path | None:
        """What people and models say of the corpus stands here, beside its data; None where it has no
        folder."""
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

    @property
    def similarity_floor(self) -> float:
        """Cosine of unrelated passages: the 1st percentile over random pairs, taken at ingestion."""
        ...

    def bare_headings(self, rows: Rows) -> Mask:
        """Which passages are nothing but a heading (short, no sentence), shape (rows,)."""
        ...

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Exact inner product; ``queries`` has shape (q, d), unit length; scores >= ``minimum``."""
        ...

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

    @property
    def late_model(self) -> str:
        """Spec of the model whose token vectors the corpus holds; "none" where it holds none."""
        ...

    def search_late(
        self, queries: TokenVectors, limit: int, *, also: Rows, mask: Mask | None = None
    ) -> list[Hits]:
        """Late interaction for each query, scores above 0 only, at most ``limit`` each; nothing in a corpus
        without token vectors.

        Scored are the passages whose mean token vector is nearest to the query's, ``limit`` of them, and
        those in ``also``.
        """
        ...

    def score_late(self, queries: TokenVectors, rows: Rows) -> NDArray[np.float32]:
        """Mean over a query's tokens of the highest cosine that a token of the passage reaches (MaxSim), for
        chosen rows: shape (queries, rows), 0 where there are no tokens."""
        ...

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

    def siblings(self, rows: Rows, limit: int) -> Links:
        """Passages of the same section, its parent's first passage, the neighbours in reading
        order, the document's preamble and annexes; at most ``limit`` a document."""
        ...

    def by_document(self, document_ids: Sequence[str]) -> list[Rows]:
        """The rows of each document, in reading order."""
        ...

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Passages that share entities with ``rows``, weighted by rarity; at most ``limit`` an entity."""
        ...

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Numbers of the entities that each passage mentions."""
        ...

    def mentions(self) -> Mentions:
        """All mentions of entities; for walks over the whole corpus."""
        ...

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Entities by number."""
        ...

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Rows of the reference table."""
        ...

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

    def references_from(self, rows: Rows) -> Quoted:
        """The references that passages make, of every status, in the order of their texts."""
        ...

    def references_to(self, rows: Rows) -> Quoted:
        """The resolved references that lead to passages: to one itself, or to a section that begins with
        it. References to whole documents are not among them."""
        ...

    def citation_counts(self) -> Rows:
        """How many references ``references_to`` finds for each passage, shape (passages,)."""
        ...

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """The provisions that the most references point at, most cited first, then in corpus order. A
        reference to a paragraph counts for the provision (the section of its number) it is part of."""
        ...

    def document_sections(self, number: int) -> Rows:
        """Numbers of the sections of the document with a number (its index in ``documents()``), in reading
        order, a section before its subsections; ``sections`` tells the parent of each."""
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

    def section_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Index into the corpus's sections for each row; -1 where a passage has none."""
        ...

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        """Sections by number."""
        ...

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        """Rows of passage ids; -1 for an id that is not in the corpus."""
        ...

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Unit vectors, shape (n, d); zero rows where a passage has none."""
        ...

    def numbered(self, number: str) -> Rows:
        """The first passage of what bears a number ("14", "3.4.1"), one of each document, in order."""
        ...

    def given_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that texts give to documents ('... ("FSMR")'): row and language of the passage, name."""
        ...

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
