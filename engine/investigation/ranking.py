"""The final ranking: the whole pool by relevance and by what the structure says, each addend shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.pool import Pool
from engine.model import Hop, ScorePart
from engine.retrieval.relevance import Relevance

# Only the very best passages vouch for what they are linked to, each less than the one before: what
# the twentieth cites is noise.
VOUCHING, VOUCHER_DISCOUNT = 12, 0.65
# Weights of the addends, chosen on samples of the gold sets; see benchmarks/RESULTS.md.
NEIGHBOUR_WEIGHT = 0.15
LINK_WEIGHTS = {"citations": 0.65}
# A link lifts a passage right behind the one that vouches for it, never past it: without this the
# first places fill up with what good passages cite.
BEHIND = 0.999
PIN_BONUS = 10.0


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


def rank(pool: Pool, corpus: Corpus, relevance: Relevance) -> Ranking:
    """Rank the pool; dismissed passages are left out, pinned ones come first."""
    entries = [entry for entry in pool.entries() if entry.passage_id not in pool.dismissed]
    rows = np.fromiter((entry.row for entry in entries), np.int32, len(entries))
    own = relevance.of(rows)
    around = NEIGHBOUR_WEIGHT * beside(corpus, relevance, rows)
    places = {entry.passage_id: number for number, entry in enumerate(entries)}
    support, details = link_support(pool, rows, own, own + around, places)
    pinned = np.fromiter(
        (PIN_BONUS * (e.passage_id in pool.pinned) for e in entries), np.float32, len(entries)
    )
    names = ("question", "neighbours", *support, "pinned")
    parts = np.stack([own, around, *support.values(), pinned]).astype(np.float32)
    scores = parts.sum(axis=0)
    order = np.lexsort((rows, -scores))
    return Ranking(rows[order], scores[order], names, parts[:, order], details)


def beside(corpus: Corpus, relevance: Relevance, rows: Rows) -> Scores:
    """The better relevance of the passages before and after each row in its document, shape (n,)."""
    if not len(rows):
        return np.empty(0, np.float32)
    documents = corpus.document_numbers(rows)
    best = np.zeros(len(rows), np.float32)
    around = np.stack([rows - 1, rows + 1])
    inside = (around >= 0) & (around < len(corpus))
    wanted = np.unique(around[inside]).astype(np.int32)
    scores = relevance.of(wanted)
    for side, valid in zip(around, inside, strict=True):
        place = np.searchsorted(wanted, side[valid])
        same = corpus.document_numbers(side[valid].astype(np.int32)) == documents[valid]
        best[valid] = np.maximum(best[valid], np.where(same, scores[place], 0.0))
    return best


def link_support(
    pool: Pool, rows: Rows, own: Scores, base: Scores, places: dict[str, int]
) -> tuple[dict[str, Scores], dict[tuple[str, int], str]]:
    """For each strategy with a weight: what the best passages lend to those they are linked to.

    A passage gets weight x strength x relevance of the voucher / place of the voucher ** 0.65, of the
    best voucher that a hop joins it with; never so much that it would pass its voucher. ``own`` is the
    relevance, ``base`` the score without links, shapes (n,).
    """
    support = {name: np.zeros(len(rows), np.float32) for name in LINK_WEIGHTS}
    details: dict[tuple[str, int], str] = {}
    ids = list(places)
    for standing, voucher in enumerate(np.lexsort((rows, -own))[:VOUCHING].tolist(), 1):
        authority = float(own[voucher]) / standing**VOUCHER_DISCOUNT
        for other, hop in _joined(pool, ids[voucher]):
            place = places.get(other)
            if place is None or hop.strategy not in support:
                continue
            distance = BEHIND * float(base[voucher]) - float(base[place])
            lent = min(LINK_WEIGHTS[hop.strategy] * hop.strength * authority, distance)
            if lent > support[hop.strategy][place]:
                support[hop.strategy][place] = lent
                details[hop.strategy, int(rows[place])] = ids[voucher]
    return support, details


def _joined(pool: Pool, passage_id: str) -> Iterator[tuple[str, Hop]]:
    """Passages that a hop joins with this one, either way: which of two was the seed is chance."""
    for _, target, data in pool.graph.out_edges(passage_id, data=True):
        yield target, data["hop"]
    for source, _, data in pool.graph.in_edges(passage_id, data=True):
        yield source, data["hop"]
