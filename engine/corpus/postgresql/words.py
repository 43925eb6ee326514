"""BM25 over the word lists of a server, fetched for the words of a question and scored as in a folder.

A word's list contains its passages with the scores computed by the embedded store, so that both stores give
the same scores to the bit. A new question transfers a few megabytes, the next one with the same words none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import FIELDS, hashed
from engine.corpus.embedded.lexical import LexicalIndex, PostingsOf, weights
from engine.corpus.postgresql.binary import unpacked
from engine.corpus.postgresql.queries import Cache
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.protocol import Hits, Mask, Rows

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
