"""Joining ranked lists into one.

Two ways: weighted reciprocal rank fusion, which looks at ranks alone, and the weighted sum of
min-max normalised scores, which keeps the distances. On the gold sets the second is better
throughout, and so it is the default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.corpus.protocol import Hits, Rows, Scores
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.retrievers.lexical import LEXICAL
from engine.settings import InvestigationSettings

# Cormack, Clarke and Buettcher (SIGIR 2009) found 60 and nothing has displaced it.
RRF_K = 60

Method = Literal["minmax", "rrf"]

# The share of a retriever that no setting speaks of.
OTHER_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Fused:
    """Rows best first with their fused scores in 0..1; ties go to the lower row. Shapes (n,)."""

    rows: Rows
    scores: Scores


def reciprocal_rank(hits: Hits) -> Scores:
    """1 / (60 + rank) for each hit, ranks from 1. Cormack et al., SIGIR 2009."""
    ranks = np.arange(1, len(hits.rows) + 1, dtype=np.float32)
    return (1.0 / (RRF_K + ranks)).astype(np.float32)


def minmax(hits: Hits) -> Scores:
    """Scores moved and scaled so that the list's best is 1 and its lowest 0; one level list is all 1."""
    if not len(hits.scores):
        return hits.scores
    low, high = float(hits.scores.min()), float(hits.scores.max())
    if high - low < 1e-12:
        return np.ones_like(hits.scores)
    return ((hits.scores - low) / (high - low)).astype(np.float32)


def fuse(lists: Sequence[Hits], weights: Sequence[float], method: Method = "minmax") -> Fused:
    """One ranking from several: the weighted sum of each row's part in every list it is in.

    The result is scaled by the highest score that was possible, so that 1 means best in every list.
    Raises ValueError when lists and weights differ in number or a weight is negative.
    """
    if len(lists) != len(weights):
        raise ValueError(f"{len(lists)} lists but {len(weights)} weights")
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    normalise, best = (minmax, 1.0) if method == "minmax" else (reciprocal_rank, 1.0 / (RRF_K + 1))
    rows, position = np.unique(
        np.concatenate([hits.rows for hits in lists]) if lists else np.empty(0, np.int32), return_inverse=True
    )
    totals = np.zeros(len(rows), dtype=np.float64)
    start = 0
    for hits, weight in zip(lists, weights, strict=True):
        stop = start + len(hits.rows)
        np.add.at(totals, position[start:stop], weight * normalise(hits).astype(np.float64))
        start = stop
    possible = best * sum(weights)
    scores = (totals / possible if possible > 0 else totals).astype(np.float32)
    order = np.lexsort((rows, -scores))
    return Fused(rows[order].astype(np.int32), scores[order])


def retriever_weights(names: Iterable[str], settings: InvestigationSettings) -> dict[str, float]:
    """The share of each retriever that searches; shares add up to 1.

    ``dense_weight`` divides between BM25 and dense what the others leave; another takes the share that
    the setting ``<name>_weight`` says. What a retriever that is off would have had, the others share.
    """
    wanted = list(names)
    pair = {LEXICAL: 1.0 - settings.dense_weight, DENSE: settings.dense_weight}
    others = {name: float(getattr(settings, f"{name}_weight", OTHER_WEIGHT)) for name in wanted}
    rest = max(0.0, 1.0 - sum(share for name, share in others.items() if name not in pair))
    present = sum(pair[name] for name in wanted if name in pair)
    weights = {
        name: (rest * pair[name] / present if present > 0 else rest) if name in pair else others[name]
        for name in wanted
    }
    total = sum(weights.values())
    return {name: weight / total if total > 0 else 1.0 / len(weights) for name, weight in weights.items()}
