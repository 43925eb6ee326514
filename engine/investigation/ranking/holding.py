"""How far the ranking may depart from the scan: as far as the question gives reason to trust its links.

Links say something where the passages that they start from are right. Two things tell before any link is
followed: that the question names what the corpus defines or is about, and that one of the scan's first
passages holds most of what the question says. So far may a passage of the scan fall, as a multiple of its
rank. Where neither is the case it may fall to twice its rank if a model has read the question for its
meaning, and not at all where words alone speak (a person's own words, a language that the index reads only
in pieces): then the ranking begins with the scan's list. Whatever the weights are and
wherever they were learned, what the scan has in its first n stays within the first (1 + reach) n.

Filling ranks by the earliest deadline that is due, else by score, is optimal for unit tasks: Jackson,
"Scheduling a production line to minimize maximum tardiness", 1955. The reaches and bounds were chosen on sets
of nine collections, see benchmarks/RESULTS.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Scores
from engine.investigation.ranking.additive import Family

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
