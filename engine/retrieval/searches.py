"""What each query of a scan found: its best passages, with their ranks and similarities, to be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows
from engine.model import Search, SearchHit
from engine.retrieval.retrievers.base import Found
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.scan import Scan
from engine.sorting import distinct

# Passages of one query that are kept.
MOST_HITS = 20
# No query.
NO_SEARCH = -1


@dataclass(frozen=True, slots=True)
class _Best:
    """The passages of one query that are kept, best first, and how many it found."""

    ranks: Mapping[int, Mapping[str, int]]
    cosines: Mapping[int, float]
    found: int


def searches_of(
    scanned: Scan, ids: Callable[[Rows], Sequence[str]], hypothetical: str, drafted_in: str
) -> tuple[Search, ...]:
    """The queries of a scan, one for each view that was searched. ``hypothetical`` is the name of the views
    that were made up to be searched by, ``drafted_in`` their language."""
    plan, found = scanned.relevance.plan, scanned.relevance.found
    best = [_best(found, number) for number in range(len(plan.views))]
    rows = np.fromiter(dict.fromkeys(row for one in best for row in one.ranks), np.int32)
    names = dict(zip(rows.tolist(), ids(rows), strict=True))
    return tuple(
        Search(
            view.name,
            view.text,
            drafted_in if view.name == hypothetical else plan.language,
            view.weight,
            view.name == hypothetical,
            found=one.found,
            hits=tuple(
                SearchHit(names[row], ranks, one.cosines.get(row)) for row, ranks in one.ranks.items()
            ),
        )
        for view, one in zip(plan.views, best, strict=True)
    )


def first_searches(scanned: Scan, rows: Rows) -> NDArray[np.intp]:
    """For each row, none of them twice, the view that ranks it highest by any retriever; ``NO_SEARCH`` where
    none found it. Shape (n,)."""
    order = np.argsort(rows, kind="stable")
    known = rows[order]
    first = np.full(len(rows), NO_SEARCH, np.intp)
    best = np.full(len(rows), np.iinfo(np.intp).max, np.intp)
    for answer in scanned.relevance.found.values():
        for view, hits in enumerate(answer.hits):
            places = np.minimum(np.searchsorted(known, hits.rows), max(len(known) - 1, 0))
            ranks = np.flatnonzero(known[places] == hits.rows) if len(known) else places[:0]
            own = order[places[ranks]]
            better = ranks < best[own]
            first[own[better]], best[own[better]] = view, ranks[better]
    return first


def _best(found: Mapping[str, Found], view: int) -> _Best:
    ranks: dict[int, dict[str, int]] = {}
    cosines: dict[int, float] = {}
    lists = {name: answer.hits[view] for name, answer in found.items()}
    for name, hits in lists.items():
        for rank, row in enumerate(hits.rows[:MOST_HITS].tolist(), 1):
            ranks.setdefault(row, {})[name] = rank
    if DENSE in lists:
        cosines = dict(zip(lists[DENSE].rows.tolist(), lists[DENSE].scores.tolist(), strict=True))
    rows = [hits.rows for hits in lists.values()]
    count = len(distinct(np.concatenate(rows))) if rows else 0
    best = sorted(ranks, key=lambda row: (min(ranks[row].values()), -cosines.get(row, 0.0), row))
    return _Best({row: ranks[row] for row in best[:MOST_HITS]}, cosines, count)
