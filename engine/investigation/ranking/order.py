"""Ranking a pool: two passes of the additive model, the second with links from what the first put on top;
then the scan's passages are held as far up as the question gives no reason to leave them (``holding.py``)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.investigation.associations import associations
from engine.investigation.pool import Pool
from engine.investigation.ranking.additive import AdditiveModel, family_of, learned
from engine.investigation.ranking.experience import Experience
from engine.investigation.ranking.features import (
    CITATIONS,
    ENTITIES,
    NEIGHBOURS,
    QUESTION,
    WALK,
    Described,
    Features,
)
from engine.investigation.ranking.holding import HELD, held, lift, reach
from engine.investigation.walking import NAMED_FLOOR, NAMED_SHARE
from engine.model import ScorePart
from engine.retrieval.relevance import Relevance

PIN_BONUS = 10.0
GROUPS = (QUESTION, NEIGHBOURS, CITATIONS, ENTITIES, WALK)
# What experts said of passages.
EXPERTS = "experts"
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

    def take(self, kept: NDArray[np.bool_]) -> Ranking:
        """Some places of the ranking; ``kept`` has shape (n,)."""
        return Ranking(self.rows[kept], self.scores[kept], self.names, self.parts[:, kept], self.details)

    def breakdown(self, place: int) -> tuple[ScorePart, ...]:
        """The addends of the passage at a place of the ranking, zero ones left out."""
        row = int(self.rows[place])
        return tuple(
            ScorePart(name, float(value), self.details.get((name, row), ""))
            for name, value in zip(self.names, self.parts[:, place], strict=True)
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
    """Rank the pool; dismissed passages are left out, pinned ones come first.

    Links of the kinds that ``strategies`` names count, None for all. ``scanned`` are the rows of the scan,
    best first, which fall as far as the question allows and no further; None for the pool by relevance.
    ``experience``: what experts' verdicts add to the shipped weights; None for nothing.
    """
    # In the order of the corpus: equals are told apart by it, never by who came first.
    entries = sorted(
        (entry for entry in pool.entries() if entry.passage_id not in pool.dismissed),
        key=lambda entry: entry.row,
    )
    rows = np.fromiter((entry.row for entry in entries), np.int32, len(entries))
    if not len(rows):
        none = (*GROUPS, HELD, "pinned")
        return Ranking(rows, np.empty(0, np.float32), none, np.empty((len(none), 0), np.float32), {})
    described = Described(corpus, relevance, associations(corpus), rows)
    features, addends = two_passes(described, strategies, learned(family_of(corpus)))
    ids = {entry.row: entry.passage_id for entry in entries}
    told = None if experience is None else _told_by_experts(experience, described, features)
    groups = np.array(features.groups)
    pinned = np.array([PIN_BONUS * (entry.passage_id in pool.pinned) for entry in entries], np.float32)
    by_group = [addends[groups == group].sum(axis=0) for group in GROUPS]
    names = GROUPS if told is None else (*GROUPS, EXPERTS)
    parts = np.stack([*by_group, *([] if told is None else [told.gained]), pinned]).astype(np.float32)
    order = scan_kept(described, parts.sum(axis=0), scanned, pinned > 0)
    parts = parts[:, order]
    parts = np.insert(parts, len(names), lift(parts.sum(axis=0)), axis=0)
    details = {
        (group, int(row)): ids[int(voucher)]
        for group, vouchers in features.vouchers.items()
        for row, voucher in zip(rows, vouchers, strict=True)
        if voucher >= 0
    }
    if told is not None:
        details |= told.details
    return Ranking(rows[order], parts.sum(axis=0), (*names, HELD, "pinned"), parts, details)


@dataclass(frozen=True, slots=True)
class _Told:
    """What experts' verdicts add to n passages, by what was said of each and by the weights of features,
    shape (n,); ``details`` are the judged passages that most of it comes from."""

    gained: Scores
    details: dict[tuple[str, int], str]


def _told_by_experts(experience: Experience, described: Described, features: Features) -> _Told:
    corpus, rows, vectors = described.corpus, described.rows, described.relevance.vectors
    addends = experience.weights(features.names, features.values)
    gained, sources = experience.remembered(corpus, rows, None if vectors is None else vectors[0])
    details = {(EXPERTS, row): one for row, one in zip(rows.tolist(), sources, strict=True) if one}
    return _Told(gained + addends.sum(axis=0), details)


def plain(pool: Pool, relevance: Relevance, scanned: Rows, scores: Scores) -> Ranking:
    """The passages that a scan put into the pool in its own order, pinned ones first. ``scores`` are the
    scan's, shape (n,). What a person brought since stands where its relevance would have put it."""
    entries = {entry.row: entry for entry in pool.entries() if entry.passage_id not in pool.dismissed}
    kept = np.isin(scanned, list(entries))
    others = [row for row, entry in entries.items() if entry.round > 0 or entry.passage_id in pool.pinned]
    brought = np.setdiff1d(np.array(others, np.int32), scanned)
    rows = np.concatenate([scanned[kept], brought])
    own = np.concatenate([scores[kept], relevance.of(brought)])
    pinned = [PIN_BONUS * (entries[row].passage_id in pool.pinned) for row in rows.tolist()]
    parts = np.stack([own, np.array(pinned, np.float32)]).astype(np.float32)
    order = np.argsort(-parts.sum(axis=0), kind="stable")
    return Ranking(rows[order], parts.sum(axis=0)[order], (QUESTION, "pinned"), parts[:, order], {})


def two_passes(
    described: Described, strategies: Collection[str] | None, models: tuple[AdditiveModel, AdditiveModel]
) -> tuple[Features, NDArray[np.float32]]:
    """The features of the second pass and what each adds, shape (features, n)."""
    first = described.with_links(first_seeds(described), strategies)
    scores = models[0].addends(first.names, first.values).sum(axis=0)
    second = described.with_links(second_seeds(scores * models[0].scale), strategies)
    return second, models[1].addends(second.names, second.values)


def scan_kept(described: Described, scores: Scores, scanned: Rows | None, pinned: Mask) -> NDArray[np.intp]:
    """The order of a pool by its scores, in which no passage of the scan falls further than the question
    allows; ``pinned``, shape (n,), stand first. ``scanned`` as in ``rank``."""
    order = np.lexsort((described.rows, -scores))
    scan, reached = scan_held(described, scanned)
    first = int(pinned.sum())
    order[first:] = held(order[first:], scan[~pinned[scan]], reached)
    return order


def scan_held(described: Described, scanned: Rows | None) -> tuple[NDArray[np.intp], float]:
    """The places of the scan's passages in a pool, best first, and how far the question lets them fall.
    ``scanned`` as in ``rank``."""
    rows = described.rows
    if scanned is None:
        scan = np.lexsort((rows, -described.own))
    else:
        found = np.minimum(np.searchsorted(rows, scanned), len(rows) - 1)
        scan = found[rows[found] == scanned]
    terms, family = described.fixed["terms"], family_of(described.corpus)
    return scan, reach(described.named, terms, scan, family, meaning=described.meaning)


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
