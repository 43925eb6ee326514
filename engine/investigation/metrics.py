"""Five figures of a case: how much of what it needs is covered, how near the best passages are, whether what
they refer to is at hand, what the last round was worth, and how well the passages read that were joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import pairwise

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.figures import OF_THE_SHOWN, condition
from engine.investigation.showing import Showing
from engine.model import (
    AreaCoverage,
    AreaState,
    Completeness,
    Direction,
    Metrics,
    RankedPassage,
    RoundReport,
    counted,
)
from engine.retrieval.relevance import Relevance
from engine.sorting import found_in, numbered

BEST, TOP = 10, 3
WORTH = {AreaState.COVERED: 1.0, AreaState.WEAK: 0.5, AreaState.MISSING: 0.0}


def metrics_of(
    best: Rows,
    pool: Rows,
    relevance: Relevance,
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
    ranking: Sequence[RankedPassage] = (),
) -> Metrics:
    """The figures of a state of a case. ``best`` are its best rows, best first, shape (n,); ``pool`` all of
    them; ``ranking`` is there at the end only."""
    similar = relevance.similarity(best[:BEST])
    return Metrics(
        coverage=coverage_score(areas),
        similarity=float(similar.mean()) if len(similar) else None,
        similarity_top=float(similar[:TOP].mean()) if len(similar) else None,
        references=references_held(relevance.corpus, best, pool),
        efficiency=rounds[-1].efficiency if rounds and rounds[-1].number > 0 else None,
        coherence=coherence(relevance.corpus, ranking),
    )


def metrics_shown(
    showing: Showing,
    shown: Sequence[RankedPassage],
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
) -> Metrics:
    """The figures of a case of which these passages are shown."""
    rows = showing.corpus.rows([one.passage.id for one in shown])
    return metrics_of(rows, showing.pool.rows(), showing.scanned.relevance, areas, rounds, shown)


def figures_asked(
    conditions: Sequence[str],
    showing: Showing,
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
    completeness: Callable[[], Completeness | None],
) -> dict[str, float]:
    """The figures that conditions ask for, by name, as far as they are known; ``completeness`` is asked where
    one is about it.

    Raises ValueError for what is no condition.
    """
    wanted = {condition(one).figure for one in conditions}
    if not wanted:
        return {}
    # What would be shown now; a reranker is asked at the end alone.
    shown = showing.shown(showing.ranked()).passages if wanted & OF_THE_SHOWN else ()
    found = metrics_shown(showing, shown, areas, rounds)
    estimated = completeness() if "completeness" in wanted else None
    told = {"completeness": None if estimated is None else estimated.estimate, **asdict(found)}
    return {name: told[name] for name in wanted if told[name] is not None}


def coverage_score(areas: Sequence[AreaCoverage]) -> float | None:
    """Share of the areas that a case needs that is covered; a weak one is half."""
    needed = counted(areas) or list(areas)
    return sum(WORTH[area.state] for area in needed) / len(needed) if needed else None


def references_held(corpus: Corpus, rows: Rows, pool: Rows) -> float | None:
    """Share of the resolved references in some passages whose target the pool holds; None without any."""
    links = corpus.neighbours(rows, None, Direction.OUT)
    if not len(links.rows):
        return None
    references, place = numbered(links.evidence)
    held = np.zeros(len(references), np.bool_)
    held[place[found_in(np.sort(pool), links.rows)]] = True
    return float(held.mean())


def coherence(corpus: Corpus, ranking: Sequence[RankedPassage]) -> float | None:
    """Mean cosine between passages that were put together, one and the next; None where none were, or without
    vectors."""
    joined = [found.assembled_ids for found in ranking if len(found.assembled_ids) > 1]
    pairs = [pair for ids in joined for pair in pairwise(ids)]
    if not pairs:
        return None
    first, second = (corpus.vectors(corpus.rows([pair[side] for pair in pairs])) for side in (0, 1))
    there = first.any(axis=1) & second.any(axis=1)
    if not there.any():
        return None
    return float(np.clip((first * second).sum(axis=1)[there].mean(), 0.0, 1.0))
