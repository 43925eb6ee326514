"""What the best passages of a pool lend to those that they are linked with, both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.corpus.adjacency import Matrix
from engine.corpus.protocol import Rows, Scores
from engine.investigation.associations import among

if TYPE_CHECKING:
    from engine.investigation.ranking.features import Described

# Only the best passages vouch for others: what the thirtieth cites is noise.
VOUCHERS = 20
# How much of what the voucher says is taken from the question, for what is left to be said.
ANSWERED = 0.5


@dataclass(frozen=True, slots=True)
class Links:
    """Links between passages, as matrices ``out`` and ``back`` of shape (passages, passages); ``rows`` are
    the pool's, ``seeds`` say how good a voucher each is, shapes (n,)."""

    out: Matrix
    back: Matrix
    rows: Rows
    seeds: Scores


def link_features(links: Links, pool: Described) -> tuple[dict[str, NDArray[np.float32]], Rows]:
    """Features of each passage by its best voucher, shapes (n,); and the row of that voucher, -1 for none.

    ``first``: the link's weight over the voucher's place. ``near``: the weight, falling with the
    logarithm of the place. ``gain``: that times the share of the question's words that the passage has
    and the voucher lacks. ``onward``: that times the likeness of the passage to what the question asks
    beyond the voucher. ``place``: one over the place among all that is linked, by the last two together;
    ``sharp``: that times the gain: where one linked passage is all that a question lacks, it comes first.
    """
    size = len(links.rows)
    names = ("first", "near", "gain", "onward")
    found = {name: np.zeros(size, np.float32) for name in (*names, "place", "sharp")}
    voucher = np.full(size, -1, np.int32)
    best = np.lexsort((links.rows, -links.seeds))[:VOUCHERS]
    places, targets, weights = _between(links, best)
    if not len(places):
        return found, voucher
    near = weights * (1.0 - np.log1p(places) / np.log(VOUCHERS + 1.0))
    values = {
        "first": weights / (1.0 + places),
        "near": near,
        "gain": near * _gain(pool, best, places, targets),
        "onward": near * _onward(pool, best, places, targets),
    }
    for name in names:
        np.maximum.at(found[name], targets, values[name].astype(np.float32))
    together = found["gain"] + found["onward"]
    linked = np.flatnonzero(found["near"] > 0)
    order = linked[np.argsort(-together[linked], kind="stable")]
    found["place"][order] = 1.0 / (1.0 + np.arange(len(order)))
    found["sharp"] = found["place"] * found["gain"]
    # From the weakest to the strongest: the last one written stays.
    rising = np.argsort(near, kind="stable")
    voucher[targets[rising]] = links.rows[best[places[rising]]]
    return found, voucher


def _between(
    links: Links, best: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """Links from the vouchers at the places ``best`` into the pool: the voucher's standing, the place
    linked, the weight; shapes (links,)."""
    rows = links.rows[best]
    parts = [among(matrix, rows, links.rows) for matrix in (links.out, links.back)]
    places, reached, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    other = best[places] != reached
    return places[other], reached[other], weights[other].astype(np.float32)


def _gain(
    pool: Described, best: NDArray[np.intp], places: NDArray[np.intp], targets: NDArray[np.intp]
) -> NDArray[np.float32]:
    """The share of the question's words that the passage has and its voucher lacks, shape (links,)."""
    total = max(float(pool.term_weights.sum()), 1e-6)
    fresh = pool.has_term[:, targets] & ~pool.has_term[:, best[places]]
    gained: NDArray[np.float32] = (pool.term_weights @ fresh / total).astype(np.float32)
    return gained


def _onward(
    pool: Described, best: NDArray[np.intp], places: NDArray[np.intp], targets: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Likeness to the question less half the voucher, as a share of the best likeness; shape (links,)."""
    if pool.vectors is None or pool.relevance.vectors is None:
        return np.zeros(len(places), np.float32)
    asked = pool.vectors @ pool.relevance.vectors[0]
    among = pool.vectors[best] @ pool.vectors.T
    left = asked[targets] - ANSWERED * among[places, targets]
    highest = max(float(asked.max(initial=0.0)), 1e-6)
    onward: NDArray[np.float32] = np.maximum(left / highest, 0.0).astype(np.float32)
    return onward
