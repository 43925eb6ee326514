"""Which query found each passage of a case first, and how near it is to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.investigation.pool import Pool
from engine.investigation.strategies.gaps import Gaps
from engine.model import FoundBy, RoundReport
from engine.retrieval.scan import Scan
from engine.retrieval.searches import NO_SEARCH, first_searches


def found_by(scanned: Scan, pool: Pool, rounds: Sequence[RoundReport]) -> Mapping[str, FoundBy]:
    """By passage id. A passage that a query for a gap brought in is that query's; any other is that view's of
    the question that ranks it highest, if one found it."""
    rows = pool.rows()
    views = first_searches(scanned, rows).tolist()
    cosines: list[float | None] = [None] * len(rows)
    vectors = scanned.relevance.vectors
    if vectors is not None and len(rows):
        cosines = (scanned.relevance.corpus.vectors(rows) @ vectors[0]).tolist()
    gaps, before = _by_gap(rounds), _before_scan(rounds)
    found = {}
    for entry, view, cosine in zip(pool.entries(), views, cosines, strict=True):
        own = gaps.get((entry.round, entry.passage_id)) if entry.strategy == Gaps.name else None
        of_scan = None if view == NO_SEARCH else before + view
        found[entry.passage_id] = FoundBy(of_scan if own is None else own, cosine)
    return found


def _before_scan(rounds: Sequence[RoundReport]) -> int:
    """How many queries were sent before those of the last scan; a case that was run twice has two."""
    last = max((place for place, report in enumerate(rounds) if report.number == 0), default=0)
    return sum(len(report.searches) for report in rounds[:last])


def _by_gap(rounds: Sequence[RoundReport]) -> dict[tuple[int, str], int]:
    """The number of the query for a gap that ranks a passage highest in a round, by round and passage."""
    best: dict[tuple[int, str], tuple[int, int]] = {}
    number = 0
    for report in rounds:
        for search in report.searches:
            if report.number:
                for rank, hit in enumerate(search.hits):
                    key = report.number, hit.passage_id
                    best[key] = min(best.get(key, (rank, number)), (rank, number))
            number += 1
    return {key: found for key, (_, found) in best.items()}
