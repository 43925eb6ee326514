"""Dense search as in a folder: the client scans the codes, and the server compares the nearest vectors.

The codes of all vectors (two bits a dimension) are read once per open corpus, 96 bytes a passage if a vector
has 384 dimensions. So the same passages are compared as in a folder, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus import Address
from engine.corpus.defaults import no_hits
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import FIELDS, Block, hashed
from engine.corpus.embedded.dense import Codes, VectorIndex
from engine.corpus.embedded.generation import NO_MODEL
from engine.corpus.embedded.lexical import LexicalIndex, PostingsOf, weights
from engine.corpus.postgresql.catalogue import SCHEMA
from engine.corpus.postgresql.queries import (
    ASKED,
    OWN,
    Cache,
    PostgresQueries,
    columns_of,
    format_vector,
    parse_columns,
    parse_vector,
    unpacked,
)
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.protocol import Hits, Mask, Rows
from engine.language.analysis import analyzer
from engine.language.embedders.base import SparseVectors

if TYPE_CHECKING:
    from engine.corpus.embedded.lexical import SparseIndex


# The best rows of the server are scored again as in a folder, to the bit: this many more are fetched.
WIDER = 32

# Returns the scores of each query's rows, in the shape of the rows.
Compare = Callable[[NDArray[np.float32], Sequence[NDArray[np.int64]]], list[NDArray[np.float32]]]
# Returns the best rows within a mask.
Nearest = Callable[[NDArray[np.float32], int, Mask], Sequence[Rows]]


class PostgresVectors(VectorIndex):
    """The vectors of one generation."""

    def __init__(
        self,
        present: Mask,
        codes: Codes | None,
        take: Callable[[Rows], NDArray[np.float32]],
        compare: Compare,
        nearest: Nearest,
    ) -> None:
        """Create the index. ``present`` and ``codes`` are by row; ``take`` returns vectors by row."""
        self._take, self._compare, self._nearest = take, compare, nearest
        self._look_through(present, codes)

    def take(self, rows: Rows | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors at ``rows``, shape (n, d)."""
        return self._take(np.asarray(rows, np.int32))

    def _best_of(
        self, asked: NDArray[np.float32], near: Sequence[NDArray[np.int64]], limit: int
    ) -> list[Hits]:
        if not len(near):
            return []
        found = zip(near, self._compare(asked, near), strict=True)
        kept = [rows[np.lexsort((rows, -scores))[: limit + WIDER]] for rows, scores in found]
        return self._score(asked, kept, limit)

    def _exactly(self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int) -> list[Hits]:
        if not len(asked):
            return []
        return self._score(asked, self._nearest(asked, min(limit + WIDER, count), allowed), limit)

    def _score(
        self, asked: NDArray[np.float32], kept: Sequence[NDArray[np.int64] | Rows], limit: int
    ) -> list[Hits]:
        # Read all in one batch, which fills the cache.
        self.take(np.unique(np.concatenate(kept)))
        return [
            self._hits(query, rows.astype(np.int64), limit) for query, rows in zip(asked, kept, strict=True)
        ]


# Searches of the server store: by words, by vectors and by learned sparse weights.

# BM25 over the word lists of a server, fetched for the words of a question and scored as in a folder.

# Cache size of word lists, in bytes.
LISTS_BYTES = 128 << 20

_LISTS = (
    f"select part, field, term, passages, weights from {SCHEMA}.postings where corpus = %(corpus)s "
    "and part = any(%(parts)s::smallint[]) and field = any(%(fields)s::smallint[]) "
    "and term = any(%(terms)s::bigint[]) order by document"
)
_NUMBERS = {name: number for number, name in enumerate(FIELDS)}


class _Key(NamedTuple):
    part: int
    field: int
    term: int


class _List(NamedTuple):
    rows: Rows
    weights: Array

    def size(self) -> int:
        """Return the approximate size in bytes."""
        return 200 + self.rows.nbytes + self.weights.nbytes


class PostgresWords:
    """The BM25 index of one generation: one index per part, with the code of a folder's."""

    def __init__(self, server: Server | Replicated, generation: int, passages: int, *, titles: bool) -> None:
        """Create the index. ``titles``: whether headings of provisions are scored separately."""
        self._server, self._corpus, self._passages, self._titles = server, generation, passages, titles
        self._fields = [_NUMBERS[name] for name in weights(titles=titles)]
        self._indexes: dict[int, LexicalIndex] = {}

    def search(
        self, queries: Sequence[Sequence[str]], limit: int, mask: Mask | None, parts: Sequence[int]
    ) -> list[Hits]:
        """Return the best rows of some parts for the terms of each query."""
        self._fetch(queries, parts)
        found = [self._index(part).search(queries, limit, mask) for part in parts]
        return [_best([hits[place] for hits in found], limit) for place in range(len(queries))]

    def score(
        self, queries: Sequence[Sequence[str]], rows: Rows, part_of: NDArray[np.int16]
    ) -> NDArray[np.float32]:
        """Return the scores of chosen rows, shape (queries, rows); ``part_of`` each row, shape (rows,)."""
        parts = np.unique(part_of).tolist()
        self._fetch(queries, parts)
        scores = np.zeros((len(queries), len(rows)), np.float32)
        for part in parts:
            own = part_of == part
            scores[:, own] = self._index(part).score(queries, rows[own])
        return scores

    def _index(self, part: int) -> LexicalIndex:
        if part not in self._indexes:
            fields = {name: self._of_field(part, number) for name, number in _NUMBERS.items()}
            self._indexes[part] = LexicalIndex(fields, self._passages, titles=self._titles)
        return self._indexes[part]

    def _of_field(self, part: int, field: int) -> PostingsOf:
        def postings(terms: Sequence[str]) -> list[tuple[Rows, Array]]:
            found = self._lists.get([_Key(part, field, _signed(hashed(term))) for term in terms if term])
            return [(one.rows, one.weights) for one in found if len(one.rows)]

        return postings

    def _fetch(self, queries: Sequence[Sequence[str]], parts: Sequence[int]) -> None:
        """Fetch all word lists that are needed, in one round trip."""
        terms = {_signed(hashed(term)) for query in queries for term in query if term}
        self._lists.get([_Key(*one) for one in product(parts, self._fields, terms)])

    @cached_property
    def _lists(self) -> Cache[_Key, _List]:
        return Cache(self._fetched, LISTS_BYTES, _List.size)

    def _fetched(self, keys: Sequence[_Key]) -> dict[_Key, _List]:
        parts, fields, terms = (sorted(set(column)) for column in zip(*keys, strict=True))
        asked = {"corpus": self._corpus, "parts": parts, "fields": fields, "terms": terms}
        pieces: dict[_Key, list[tuple[bytes, bytes]]] = {key: [] for key in keys}
        for part, field, term, rows, scores in self._server.read(_LISTS, asked):
            pieces.setdefault(_Key(part, field, term), []).append((rows, scores))
        found = {}
        for key, own in pieces.items():
            columns = list(zip(*own, strict=True)) or [(), ()]
            found[key] = _List(unpacked(columns[0], np.int32), unpacked(columns[1], np.float32))
        return found


def _best(found: Sequence[Hits], limit: int) -> Hits:
    """Return the best of several results, equal scores in row order."""
    if len(found) == 1:
        return found[0]
    rows = np.concatenate([np.zeros(0, np.int32), *(hits.rows for hits in found)])
    scores = np.concatenate([np.zeros(0, np.float32), *(hits.scores for hits in found)])
    order = np.lexsort((rows, -scores))[: max(limit, 0)]
    return Hits(rows[order], scores[order])


def _signed(key: int) -> int:
    """Return a 64-bit key as PostgreSQL's signed bigint."""
    return key - (1 << 64) if key >= 1 << 63 else key


_VECTORS = (
    f"select a.place, vector_send(x.embedding) from {ASKED} "
    f"join {SCHEMA}.vectors x on {OWN} and x.row = a.row"
)
_CODES = f"select codes, present from {SCHEMA}.codes where corpus = %(corpus)s order by document"
# Pairs of a query and a row: index of the pair, and inner product.
_SCORES = (
    "with q as materialized (select place, words::vector as v "
    "from unnest(%(queries)s::text[]) with ordinality as t (words, place)) "
    "select string_agg(int4send(a.place::int) || float4send((-(x.embedding <#> q.v))::real), ''::bytea) "
    "from unnest(%(rows)s::int[], %(documents)s::int[], %(of)s::int[]) "
    f"with ordinality as a (row, document, query, place) join {SCHEMA}.vectors x on {OWN} and x.row = a.row "
    "join q on q.place = a.query"
)
_NEAREST = (
    "select q.place, h.row from (select place, words::vector as v "
    "from unnest(%(queries)s::text[]) with ordinality as t (words, place) offset 0) q "
    f"cross join lateral (select x.row from {SCHEMA}.vectors x where x.corpus = %(corpus)s {{condition}} "
    "order by x.embedding <#> q.v, x.row limit %(limit)s) h"
)
# Up to this number, allowed passages are listed one by one and found by an index.
FEW = 1000
# Cache sizes: bytes of vectors, and number of searches.
VECTOR_BYTES, SEARCHES = 64 << 20, 64


class _Allowed(NamedTuple):
    """A condition on the rows of a table named ``x``, its parameters, and the parts that have such rows."""

    condition: str
    parameters: dict[str, Any]
    parts: Sequence[int]


class PostgresSearches(PostgresQueries):
    """See ``engine.corpus.protocol.Lexical``, ``Dense`` and ``Sparse``."""

    address: Address

    @cached_property
    def _words(self) -> PostgresWords:
        # As in a folder, headings count by themselves if no vectors contain them.
        titles = self._manifest.embedding == NO_MODEL
        return PostgresWords(self._server, self._generation, self._manifest.passages, titles=titles)

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return the BM25 hits of each query text with scores above 0."""
        terms = analyzer(language).batch(list(queries))
        return self._words.search(terms, limit, mask, self._allow(mask).parts)

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """Return the BM25 scores of chosen rows, shape (queries, rows), 0 if no word matches."""
        part_of = self._document_records[1][self.document_numbers(rows)]
        return self._words.score(analyzer(language).batch(list(queries)), np.asarray(rows), part_of)

    @property
    def embedding(self) -> str:
        """Return the spec of the embedding model, or "none"."""
        return self._manifest.embedding

    @property
    def similarity_floor(self) -> float:
        """Return the cosine of unrelated passages; 0 in a corpus without vectors."""
        return self._manifest.similarity_floor

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Return hits by inner product, scores >= ``minimum``.

        Searches the codes as in a folder, or all vectors exactly if the address requests it.
        """
        if self._manifest.embedding == NO_MODEL:
            return no_hits(len(queries))
        return self._dense.search(queries, limit, minimum, mask)

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Return unit vectors, zeros for passages without one; shape (n, 0) in a corpus without vectors."""
        vectors = np.zeros((len(rows), self._manifest.dimensions), np.float32)
        if self._manifest.dimensions and len(rows):
            np.stack(self._vectors.get(np.asarray(rows).tolist()), out=vectors)
        return vectors

    @cached_property
    def _vectors(self) -> Cache[int, NDArray[np.float32]]:
        none = np.zeros(self._manifest.dimensions, np.float32)

        def fetch(rows: Sequence[int]) -> dict[int, NDArray[np.float32]]:
            sent = self._read_by_row(_VECTORS, rows)
            return {row: parse_vector(sent[row]) if row in sent else none for row in rows}

        return Cache(fetch, VECTOR_BYTES // (4 * self._manifest.dimensions))

    @cached_property
    def _dense(self) -> PostgresVectors:
        """Return the vector index (codes, and which passages have a vector), read once."""
        # Importing faiss takes a quarter of a second.

        size, codes = self._manifest.passages, None
        if found := self._read(_CODES):
            present = self._unpack_bits([bits for _, bits in found])
            codes = np.frombuffer(b"".join(own for own, _ in found), np.uint8).reshape(size, -1)
        else:
            present = np.zeros(size, np.bool_)
            present[self._bulk("vectors", ["row"], "row")[0]] = True
        if self.address.dense == "exact":
            codes = None
        return PostgresVectors(present, codes, self.vectors, self._scores_of, self._nearest)

    def _scores_of(
        self, queries: NDArray[np.float32], near: Sequence[NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]:
        """Return the inner products of each query with its own rows, computed by the server."""
        rows = np.concatenate(near).astype(np.int32)
        of = np.repeat(np.arange(len(near)), [len(own) for own in near])
        asked = [format_vector(query) for query in queries]
        ((sent,),) = self._of(_SCORES, rows, queries=asked, of=(of + 1).tolist())
        place, score = parse_columns(["int", "real"], sent or b"")
        scores = np.full(len(rows), -np.inf, np.float32)
        scores[place - 1] = score
        return np.split(scores, np.cumsum([len(own) for own in near])[:-1])

    def _nearest(self, queries: NDArray[np.float32], limit: int, mask: Mask) -> list[Rows]:
        """Return the ``limit`` rows with the highest inner product for each query, computed by the server."""
        condition, parameters, _ = self._allow(None if mask.all() else mask)
        asked = {"queries": [format_vector(query) for query in queries], "limit": limit, **parameters}
        (found,) = self._searches.get([(_NEAREST.format(condition=condition), orjson.dumps(asked))])
        places, rows = (np.array(column, np.int32) for column in columns_of(found, 2))
        return [rows[places == place] for place in range(1, len(queries) + 1)]

    @cached_property
    def _searches(self) -> Cache[tuple[str, bytes], Sequence[Any]]:
        # The same question is searched repeatedly: in its scan, its rounds, its coverage.
        def fetch(searches: Sequence[tuple[str, bytes]]) -> dict[tuple[str, bytes], Sequence[Any]]:
            return {one: self._read(one[0], **orjson.loads(one[1])) for one in searches}

        return Cache(fetch, SEARCHES)

    @property
    def sparse_model(self) -> str:
        """Return the spec of the model of the learned sparse vectors, or "none"."""
        return self._manifest.sparse

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Return the hits by inner product for each query, scores above 0 only."""
        if self._sparse is None:
            return super().search_sparse(queries, limit, mask=mask)
        return self._sparse.search(queries, limit, mask)

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Return the inner products of chosen rows, shape (queries, rows)."""
        if self._sparse is None:
            return super().score_sparse(queries, rows)
        return self._sparse.score(queries, rows)

    @cached_property
    def _sparse(self) -> SparseIndex | None:
        if self._manifest.sparse == NO_MODEL:
            return None
        # SciPy is slow to import.
        from engine.corpus.embedded.lexical import SparseIndex

        return SparseIndex(self.sparse_block())

    def sparse_block(self) -> Block:
        """Return all learned sparse vectors in the format of a folder."""
        rows, terms, weights = self._bulk("sparse", ["row", "term", "weight"], "row")
        order = np.lexsort((rows, terms))
        pointers = np.searchsorted(terms[order], np.arange(int(terms.max(initial=-1)) + 2))
        return Block(
            {
                "pointers": pointers.astype(np.int64),
                "rows": rows[order],
                "weights": weights[order].astype(np.float16),
                "size": np.asarray([self._manifest.passages], np.int64),
            }
        )

    def _allow(self, mask: Mask | None) -> _Allowed:
        """Return the condition of a mask, shape (passages,); an empty condition without a mask."""
        first, part, _, _ = self._document_records
        if mask is None:
            return _Allowed("", {}, np.unique(part).tolist())
        rows = np.flatnonzero(mask)
        before = np.searchsorted(rows, first)
        parts = np.unique(part[before[1:] > before[:-1]]).tolist()
        within = "and x.part = any(%(allowed_parts)s::smallint[])"
        if len(rows) <= FEW:
            condition = f"{within} and x.row = any(%(allowed)s::int[])"
            return _Allowed(condition, {"allowed_parts": parts, "allowed": rows.tolist()}, parts)
        bounds = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
        ranges = ",".join(f"[{start},{stop})" for start, stop in bounds.reshape(-1, 2).tolist())
        condition = f"{within} and x.row <@ %(allowed)s::int4multirange"
        return _Allowed(condition, {"allowed_parts": parts, "allowed": f"{{{ranges}}}"}, parts)
