"""Ranking a pool: two passes of the additive model, the second with links from what the first put on top."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.associations import associations
from engine.investigation.pool import Pool
from engine.investigation.ranking.additive import AdditiveModel, family_of, learned
from engine.investigation.ranking.features import (
    CITATIONS,
    ENTITIES,
    NEIGHBOURS,
    QUESTION,
    WALK,
    Described,
    Features,
)
from engine.investigation.walking import NAMED_FLOOR, NAMED_SHARE
from engine.model import ScorePart
from engine.retrieval.relevance import Relevance

PIN_BONUS = 10.0
GROUPS = (QUESTION, NEIGHBOURS, CITATIONS, ENTITIES, WALK)
# How fast a voucher's standing falls with its score in the first pass.
FALL = 0.25


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pool best first. ``parts`` has one row per addend, shape (addends, n); scores are its sums.

    ``details`` says in words what an addend of a passage rests on.
    """

    rows: Rows
    scores: Scores
    names: tuple[str, ...]
    parts: NDArray[np.float32]
    details: dict[tuple[str, int], str]

    def breakdown(self, place: int) -> tuple[ScorePart, ...]:
        """The addends of the passage at a place of the ranking, zero ones left out."""
        row = int(self.rows[place])
        return tuple(
            ScorePart(name, float(value), self.details.get((name, row), ""))
            for name, value in zip(self.names, self.parts[:, place], strict=True)
            if value != 0.0
        )


def rank(
    pool: Pool, corpus: Corpus, relevance: Relevance, strategies: Collection[str] | None = None
) -> Ranking:
    """Rank the pool; dismissed passages are left out, pinned ones come first.

    Links of the kinds that ``strategies`` names count, None for all.
    """
    # In the order of the corpus: equals are told apart by it, never by who came first.
    entries = sorted(
        (entry for entry in pool.entries() if entry.passage_id not in pool.dismissed),
        key=lambda entry: entry.row,
    )
    rows = np.fromiter((entry.row for entry in entries), np.int32, len(entries))
    if not len(rows):
        names = (*GROUPS, "pinned")
        return Ranking(rows, np.empty(0, np.float32), names, np.empty((len(names), 0), np.float32), {})
    features, addends = two_passes(corpus, relevance, rows, strategies, learned(family_of(corpus)))
    groups = np.array(features.groups)
    pinned = np.array([PIN_BONUS * (entry.passage_id in pool.pinned) for entry in entries], np.float32)
    parts = np.stack([*(addends[groups == group].sum(axis=0) for group in GROUPS), pinned]).astype(np.float32)
    scores = parts.sum(axis=0)
    order = np.lexsort((rows, -scores))
    ids = {entry.row: entry.passage_id for entry in entries}
    details = {
        (group, int(row)): ids[int(voucher)]
        for group, vouchers in features.vouchers.items()
        for row, voucher in zip(rows, vouchers, strict=True)
        if voucher >= 0
    }
    return Ranking(rows[order], scores[order], (*GROUPS, "pinned"), parts[:, order], details)


def two_passes(
    corpus: Corpus,
    relevance: Relevance,
    rows: Rows,
    strategies: Collection[str] | None,
    models: tuple[AdditiveModel, AdditiveModel],
) -> tuple[Features, NDArray[np.float32]]:
    """The features of the second pass and what each adds, shape (features, n)."""
    described = Described(corpus, relevance, associations(corpus), rows)
    first = described.with_links(first_seeds(described), strategies)
    scores = models[0].addends(first.names, first.values).sum(axis=0)
    second = described.with_links(second_seeds(scores * models[0].scale), strategies)
    return second, models[1].addends(second.names, second.values)


def first_seeds(described: Described) -> Scores:
    """How well each passage stands before any link counts: by relevance, or because it is named."""
    own, named = described.own, described.named
    best = max(float(own.max(initial=0.0)), 1e-6)
    floor = np.where(named > 0, NAMED_FLOOR + NAMED_SHARE * named, 0.0)
    seeds: Scores = np.maximum(own / best, floor).astype(np.float32)
    return seeds


def second_seeds(scores: Scores) -> Scores:
    """How well each passage stands after the first pass, whose plain sums these are."""
    seeds: Scores = np.exp(FALL * (scores - scores.max(initial=-np.inf))).astype(np.float32)
    return seeds
