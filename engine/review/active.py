"""Which passages to have judged first, so that few verdicts teach the ranking most.

What is learned of a passage counts wherever it is found again (``ranking/experience.py``). A verdict tells
the more, the higher the passage stands for its question, for it is then likelier relevant; the higher it
stands for the other questions, and the more these are alike; and the less the same passage was asked about
before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from engine.corpus.protocol import Rows
from engine.investigation.ranking.additive import Floats
from engine.review.learning.learning import between

# So many of the first passages of each ranking count.
DEPTH = 20
# What a passage counts for that stands lower, and what a verdict counts for its own question alone.
LOWER, OWN = 0.05, 0.1


@dataclass(frozen=True, slots=True)
class Ranking:
    """The passages of a question: their ``rows`` of the corpus, best first, shape (n,), and the indices of
    those that may be judged, shape (k,)."""

    rows: Rows
    may_be_judged: NDArray[np.intp]


def most_telling(
    rankings: Sequence[Ranking], vectors: Floats, count: int, judged: Iterable[int] = ()
) -> list[tuple[int, int]]:
    """Up to ``count`` items to have judged, the most telling first: the number of a question and the index of
    a passage in its ranking.

    ``vectors`` are those of the questions, shape (q, d), (q, 0) where there are none; ``judged`` the rows of
    passages that were judged before, each as often as it was. What was said of them is not looked at.
    """
    candidates = [one.rows[one.may_be_judged] for one in rankings]
    if not any(map(len, candidates)):
        return []
    rows, of_item = np.unique(np.concatenate(candidates), return_inverse=True)
    of_question = np.repeat(np.arange(len(rankings)), list(map(len, candidates)))
    standing = _standing(rankings, rows)
    elsewhere = (between(vectors) @ standing)[of_question, of_item]
    worth = (standing.toarray()[of_question, of_item] + LOWER) * (elsewhere + OWN)
    items = [(number, int(one)) for number, own in enumerate(rankings) for one in own.may_be_judged]
    return [items[one] for one in _in_turn(worth, rows[of_item], Counter(map(int, judged)), count)]


def _standing(rankings: Sequence[Ranking], rows: Rows) -> csr_array:
    """How high each of ``rows``, ascending, stands for each question, 0..1, discounted by its rank;
    shape (questions, rows)."""
    first = [one.rows[:DEPTH] for one in rankings]
    ranked = np.concatenate(first)
    ranks = np.concatenate([np.arange(len(own)) for own in first])
    of_question = np.repeat(np.arange(len(first)), list(map(len, first)))
    where = np.minimum(np.searchsorted(rows, ranked), len(rows) - 1)
    there = rows[where] == ranked
    values = (1.0 / np.log2(ranks + 2.0))[there]
    return csr_array((values, (of_question[there], where[there])), shape=(len(first), len(rows)))


def _in_turn(worth: NDArray[np.float64], rows: Rows, asked: Counter[int], count: int) -> list[int]:
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
