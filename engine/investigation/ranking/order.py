"""The order of a pool: two passes of the additive model, kept near the scan if links are less reliable."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.investigation.graph.walks import NAMED_FLOOR, NAMED_SHARE, get_associations
from engine.investigation.pool import Pool
from engine.investigation.ranking.additive import AdditiveModel, Experience, Family, family_of, shipped_models
from engine.investigation.ranking.features import (
    CITATIONS,
    ENTITIES,
    NEIGHBOURS,
    QUESTION,
    WALK,
    Features,
    PoolDescription,
)
from engine.model import ScorePart
from engine.retrieval.relevance import Relevance

# The distance between ranking and scan
#
# Links are evidence only if the passages that they start from are relevant. Two signs are known before a link
# is followed: the question names something that the corpus defines or is about, and one of the scan's first
# passages has most of the question's words. They decide the reach: how far a passage of the scan may fall, as
# a multiple of its rank. Without either sign it may fall to twice its rank if a model compared the meaning of
# the question, and not at all if only words were compared. Whatever the weights, the first n passages of the
# scan stay within the first (1 + reach) n of the ranking.
#
# Filling ranks by the earliest deadline that is due, else by score, is optimal for unit tasks: Jackson,
# "Scheduling a production line to minimize maximum tardiness", 1955. The reaches and bounds were chosen on
# sets of nine collections, see benchmarks/RESULTS.md.

HELD = "scan"
# The reach for each of the two signs.
REACH = 2.0
# The minimum reach if the meaning of the question was compared.
BY_MEANING = 1.0
# Passages of the scan of which one may cover the question, and the weighted shares of its words from which it
# counts partly and fully. In collections of short documents a question often needs several passages, each of
# which has fewer of its words.
FIRST = 5
COVERED = {Family.LONG: (0.55, 0.7), Family.SHORT: (0.5, 0.65)}
# The difference between the scores of a lifted passage and the next one.
STEP = 1e-5


def reach(
    named: Scores, terms: Scores, scanned: NDArray[np.intp], family: Family, *, meaning: bool = False
) -> float:
    """Return how far a passage of the scan may fall, as a multiple of its rank; 0 for not at all.

    ``named``: certainty that the question names each passage of a pool; ``terms``: share of the question's
    words in each; shapes (n,). ``scanned``: positions of the scan's passages, best first. ``meaning``:
    whether a model compared the question's meaning.
    """
    share = float(terms[scanned[:FIRST]].max(initial=0.0))
    found = REACH * (float(named.any()) + float(np.interp(share, COVERED[family], (0.0, 1.0))))
    return max(found, BY_MEANING) if meaning else found


def hold_near_scan(order: NDArray[np.intp], scanned: NDArray[np.intp], reached: float) -> NDArray[np.intp]:
    """Return an order in which the k-th of ``scanned`` is among the first floor(k (1 + reached)).

    ``order`` has every position once, best first; ``scanned`` has some of them in the order of the scan. The
    others keep their relative order. With a reach of 0 the scan's list comes first.
    """
    latest = np.floor(np.arange(1, len(scanned) + 1) * (1.0 + reached) + 1e-9).astype(np.intp).tolist()
    waiting, due, done = iter(order.tolist()), 0, set[int]()
    queue, found = scanned.tolist(), list[int]()
    while len(found) < len(order):
        while due < len(queue) and queue[due] in done:
            due += 1
        if due < len(queue) and latest[due] <= len(found) + 1:
            position = queue[due]
        else:
            position = next(other for other in waiting if other not in done)
        done.add(position)
        found.append(position)
    return np.array(found, np.intp)


def lift(scores: Scores) -> Scores:
    """Return what each score must gain to be above all later ones, shape (n,); 0 for most."""
    count = len(scores)
    steps = STEP * np.arange(count, dtype=np.float64)
    needed = np.maximum.accumulate((scores + steps)[::-1])[::-1] - steps
    return np.maximum(needed - scores, 0.0).astype(np.float32)


# The ranking: two passes of the additive model, the second with links from the best passages of the first

PIN_BONUS = 10.0
GROUPS = (QUESTION, NEIGHBOURS, CITATIONS, ENTITIES, WALK)
# The addend of experts' verdicts.
EXPERTS = "experts"
# How fast the weight of a voucher falls with its score in the first pass.
FALL = 0.25


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pool, best first.

    ``parts`` has one row for each addend, shape (addends, n); ``scores`` are its sums, shape (n,).
    ``details``: the basis of an addend of a passage in words, by name and row.
    """

    rows: Rows
    scores: Scores
    names: tuple[str, ...]
    parts: NDArray[np.float32]
    details: dict[tuple[str, int], str]

    def take(self, mask: NDArray[np.bool_]) -> Ranking:
        """Return the positions of the ranking that a mask, shape (n,), selects."""
        return Ranking(self.rows[mask], self.scores[mask], self.names, self.parts[:, mask], self.details)

    def breakdown(self, position: int) -> tuple[ScorePart, ...]:
        """Return the addends of the passage at a position, without zero ones."""
        row = int(self.rows[position])
        return tuple(
            ScorePart(name, float(value), self.details.get((name, row), ""))
            for name, value in zip(self.names, self.parts[:, position], strict=True)
            if value != 0.0
        )


def rank(
    pool: Pool,
    corpus: Corpus,
    relevance: Relevance,
    strategies: Collection[str] | None = None,
    scanned: Rows | None = None,
    experience: Experience | None = None,
) -> Ranking:
    """Rank the pool without dismissed passages; pinned ones come first.

    ``strategies``: the kinds of links that count, None for all. ``scanned``: rows of the scan, best first,
    which fall no further than the question allows; None for the pool by relevance. ``experience``: what was
    learned from experts' verdicts, None without any.
    """
    # The order of the corpus decides between equal passages, not the order of admission.
    entries = sorted(
        (entry for entry in pool.entries() if entry.passage_id not in pool.dismissed),
        key=lambda entry: entry.row,
    )
    rows = np.fromiter((entry.row for entry in entries), np.int32, len(entries))
    if not len(rows):
        none = (*GROUPS, HELD, "pinned")
        return Ranking(rows, np.empty(0, np.float32), none, np.empty((len(none), 0), np.float32), {})
    described = PoolDescription(corpus, relevance, get_associations(corpus), rows)
    features, addends = two_passes(described, strategies, shipped_models(family_of(corpus)))
    ids = {entry.row: entry.passage_id for entry in entries}
    experts = None if experience is None else _add_experience(experience, described, features)
    groups = np.array(features.groups)
    pinned = np.array([PIN_BONUS * (entry.passage_id in pool.pinned) for entry in entries], np.float32)
    by_group = [addends[groups == group].sum(axis=0) for group in GROUPS]
    names = GROUPS if experts is None else (*GROUPS, EXPERTS)
    parts = np.stack([*by_group, *([] if experts is None else [experts.gains]), pinned]).astype(np.float32)
    order = order_near_scan(described, parts.sum(axis=0), scanned, pinned > 0)
    parts = parts[:, order]
    parts = np.insert(parts, len(names), lift(parts.sum(axis=0)), axis=0)
    details = {
        (group, int(row)): ids[int(voucher)]
        for group, vouchers in features.vouchers.items()
        for row, voucher in zip(rows, vouchers, strict=True)
        if voucher >= 0
    }
    if experts is not None:
        details |= experts.details
    return Ranking(rows[order], parts.sum(axis=0), (*names, HELD, "pinned"), parts, details)


@dataclass(frozen=True, slots=True)
class _ExpertAddends:
    """What experts' verdicts add to n passages, by passage and by features, shape (n,).

    ``details`` are the judged passages that most of a gain comes from.
    """

    gains: Scores
    details: dict[tuple[str, int], str]


def _add_experience(experience: Experience, described: PoolDescription, features: Features) -> _ExpertAddends:
    corpus, rows, vectors = described.corpus, described.rows, described.relevance.vectors
    addends = experience.weights(features.names, features.values)
    gains, sources = experience.passage_gains(corpus, rows, None if vectors is None else vectors[0])
    details = {(EXPERTS, row): source for row, source in zip(rows.tolist(), sources, strict=True) if source}
    return _ExpertAddends(gains + addends.sum(axis=0), details)


def rank_by_scan(pool: Pool, relevance: Relevance, scanned: Rows, scores: Scores) -> Ranking:
    """Rank the passages of a scan in its order, pinned ones first. ``scores`` of the scan, shape (n,).

    Passages that a user added since are ranked by their relevance.
    """
    entries = {entry.row: entry for entry in pool.entries() if entry.passage_id not in pool.dismissed}
    in_pool = np.isin(scanned, list(entries))
    others = [row for row, entry in entries.items() if entry.round > 0 or entry.passage_id in pool.pinned]
    added = np.setdiff1d(np.array(others, np.int32), scanned)
    rows = np.concatenate([scanned[in_pool], added])
    own = np.concatenate([scores[in_pool], relevance.of(added)])
    pinned = [PIN_BONUS * (entries[row].passage_id in pool.pinned) for row in rows.tolist()]
    parts = np.stack([own, np.array(pinned, np.float32)]).astype(np.float32)
    order = np.argsort(-parts.sum(axis=0), kind="stable")
    return Ranking(rows[order], parts.sum(axis=0)[order], (QUESTION, "pinned"), parts[:, order], {})


def two_passes(
    described: PoolDescription,
    strategies: Collection[str] | None,
    models: tuple[AdditiveModel, AdditiveModel],
) -> tuple[Features, NDArray[np.float32]]:
    """Return the features of the second pass and their addends, shape (features, n)."""
    first = described.with_links(first_seeds(described), strategies)
    scores = models[0].addends(first.names, first.values).sum(axis=0)
    second = described.with_links(second_seeds(scores * models[0].scale), strategies)
    return second, models[1].addends(second.names, second.values)


def order_near_scan(
    described: PoolDescription, scores: Scores, scanned: Rows | None, pinned: Mask
) -> NDArray[np.intp]:
    """Order a pool by scores such that no passage of the scan falls further than the question allows.

    ``pinned`` passages, shape (n,), come first. ``scanned`` as in ``rank``.
    """
    order = np.lexsort((described.rows, -scores))
    scan, reached = scan_reach(described, scanned)
    first = int(pinned.sum())
    order[first:] = hold_near_scan(order[first:], scan[~pinned[scan]], reached)
    return order


def scan_reach(described: PoolDescription, scanned: Rows | None) -> tuple[NDArray[np.intp], float]:
    """Return the positions of the scan's passages in a pool, best first, and their reach.

    ``scanned`` as in ``rank``.
    """
    rows = described.rows
    if scanned is None:
        scan = np.lexsort((rows, -described.own))
    else:
        found = np.minimum(np.searchsorted(rows, scanned), len(rows) - 1)
        scan = found[rows[found] == scanned]
    terms, family = described.fixed["terms"], family_of(described.corpus)
    return scan, reach(described.named, terms, scan, family, meaning=described.meaning)


def first_seeds(described: PoolDescription) -> Scores:
    """Score passages before any link counts, by relevance, or by a floor if the question names them."""
    own, named = described.own, described.named
    best = max(float(own.max(initial=0.0)), 1e-6)
    floor = np.where(named > 0, NAMED_FLOOR + NAMED_SHARE * named, 0.0)
    seeds: Scores = np.maximum(own / best, floor).astype(np.float32)
    return seeds


def second_seeds(scores: Scores) -> Scores:
    """Score passages by their sums in the first pass."""
    seeds: Scores = np.exp(FALL * (scores - scores.max(initial=-np.inf))).astype(np.float32)
    return seeds
