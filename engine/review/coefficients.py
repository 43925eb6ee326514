"""Coefficients of agreement beyond chance, for items that can be weighted.

Each takes what was said of ``items`` and ``weights`` of shape (samples, items), how often an item counts in a
sample, and gives an array (samples,): weights of one give the coefficient itself, drawn weights its
bootstrap. NaN stands where a coefficient is not defined: nobody shares an item, or chance alone would agree
on all.

``counts`` of shape (items, categories) say how many reviewers gave an item a category; reviewers may have
left items out, and only items that at least two of them judged say anything about observed agreement.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# Below this the agreement that chance leaves to be reached is a rounding error.
_NO_ROOM: Final = 1e-12


def krippendorff_alpha(counts: Counts, weights: Floats, *, ordinal: bool = False) -> Floats:
    """Krippendorff's alpha, 1 - observed / expected disagreement.

    Two categories differ by 1 where they are names; where they are ``ordinal``, in the order of the columns,
    by the square of the distance of their mean ranks (Krippendorff 2011, Computing Krippendorff's
    Alpha-Reliability, University of Pennsylvania; there the sum of the frequencies between them).
    """
    number = counts.shape[1]
    judged = counts.sum(axis=1)
    shared = np.where(judged > 1, judged - 1, 1)[:, None, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(number)
    coincidences = (weights @ (pairs / shared).reshape(-1, number * number)).reshape(-1, number, number)
    totals = coincidences.sum(axis=2)
    if ordinal:
        ranks = np.cumsum(totals, axis=1) - totals / 2
        distances = (ranks[:, :, None] - ranks[:, None, :]) ** 2
    else:
        distances = np.broadcast_to(1 - np.eye(number), coincidences.shape)
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * distances).sum(axis=(1, 2))
    possible = expected > _NO_ROOM
    ratio = np.divide(observed, expected, out=np.full(len(weights), np.nan), where=possible)
    alpha: Floats = 1 - (totals.sum(axis=1) - 1) * ratio
    return alpha


def gwet_ac1(counts: Counts, weights: Floats) -> Floats:
    """Gwet's AC1, whose chance is that of reviewers who guess on items that are hard to judge alone.

    It stays near the observed agreement where nearly all verdicts are the same (Gwet 2008,
    British Journal of Mathematical and Statistical Psychology 61; with missing ratings Gwet 2014, Handbook of
    Inter-Rater Reliability, 4th ed., chapter 2). Needs at least two columns of ``counts``.
    """
    shares = _shares(counts, weights)
    chance = (shares * (1 - shares)).sum(axis=1) / (counts.shape[1] - 1)
    return _beyond(observed_agreement(counts, weights), chance)


def observed_agreement(counts: Counts, weights: Floats) -> Floats:
    """The share of pairs of reviewers who said the same, 0..1, averaged over items that two judged."""
    judged = counts.sum(axis=1)
    shared = judged > 1
    alike = (counts * (counts - 1)).sum(axis=1)
    shares = _divided(alike.astype(np.float64), (judged * (judged - 1)).astype(np.float64))
    return _divided(weights[:, shared] @ shares[shared], weights[:, shared].sum(axis=1))


def _shares(counts: Counts, weights: Floats) -> Floats:
    """How the verdicts are distributed, (samples, categories): each item's own distribution, averaged."""
    own = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    judged = counts.sum(axis=1) > 0
    return _divided(weights[:, judged] @ own[judged], weights[:, judged].sum(axis=1, keepdims=True))


def _beyond(observed: Floats, chance: Floats) -> Floats:
    """Agreement beyond chance as a share of what chance leaves."""
    room = 1 - chance
    beyond: Floats = np.full(len(observed), np.nan)
    np.divide(observed - chance, room, out=beyond, where=np.abs(room) > _NO_ROOM)
    return beyond


def _divided(part: Floats, whole: Floats) -> Floats:
    """``part / whole``, NaN where the whole is nothing."""
    quotient: Floats = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=np.broadcast_to(whole, part.shape) > 0)
    return quotient
