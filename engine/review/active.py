"""Which passages to have judged first, so that few verdicts teach the ranking most.

What is learned of a passage counts wherever it is found again (``ranking/experience.py``). A verdict tells
the more, the higher the passage stands for its question, for it is then likelier relevant; the higher it
stands for the other questions, and the more these are alike; and the less the same passage was asked about
before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from engine.review.learning.learning import between
from engine.review.learning.observing import Observed

# So many of the first passages of each ranking count.
DEPTH = 20
# What a passage counts for that stands lower, and what a verdict counts for its own question alone.
LOWER, OWN = 0.05, 0.1


def most_telling(
    pools: Sequence[Observed], count: int, candidates: Sequence[NDArray[np.intp]] | None = None
) -> list[tuple[int, int]]:
    """Up to ``count`` items to have judged, the most telling first: the number of a question and the place
    of a passage in its pool.

    ``candidates`` are the places that may be judged, by question; None for the first ``DEPTH`` of each
    ranking of which nobody has judged. What was said is not looked at, only of which passages it was.
    """
    if not pools:
        return []
    orders = [one.order(one.shipped)[:DEPTH] for one in pools]
    if candidates is None:
        candidates = [order[~np.isin(order, one.judged)] for order, one in zip(orders, pools, strict=True)]
    if not any(map(len, candidates)):
        return []
    rows, of_item = np.unique(
        np.concatenate([one.rows[places] for one, places in zip(pools, candidates, strict=True)]),
        return_inverse=True,
    )
    of_question = np.repeat(np.arange(len(pools)), [len(places) for places in candidates])
    standing = _standing(pools, orders, rows)
    elsewhere = (between(pools) @ standing)[of_question, of_item]
    worth = (standing.toarray()[of_question, of_item] + LOWER) * (elsewhere + OWN)
    asked = Counter(_judged_before(pools, candidates))
    items = [(number, int(place)) for number, places in enumerate(candidates) for place in places]
    return [items[number] for number in _in_turn(worth, rows[of_item], asked, count)]


def _standing(
    pools: Sequence[Observed], orders: Sequence[NDArray[np.intp]], rows: NDArray[np.int32]
) -> csr_array:
    """How high each of ``rows``, ascending, stands for each question, 0..1, discounted by its rank;
    shape (questions, rows)."""
    ranked = np.concatenate([one.rows[order] for one, order in zip(pools, orders, strict=True)])
    ranks = np.concatenate([np.arange(len(order)) for order in orders])
    of_question = np.repeat(np.arange(len(pools)), [len(order) for order in orders])
    where = np.minimum(np.searchsorted(rows, ranked), len(rows) - 1)
    there = rows[where] == ranked
    values = (1.0 / np.log2(ranks + 2.0))[there]
    return csr_array((values, (of_question[there], where[there])), shape=(len(pools), len(rows)))


def _judged_before(pools: Sequence[Observed], candidates: Sequence[NDArray[np.intp]]) -> list[int]:
    return [
        int(row)
        for one, places in zip(pools, candidates, strict=True)
        for row in one.rows[np.setdiff1d(one.judged, places)]
    ]


def _in_turn(
    worth: NDArray[np.float64], rows: NDArray[np.int32], asked: Counter[int], count: int
) -> list[int]:
    """The numbers of items by their worth, which falls with each item of the same row that was taken."""
    of_row = rows.tolist()
    waiting = [(-own / (1 + asked[of_row[number]]), number) for number, own in enumerate(worth.tolist())]
    heapify(waiting)
    taken: list[int] = []
    while waiting and len(taken) < count:
        told, number = waiting[0]
        now = -float(worth[number]) / (1 + asked[of_row[number]])
        if now > told:
            heapreplace(waiting, (now, number))
            continue
        heappop(waiting)
        taken.append(number)
        asked[of_row[number]] += 1
    return taken
