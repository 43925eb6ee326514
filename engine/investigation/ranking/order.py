"""The order of a pool: two passes of the additive model, held near the scan if the question requires it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.investigation.graph.walks import NAMED_FLOOR, NAMED_SHARE, get_associations
from engine.investigation.pool import Pool
from engine.investigation.ranking.additive import AdditiveModel, Experience, Family, family_of, learned
from engine.investigation.ranking.features import (
    CITATIONS,
    ENTITIES,
    NEIGHBOURS,
    QUESTION,
    WALK,
    Described,
    Features,
)
from engine.model import ScorePart
from engine.retrieval.relevance import Relevance

# How far the ranking may depart from the scan: as far as the question gives reason to trust its
# links.
#
# Links say something where the passages that they start from are right. Two things tell before
# any link is followed: that the question names what the corpus defines or is about, and that one
# of the scan's first passages holds most of what the question says. So far may a passage of the
# scan fall, as a multiple of its rank. Where neither is the case it may fall to twice its rank if
# a model has read the question for its meaning, and not at all where words alone speak (a
# person's own words, a language that the index reads only in pieces): then the ranking begins
# with the scan's list. Whatever the weights are and wherever they were learned, what the scan has
# in its first n stays within the first (1 + reach) n.
#
# Filling ranks by the earliest deadline that is due, else by score, is optimal for unit tasks:
# Jackson, "Scheduling a production line to minimize maximum tardiness", 1955. The reaches and
# bounds were chosen on sets of nine collections, see benchmarks/RESULTS.md.

HELD = "scan"
# By how many times its rank a passage may fall because the question names something, and by as many more
# because it is covered.
REACH = 2.0
# By how many times it may fall in any case, where meaning is compared and not words alone.
BY_MEANING = 1.0
# So many of the scan's first passages may cover the question: up to the first share of its words, by what
# they tell, they are not trusted, from the second on in full. Among short documents a question often
# needs several, each of which holds less of it.
FIRST = 5
COVERED = {Family.LONG: (0.55, 0.7), Family.SHORT: (0.5, 0.65)}
# By how much a held passage stands above the next.
STEP = 1e-5


def reach(
    named: Scores, terms: Scores, scanned: NDArray[np.intp], family: Family, *, meaning: bool = False
) -> float:
    """By how many times its rank a passage of the scan may fall, 0 for not at all.

    ``named`` says how surely the question names each passage of a pool, ``terms`` the share of the question's
    words that each has, shapes (n,); ``scanned`` are the places of the scan's passages, best first;
    ``meaning``: whether a model compared the question's meaning.
    """
    share = float(terms[scanned[:FIRST]].max(initial=0.0))
    found = REACH * (float(named.any()) + float(np.interp(share, COVERED[family], (0.0, 1.0))))
    return max(found, BY_MEANING) if meaning else found


def held(order: NDArray[np.intp], scanned: NDArray[np.intp], reached: float) -> NDArray[np.intp]:
    """An order of places in which the k-th of ``scanned`` stands among the first floor(k (1 + reached)).

    ``order`` holds every place once, best first, ``scanned`` some of them in the order of the scan. The
    others keep their order among themselves. With a reach of 0 the scan's list comes first.
    """
    latest = np.floor(np.arange(1, len(scanned) + 1) * (1.0 + reached) + 1e-9).astype(np.intp).tolist()
    waiting, due, done = iter(order.tolist()), 0, set[int]()
    queue, found = scanned.tolist(), list[int]()
    while len(found) < len(order):
        while due < len(queue) and queue[due] in done:
            due += 1
        if due < len(queue) and latest[due] <= len(found) + 1:
            place = queue[due]
        else:
            place = next(one for one in waiting if one not in done)
        done.add(place)
        found.append(place)
    return np.array(found, np.intp)


def lift(scores: Scores) -> Scores:
    """What each score of a list has to gain to stand above all behind it, shape (n,), 0 for most."""
    count = len(scores)
    steps = STEP * np.arange(count, dtype=np.float64)
    needed = np.maximum.accumulate((scores + steps)[::-1])[::-1] - steps
    return np.maximum(needed - scores, 0.0).astype(np.float32)


# Ranking a pool: two passes of the additive model, the second with links from what the first put
# on top; then the scan's passages are held as far up as the question gives no reason to leave
# them (``holding.py``).

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
    described = Described(corpus, relevance, get_associations(corpus), rows)
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
