"""Agreement of reviewers, also beyond chance, on items that can be weighted.

Each function takes the verdicts on ``items`` and ``weights`` of shape (samples, items), how often an item
counts in a sample, and returns an array (samples,): weights of one give the coefficient itself, drawn weights
its bootstrap. NaN is an undefined coefficient: no item has two verdicts, or chance alone would agree on all.

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


def observed_agreement(counts: Counts, weights: Floats) -> Floats:
    """The share of pairs of reviewers who said the same, 0..1, averaged over items that two judged."""
    judged = counts.sum(axis=1)
    shared = judged > 1
    alike = (counts * (counts - 1)).sum(axis=1)
    shares = _divided(alike.astype(np.float64), (judged * (judged - 1)).astype(np.float64))
    return _divided(weights[:, shared] @ shares[shared], weights[:, shared].sum(axis=1))


def _divided(part: Floats, whole: Floats) -> Floats:
    """``part / whole``, NaN where the whole is nothing."""
    quotient: Floats = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=np.broadcast_to(whole, part.shape) > 0)
    return quotient
