"""Searches of the server store: by words, by vectors and by learned weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from engine.corpus.address import Address
from engine.corpus.defaults import nothing
from engine.corpus.embedded.best import by_product
from engine.corpus.embedded.manifest import NO_MODEL
from engine.corpus.postgresql.allowed import Allowed, allowed
from engine.corpus.postgresql.asking import ASKED, OWN, Asking
from engine.corpus.postgresql.binary import fields_of, vector_of, vector_text
from engine.corpus.postgresql.memory import Remembered
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.search import Search
from engine.corpus.postgresql.words import ServedWords
from engine.corpus.protocol import Hits, Mask, Rows
from engine.language.analysis import analyzer
from engine.language.embedders.base import SparseVectors

_VECTORS = text(
    f"select a.place, vector_send(x.embedding) from {ASKED} "
    f"join {SCHEMA}.vectors x on {OWN} and x.row = a.row"
)
_CODES = text(f"select codes, present from {SCHEMA}.codes where corpus = :corpus order by document")
# Of pairs of a query and a row: their place among the pairs, and the product.
_SCORES = text(
    "with q as materialized (select place, cast(words as vector) as v "
    "from unnest(cast(:queries as text[])) with ordinality as t (words, place)) "
    "select string_agg(int4send(cast(a.place as int)) || float4send(cast(-(x.embedding <#> q.v) as real)), "
    "cast('' as bytea)) from unnest(cast(:rows as int[]), cast(:documents as int[]), cast(:of as int[])) "
    f"with ordinality as a (row, document, query, place) join {SCHEMA}.vectors x on {OWN} and x.row = a.row "
    "join q on q.place = a.query"
)

if TYPE_CHECKING:
    from engine.corpus.postgresql.vectors import ServedVectors

# Bytes of vectors that are remembered.
VECTOR_BYTES = 64 << 20


class ServedSearches(Asking):
    """See ``engine.corpus.protocol.Lexical``, ``Dense``, ``Sparse`` and ``Late``."""

    address: Address

    @cached_property
    def _search(self) -> Search:
        return Search(self._server, self._generation)

    @cached_property
    def _words(self) -> ServedWords:
        # As in a folder, headings count by themselves where no vectors hold them.
        titles = self._manifest.embedding == NO_MODEL
        return ServedWords(self._server, self._generation, self._manifest.passages, titles=titles)

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """BM25 for each query text, scores above 0 only."""
        terms = analyzer(language).batch(list(queries))
        return self._words.search(terms, limit, mask, self._allowed(mask).parts)

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """BM25 of chosen rows, shape (queries, rows), 0 for none."""
        part_of = self._document_records[1][self.document_numbers(rows)]
        return self._words.score(analyzer(language).batch(list(queries)), np.asarray(rows), part_of)

    @property
    def embedding(self) -> str:
        """Spec of the model whose vectors the corpus holds, or "none"."""
        return self._manifest.embedding

    @property
    def similarity_floor(self) -> float:
        """Cosine of unrelated passages; 0 in a corpus without vectors."""
        return self._manifest.similarity_floor

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Inner product, scores >= ``minimum``: by codes as in a folder, or exact if the address says so."""
        if self._manifest.embedding == NO_MODEL:
            return nothing(len(queries))
        if self.address.dense == "codes" and self._coded is not None:
            return self._coded.search(queries, limit, minimum, mask)
        found = self._search.nearest(queries, limit, self._allowed(mask))
        # Scored as in a folder, to the bit.
        every = np.unique(np.concatenate([np.zeros(0, np.int32), *(hits.rows for hits in found)]))
        held = self.vectors(every)
        asked = np.ascontiguousarray(queries, np.float32)
        ranked = []
        for query, hits in zip(asked, found, strict=True):
            rows = np.sort(hits.rows)
            best = by_product(rows, held[np.searchsorted(every, rows)], query)
            kept = best.scores >= np.float32(minimum)
            ranked.append(Hits(best.rows[kept], best.scores[kept]))
        return ranked

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Unit vectors, zero rows where a passage has none; shape (n, 0) in a corpus without vectors."""
        vectors = np.zeros((len(rows), self._manifest.dimensions), np.float32)
        if self._manifest.dimensions and len(rows):
            np.stack(self._vectors.get(np.asarray(rows).tolist()), out=vectors)
        return vectors

    @cached_property
    def _coded(self) -> ServedVectors | None:
        """The codes of all vectors, read once; None in a corpus that has none."""
        found = self._read(_CODES)
        if not found:
            return None
        # faiss is a quarter of a second to import.
        from engine.corpus.postgresql.vectors import ServedVectors

        counts = np.diff(self._document_records[0]).tolist()
        codes = np.frombuffer(b"".join(own for own, _ in found), np.uint8)
        present = [
            np.unpackbits(np.frombuffer(bits, np.uint8), count=count)
            for (_, bits), count in zip(found, counts, strict=True)
        ]

        def exactly(queries: NDArray[np.float32], limit: int, mask: Mask) -> list[Hits]:
            return self._search.nearest(queries, limit, self._allowed(None if mask.all() else mask))

        return ServedVectors(
            np.concatenate(present).astype(np.bool_),
            codes.reshape(self._manifest.passages, -1),
            self.vectors,
            self._scores_of,
            exactly,
        )

    def _scores_of(
        self, queries: NDArray[np.float32], near: Sequence[NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]:
        """The inner products of each query with rows of its own, as the server computes them."""
        rows = np.concatenate(near).astype(np.int32)
        of = np.repeat(np.arange(len(near)), [len(own) for own in near])
        asked = [vector_text(query) for query in queries]
        ((sent,),) = self._of(_SCORES, rows, queries=asked, of=(of + 1).tolist())
        place, score = fields_of(["int", "real"], sent or b"")
        scores = np.full(len(rows), -np.inf, np.float32)
        scores[place - 1] = score
        return np.split(scores, np.cumsum([len(own) for own in near])[:-1])

    @cached_property
    def _vectors(self) -> Remembered[int, NDArray[np.float32]]:
        none = np.zeros(self._manifest.dimensions, np.float32)

        def fetched(rows: Sequence[int]) -> dict[int, NDArray[np.float32]]:
            sent = self._by_row(_VECTORS, rows)
            return {row: vector_of(sent[row]) if row in sent else none for row in rows}

        return Remembered(fetched, VECTOR_BYTES // (4 * self._manifest.dimensions))

    @property
    def sparse_model(self) -> str:
        """Spec of the model of the learned sparse vectors, or "none"."""
        return self._manifest.sparse

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Inner product for each query, scores above 0 only."""
        return self._search.sparse(queries, limit, self._allowed(mask))

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Inner product of chosen rows, shape (queries, rows)."""
        documents = self.document_numbers(rows)
        return self._search.score_sparse(queries, rows, documents, self.parts(documents))

    def _allowed(self, mask: Mask | None) -> Allowed:
        first, part, _, _ = self._document_records
        return allowed(mask, first, part)
