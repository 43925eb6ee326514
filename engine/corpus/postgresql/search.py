"""Searches on the server: one round trip for all queries.

Vectors are compared one by one; learned sparse weights are summed in the order of a query's terms and in
single precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from sqlalchemy import text

from engine.corpus.postgresql.allowed import Allowed
from engine.corpus.postgresql.binary import vector_text
from engine.corpus.postgresql.memory import Remembered
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.server import Replicated, Server
from engine.corpus.protocol import Hits, Rows
from engine.language.embedders.base import SparseVectors

# Searches whose answers are remembered.
SEARCHES = 64

_SPARSE = f"""
with asked as materialized (
    select * from unnest(
        cast(:queries as int[]), cast(:places as int[]), cast(:terms as int[]), cast(:weights as real[])
    ) as a (query, place, term, weight)
), scored as (
    select a.query, x.row, sum(a.weight * x.weight order by a.place) as score
    from asked a join {SCHEMA}.sparse x on x.term = a.term
    where x.corpus = :corpus %s
    group by a.query, x.row
)"""

_BEST = """
select query, row, score from (
    select *, row_number() over (partition by query order by score desc, row) as rank
    from scored where score > 0
) ranked where rank <= :limit order by query, rank"""

_EACH = """
select query, row, score from scored"""

_OF_ROWS = (
    "and x.part = any(cast(:parts as smallint[])) and x.document = any(cast(:documents as int[])) "
    "and x.row = any(cast(:rows as int[]))"
)

_VECTORS = f"""
select q.place, h.row, h.score
from (
    select place, cast(words as vector) as v
    from unnest(cast(:queries as text[])) with ordinality as t (words, place) offset 0
) q cross join lateral (
    select x.row, -(x.embedding <#> q.v) as score from {SCHEMA}.vectors x
    where x.corpus = :corpus %s
    order by x.embedding <#> q.v, x.row limit :limit
) h
order by q.place, h.score desc, h.row"""


class Search:
    """The searches of one generation by vectors and learned weights."""

    def __init__(self, server: Server | Replicated, generation: int) -> None:
        self._server, self._corpus = server, generation
        # One question is asked again and again: in its scan, its rounds, its coverage.
        self._searches: Remembered[tuple[str, bytes], Sequence[Any]] = Remembered(self._fetched, SEARCHES)

    def sparse(self, queries: SparseVectors, limit: int, allowed: Allowed) -> list[Hits]:
        """The best rows for each row of learned weights."""
        parameters = _weights(queries) | {"limit": max(limit, 0), **allowed.parameters}
        return self._hits(_SPARSE % allowed.condition + _BEST, parameters, len(queries.pointers) - 1)

    def score_sparse(
        self, queries: SparseVectors, rows: Rows, documents: Rows, parts: Sequence[int]
    ) -> NDArray[np.float32]:
        """The scores of chosen rows, shape (queries, rows)."""
        scores = np.zeros((len(queries.pointers) - 1, len(rows)), np.float32)
        parameters = _weights(queries)
        if not parameters["queries"] or not len(rows):
            return scores
        distinct, places = np.unique(rows, return_inverse=True)
        known = np.zeros((len(scores), len(distinct)), np.float32)
        chosen = {"rows": distinct.tolist(), "documents": np.unique(documents).tolist(), "parts": parts}
        found = self._read(_SPARSE % _OF_ROWS + _EACH, {**parameters, **chosen})
        if found:
            numbers, reached, values = zip(*found, strict=True)
            known[np.array(numbers), np.searchsorted(distinct, np.array(reached))] = values
        return known[:, places.reshape(-1)]

    def nearest(self, queries: NDArray[np.float32], limit: int, allowed: Allowed) -> list[Hits]:
        """The rows with the highest inner product, best first, at most ``limit`` each."""
        if limit <= 0 or not len(queries) or not allowed.passages:
            return self._grouped([], len(queries))
        statement = _VECTORS % allowed.condition
        parameters: dict[str, Any] = {"queries": [vector_text(query) for query in queries], "limit": limit}
        parameters |= allowed.parameters
        found = self._searched(statement, parameters)
        return self._grouped([(place - 1, row, score) for place, row, score in found], len(queries))

    def _hits(self, statement: str, parameters: Mapping[str, Any], queries: int) -> list[Hits]:
        if not parameters["queries"] or not parameters["limit"]:
            return self._grouped([], queries)
        return self._grouped(self._searched(statement, parameters), queries)

    def _searched(self, statement: str, parameters: Mapping[str, Any]) -> Sequence[Any]:
        (found,) = self._searches.get([(statement, orjson.dumps(parameters))])
        return found

    def _fetched(self, searches: Sequence[tuple[str, bytes]]) -> dict[tuple[str, bytes], Sequence[Any]]:
        return {one: self._read(one[0], orjson.loads(one[1])) for one in searches}

    def _read(self, statement: str, parameters: Mapping[str, Any]) -> Sequence[Any]:
        return self._server.read(text(statement), {"corpus": self._corpus, **parameters})

    @staticmethod
    def _grouped(found: Sequence[Any], queries: int) -> list[Hits]:
        """Rows and scores of each query, from triples in the order of the queries."""
        numbers, rows, scores = zip(*found, strict=True) if found else ((), (), ())
        bounds = np.searchsorted(np.array(numbers, np.int64), np.arange(queries + 1))
        every, values = np.array(rows, np.int32), np.array(scores, np.float32)
        return [
            Hits(every[start:stop], values[start:stop])
            for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        ]


def _weights(queries: SparseVectors) -> dict[str, Any]:
    counts = np.diff(queries.pointers)
    return {
        "queries": np.repeat(np.arange(len(counts)), counts).tolist(),
        "places": list(range(len(queries.terms))),
        "terms": queries.terms.tolist(),
        "weights": queries.weights.astype(float).tolist(),
    }
