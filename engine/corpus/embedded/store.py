"""The embedded store: an open corpus folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from engine.caching import Cache
from engine.corpus.defaults import CorpusDefaults, Dated
from engine.corpus.embedded.block import BLOCK_SUFFIX, BLOCKS, Block, block_from, digest
from engine.corpus.embedded.deciding import Stamp, with_verdicts
from engine.corpus.embedded.documents import DocumentTable, GivenNames, SectionTable
from engine.corpus.embedded.generation import (
    CITED_NAME,
    GRAPH_NAME,
    NO_MODEL,
    SPARSE_NAME,
    STATE_NAME,
    Generation,
    Manifest,
    read_published,
)
from engine.corpus.embedded.lexical import LexicalIndex
from engine.corpus.embedded.links import LinkIndex, ReferenceTable, Tables
from engine.corpus.embedded.passages import EntityTable, PassageTable, Printed, printed_of
from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.embedded.structure import Browsing, Outline
from engine.corpus.extracted import current_verdicts, load_validations
from engine.corpus.journal import FolderJournals, Journals
from engine.corpus.ontology import ontology_from, ontology_in_force
from engine.corpus.protocol import Cited, CorpusInfo, Hits, Links, Mask, Mentions, Ontology, Quoted, Rows
from engine.language.analysis import analyzer
from engine.language.embedders.base import SparseVectors
from engine.language.references.definitions import DefinedName
from engine.model import Direction, Document, Entity, Passage, Reference, Relation, Section, Status

if TYPE_CHECKING:
    from engine.corpus.embedded.dense import VectorIndex
    from engine.corpus.embedded.lexical import SparseIndex
    from engine.corpus.related import Adjacency


class EmbeddedCorpus(CorpusDefaults):
    """A corpus in a folder. See ``engine.corpus.protocol.Corpus`` for the methods."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journals: Journals = FolderJournals(folder)
        read_published(folder, self._read)

    def _read(self, generation: Generation) -> None:
        generation.check_sizes()
        folder = generation.folder
        self._manifest = manifest = generation.manifest
        self._saved = ontology_in_force(folder)
        state, cited = generation.block(STATE_NAME), generation.block(CITED_NAME)
        self._documents, self._sections = DocumentTable(state), SectionTable(state)
        self._passages = PassageTable(state, sorted(manifest.languages), manifest.statuses)
        self._entities, self._vectors = EntityTable(state), _open_vectors(state, manifest)
        self._lexical = LexicalIndex.of(state, titles=self._vectors is None)
        self._stated = ReferenceTable(cited, manifest.grammars), LinkIndex(cited)
        self._sparse = _open_sparse(generation)
        self._given_names = GivenNames(state)
        # Corpora of older versions have no graph.
        self._graph = generation.lazy(GRAPH_NAME) if GRAPH_NAME in manifest.files else None
        passages = self._passages
        self._outline = Outline(
            self._documents.first,
            self._sections,
            lambda rows: passages.document[rows],
            lambda rows: passages.section[rows],
        )
        self._printed = printed_of(self._documents.first, passages, self._sections)
        self._stamp: Stamp | None = None
        self.apply_verdicts()

    @property
    def journals(self) -> Journals:
        """The journals in the folder, unless replaced."""
        return self._journals

    def with_journals(self, journals: Journals) -> Self:
        """Return the same data with other journals. Raises CorpusError."""
        other = copy(self)
        other.read_from(journals)
        return other

    def read_from(self, journals: Journals) -> None:
        """Apply other journals. Raises CorpusError."""
        self._journals, self._stamp = journals, None
        self.apply_verdicts()

    @property
    def verdict_version(self) -> tuple[int, ...]:
        """The version of the verdicts in force."""
        return self._stamp or ()

    def apply_verdicts(self) -> None:
        """Apply the verdicts on links; no-op if none are newer. Results read before stay valid for their
        readers.

        Raises CorpusError.
        """
        stamp = self._journals.stamp(VALIDATIONS_NAME)
        if stamp == self._stamp:
            return
        tables = Tables(self._passages, self._sections, self._documents)
        verdicts = current_verdicts(load_validations(self._journals)).values() if stamp else ()
        references, links = with_verdicts(verdicts, *self._stated, tables)
        browsing = Browsing(references, self._passages, self._sections, self._documents)
        self._references, self._links, self._browsing, self._stamp = references, links, browsing, stamp

    @property
    def name(self) -> str:
        """The corpus's name."""
        return self._manifest.name

    @property
    def embedding(self) -> str:
        """Spec of the model of the vectors, or "none"."""
        return self._manifest.embedding

    @property
    def folder(self) -> Path:
        """The folder that was opened."""
        return self._folder

    @cached_property
    def ontology(self) -> Ontology | None:
        """The ontology: a user's, else the ingested one."""
        content = self._manifest.ontology if self._saved is None else self._saved.content
        return None if content is None else ontology_from(content)

    @property
    def outline(self) -> Outline:
        """Documents, sections and passages as ranges of rows."""
        return self._outline

    def info(self) -> CorpusInfo:
        """Return counts, languages and metadata of the ingestion."""
        return info_of(self._manifest)

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return BM25 hits for each query text, scores above 0."""
        return self._lexical.search(analyzer(language).batch(list(queries)), limit, mask)

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """Return BM25 scores of some rows, shape (queries, rows), 0 without a match."""
        return self._lexical.score(analyzer(language).batch(list(queries)), rows)

    @property
    def similarity_floor(self) -> float:
        """Cosine of unrelated passages; 0 without vectors."""
        return self._manifest.similarity_floor

    def bare_headings(self, rows: Rows) -> Mask:
        """Return a mask of passages that contain only a heading."""
        return self._passages.bare[np.asarray(rows, np.int64)]

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return hits by inner product, scores >= ``minimum``; none without vectors."""
        if self._vectors is None:
            return super().search_dense(queries, limit, minimum, mask=mask)
        return self._vectors.search(queries, limit, minimum, mask)

    @property
    def sparse_model(self) -> str:
        """Spec of the model of the learned sparse vectors, or "none"."""
        return self._manifest.sparse

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Return hits by inner product for each query, scores above 0."""
        if self._sparse is None:
            return super().search_sparse(queries, limit, mask=mask)
        return self._sparse.search(queries, limit, mask)

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Return inner products of some rows, shape (queries, rows)."""
        if self._sparse is None:
            return super().score_sparse(queries, rows)
        return self._sparse.score(queries, rows)

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Return passages linked to ``rows`` by resolved references."""
        return self._links.neighbours(rows, relations, direction)

    def adjacency(self) -> Adjacency | None:
        """See ``Corpus.adjacency``; it is mapped. Raises CorpusError if it is damaged."""
        if self._graph is None or self._stamp:
            return None
        from engine.corpus.related import adjacency_from

        return adjacency_from(block_from(self._graph(), GRAPH_NAME).arrays, len(self))

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Return passages that share entities with ``rows``, weighted by rarity."""
        return self._entities.shared(rows, limit, self._passages.document)

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Return the numbers of the entities that each passage mentions."""
        return self._entities.mentioned_in(rows)

    def mentions(self) -> Mentions:
        """See ``Corpus.mentions``."""
        return self._entities.every()

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Return entities by number."""
        return self._entities.take(numbers)

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Return rows of the reference table."""
        return self._references.take(numbers, self._passages, self._sections, self._documents)

    def all_references(self) -> Iterator[Reference]:
        """Yield the whole reference table."""
        return self._references.each(self._passages, self._sections, self._documents)

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Return row numbers of the reference table by status, relation and document."""
        return self._browsing.numbers(statuses, relations, document)

    def references_from(self, rows: Rows) -> Quoted:
        """Return the references in passages, of every status."""
        return self._browsing.made_by(rows)

    def references_to(self, rows: Rows) -> Quoted:
        """Return the resolved references to passages, or to sections that begin with them."""
        return self._browsing.made_to(rows)

    def citation_counts(self) -> Rows:
        """Return the number of references to each passage."""
        return self._browsing.counts()

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """Return the most cited provisions."""
        return self._browsing.most_cited(limit, relations)

    def passages(self, rows: Rows) -> list[Passage]:
        """Return the passages at ``rows``."""
        return self._passages.take(rows, self._documents, self._sections)

    def documents(self) -> list[Document]:
        """Return every document, in corpus order."""
        return self._documents.all

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        """Return sections by number."""
        return self._sections.take(numbers, self._documents)

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        """Return rows of passage ids, -1 for an unknown id."""
        return self._passages.rows(passage_ids)

    def ids(self, rows: Rows) -> list[str]:
        """Return passage ids by row."""
        return self._passages.ids(rows.tolist())

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Return unit vectors, zero rows for passages without one; shape (n, 0) without vectors."""
        if self._vectors is None:
            return super().vectors(rows)
        return self._vectors.take(rows)

    def numbered(self, number: str) -> Rows:
        """Return the first passage with a number in each document."""
        heads = np.union1d(self._passages.numbered(number), self._sections.numbered(number)).astype(np.int32)
        _, first = np.unique(self._passages.document[heads], return_index=True)
        return heads[first]

    def printed_numbers(self, document: int) -> Printed:
        """Return the rows and sections of a document by number, without reading the rest."""
        return self._printed(document)

    def defined_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield the names that texts give to documents."""
        for row, name in self._given_names.each():
            yield row, self._passages.language(row), name

    @property
    def validities(self) -> tuple[Dated, Dated, Sequence[str]]:
        """Validity of the passages and of the documents, and the names of their statuses."""
        own, of = self._passages, self._documents
        return (
            Dated(own.valid_from, own.valid_to, own.status),
            Dated(of.valid_from, of.valid_to, of.status),
            self._manifest.statuses,
        )


def info_of(manifest: Manifest) -> CorpusInfo:
    """Return the counts in a manifest."""
    return CorpusInfo(
        name=manifest.name,
        documents=manifest.documents,
        passages=manifest.passages,
        references_by_relation=manifest.references_by_relation,
        references_by_status=manifest.references_by_status,
        entities=manifest.entities,
        languages=manifest.most_frequent(),
        embedding=manifest.embedding,
        metadata={
            **manifest.metadata,
            "created": manifest.created,
            "sections": manifest.sections,
            "text": _TEXTS.made(manifest.checksum, lambda: _text_key(manifest)),
            **({} if manifest.dense_recall is None else {"dense_recall": round(manifest.dense_recall, 4)}),
        },
        sparse=manifest.sparse,
    )


# Keys of recent manifests, which may list thousands of files and are needed in every case.
_TEXTS: Cache[str, str] = Cache("states of texts", 64)


def _text_key(manifest: Manifest) -> str:
    """Return a key that is equal for states with equal documents, references, their numbers, and ontology."""
    ontology = json.dumps(manifest.ontology, sort_keys=True)
    seals = (
        f"{name} {seal.digest}"
        for name, seal in sorted(manifest.files.items())
        if name == CITED_NAME or (name.startswith(f"{BLOCKS}/") and name.endswith(BLOCK_SUFFIX))
    )
    return digest("\n".join([ontology, *seals]).encode())


def _open_sparse(generation: Generation) -> SparseIndex | None:
    if generation.manifest.sparse == NO_MODEL:
        return None
    # scipy is imported only if needed.
    from engine.corpus.embedded.lexical import SparseIndex

    return SparseIndex(generation.block(SPARSE_NAME))


def _open_vectors(state: Block, manifest: Manifest) -> VectorIndex | None:
    if manifest.embedding == NO_MODEL:
        return None
    # faiss takes a quarter of a second to import.
    from engine.corpus.embedded.dense import VectorIndex

    return VectorIndex(state)
