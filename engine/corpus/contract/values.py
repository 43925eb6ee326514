"""Short ways to write questions and answers in a contract."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.corpus.protocol import Links, Rows
from engine.language.embedders.base import SparseVectors
from engine.model import Relation

RELATIONS = tuple(Relation)


def rows_of(*numbers: int) -> Rows:
    """Rows as a store expects them."""
    return np.asarray(numbers, np.int32)


def pairs(links: Links) -> set[tuple[int, int]]:
    """Links as (place in the rows asked, row reached)."""
    return set(zip(links.origins.tolist(), links.rows.tolist(), strict=True))


def weights(links: Links) -> Mapping[tuple[int, int], float]:
    """The weight of each link, by (place in the rows asked, row reached)."""
    columns = (links.origins.tolist(), links.rows.tolist(), links.weights.tolist())
    return {(origin, row): weight for origin, row, weight in zip(*columns, strict=True)}


def sparse_rows(*rows: Mapping[int, float]) -> SparseVectors:
    """Queries as weights by term."""
    pointers = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    terms = np.asarray([term for row in rows for term in row], np.int32)
    weights = np.asarray([weight for row in rows for weight in row.values()], np.float32)
    return SparseVectors(pointers, terms, weights)
