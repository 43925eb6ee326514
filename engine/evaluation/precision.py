"""How much of a pool bears on the question: what is gold, and what stands one relation away from gold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.model import Direction

# An entity that more passages mention than this links nothing in particular.
RARE_ENTITY = 20


@dataclass(frozen=True, slots=True)
class PoolPrecision:
    """Shares of the pool, 0..1: gold itself; gold or linked to it by what the text states (a reference
    in either direction, the next passage); or also by an entity that at most 20 passages mention."""

    gold: float
    stated: float
    with_entities: float


def pool_precision(corpus: Corpus, rows: Rows, is_gold: Mask, gold_ids: Collection[str]) -> PoolPrecision:
    """Precision of a pool's ``rows``, shape (n,); ``is_gold`` says which of them are gold.

    Gold outside the pool counts for relations, too. An empty pool has a precision of 0.
    """
    if not len(rows):
        return PoolPrecision(0.0, 0.0, 0.0)
    outside = corpus.rows(sorted(gold_ids))
    gold = np.union1d(rows[is_gold], outside[outside >= 0]).astype(np.int32)
    stated = is_gold | np.isin(rows, _stated(corpus, gold))
    shared = corpus.by_entity(gold, RARE_ENTITY).rows if len(gold) else gold
    return PoolPrecision(
        float(is_gold.mean()), float(stated.mean()), float((stated | np.isin(rows, shared)).mean())
    )


def _stated(corpus: Corpus, gold: Rows) -> Rows:
    """Passages that a reference links to gold, either way, and those before and after it."""
    if not len(gold):
        return gold
    linked = [corpus.neighbours(gold, None, direction).rows for direction in Direction]
    beside = np.concatenate([gold - 1, gold + 1])
    owners = np.concatenate([gold, gold])
    inside = (beside >= 0) & (beside < len(corpus))
    beside, owners = beside[inside].astype(np.int32), owners[inside]
    same = corpus.document_numbers(beside) == corpus.document_numbers(owners)
    return np.concatenate([*linked, beside[same]]).astype(np.int32)
