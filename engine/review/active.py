"""Which passages to have judged first, so that few verdicts teach the ranking most.

What is learned of a passage counts wherever it is found again (``ranking/experience.py``). A verdict tells the
more, the likelier it is that the passage is relevant, the higher it stands in the rankings of other questions,
the more these are alike, and the less was asked of the same passage before.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from engine.investigation.ranking.experience import Floats, alike
from engine.review.learning.learning import vectors_of
from engine.review.learning.observing import Observed

# So many of the first passages of each ranking count.
DEPTH = 20
# What a verdict is worth for its own question alone, beside what it is for one other.
OWN = 0.1


def most_telling(
    pools: Sequence[Observed], count: int, candidates: Sequence[NDArray[np.intp]] | None = None
) -> list[tuple[int, int]]:
    """Up to ``count`` items to have judged, the most telling first: the number of a question and the place of a
    passage in its pool.

    ``candidates`` are the places that may be judged, by question; None for the first ``DEPTH`` of each
    ranking that nobody has judged. No verdict is looked at, only what was judged already.
    """
    orders = [one.order(one.shipped)[:DEPTH] for one in pools]
    if candidates is None:
        candidates = [
            order[~np.isin(order, one.judged)] for order, one in zip(orders, pools, strict=True)
        ]
    rows = [one.rows[places].astype(np.int64) for one, places in zip(pools, candidates, strict=True)]
    asked = np.unique(np.concatenate([one.rows for one in pools])) if pools else np.zeros(0, np.int64)
    standing = np.zeros((len(pools), len(asked)), np.float32)
    for number, (one, order) in enumerate(zip(pools, orders, strict=True)):
        standing[number, np.searchsorted(asked, one.rows[order])] = 1 / np.log2(np.arange(len(order)) + 2)
    return []
