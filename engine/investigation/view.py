"""What a case shows: passages and figures, the purpose of each round, the query that found each passage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from engine.arrays import found_in, numbered
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.figures import OF_THE_SHOWN, condition
from engine.investigation.opening import look_up_mask
from engine.investigation.parts import PartResult, parts_found, show_best_of_parts
from engine.investigation.pool import Pool, Reading
from engine.investigation.presentation import present
from engine.investigation.ranking import Ranking, plain, rank
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.reranking import pinned
from engine.investigation.round import NO_ROWS, named_rows, put_named_first
from engine.investigation.strategies.base import Strategy
from engine.investigation.strategies.gaps import Gaps
from engine.model import (
    AreaCoverage,
    AreaState,
    Completeness,
    DepthKind,
    Direction,
    FoundBy,
    GapQuery,
    Metrics,
    QueryPlan,
    RankedPassage,
    RoundKind,
    RoundReport,
    counted,
)
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import NO_SEARCH, Scan, first_searches
from engine.settings import InvestigationSettings
from engine.threads import title_of

# What a case would show now: its pool in order, the top of that as passages, and what was found
# for the parts of the question.


@dataclass(frozen=True, slots=True)
class Shown:
    """A ranking as it is shown: the whole ``order``, the ``passages`` at the top of it, and the ``parts`` of
    the question with what was found for each, none where it asks one thing."""

    order: Ranking
    passages: tuple[RankedPassage, ...]
    parts: tuple[PartResult, ...]


@dataclass(frozen=True, slots=True)
class RankingView:
    """What decides which passages of a pool are shown, and how. ``mask``: what the case may look at, shape
    (passages,), None for everything; ``experience``: what experts' verdicts add, None for nothing."""

    corpus: Corpus
    pool: Pool
    plan: QueryPlan
    settings: InvestigationSettings
    scanned: Scan
    mask: Mask | None
    reading: Reading
    experience: Experience | None = None

    def ranked(self) -> Ranking:
        """The pool in order, as its passages are now; the scan's own order where nothing is followed."""
        scanned = self.scanned
        if not self.settings.follow:
            return plain(self.pool, scanned.relevance, scanned.rows, scanned.scores)
        followed = self.settings.strategies
        return rank(self.pool, self.corpus, scanned.relevance, followed, scanned.rows, self.experience)

    def shown(self, ranking: Ranking) -> Shown:
        """A ranking with what the question names first, in the top of which each part of the question has its
        best passage."""
        follows = self.settings.follow
        first = named_rows(self.plan, self.corpus) if follows else NO_ROWS
        order = self._worth_showing(put_named_first(ranking, first), first)
        passages = self._passages(order, first)
        parts = tuple(parts_found(self.scanned.relevance, order, self.reading))
        lifted = show_best_of_parts(order, parts, passages, self.corpus) if follows else order
        return Shown(lifted, passages if lifted is order else self._passages(lifted, first), parts)

    def _passages(self, order: Ranking, first: Rows) -> tuple[RankedPassage, ...]:
        hits, top_k = self.scanned.hits, self.settings.top_k
        return present(
            order, self.pool, self.corpus, self.reading, hits, top_k, self.mask, set(first.tolist())
        )

    def _worth_showing(self, ranking: Ranking, first: Rows) -> Ranking:
        """A ranking without what a look-up does not need; pinned passages stay."""
        depth = self.plan.depth
        if depth is None or depth.kind is not DepthKind.LOOK_UP or not len(first):
            return ranking
        kept = look_up_mask(ranking.rows, first, self.pool, self.scanned.relevance)
        return ranking.take(kept | pinned(ranking))


# Five figures of a case: how much of what it needs is covered, how near the best passages are,
# whether what they refer to is at hand, what the last round was worth, and how well the passages
# read that were joined.

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


def measure_shown(
    showing: RankingView,
    shown: Sequence[RankedPassage],
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
) -> Metrics:
    """The figures of a case of which these passages are shown."""
    rows = showing.corpus.rows([one.passage.id for one in shown])
    return metrics_of(rows, showing.pool.rows(), showing.scanned.relevance, areas, rounds, shown)


def measure_conditions(
    conditions: Sequence[str],
    showing: RankingView,
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
    found = measure_shown(showing, shown, areas, rounds)
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


# Why a round was made, in words derived from what it does.

# More threads are told by their number: the counts of the round name them.
MOST_NAMED = 3
NOTHING_TO_DO = "nothing was left to follow"


def describe_scan(plan: QueryPlan) -> str:
    """What the scan is for: "find candidates by 3 views of the question"."""
    count = sum(view.enabled for view in plan.views)
    named = " and what it names" if plan.named else ""
    return f"find candidates by {count} {'view' if count == 1 else 'views'} of the question{named}"


def describe_round(
    strategies: Sequence[Strategy],
    seeds: Sequence[str],
    queries: Sequence[GapQuery],
    pool: Pool,
    *,
    chosen: bool,
) -> str:
    """What a round is for: "follow “Same document” from the scan's best passages; close gaps: Agency".

    ``chosen``: a person chose where it starts.
    """
    parts = []
    if seeds and strategies:
        names = ", ".join(f"“{title_of(one.name)}”" for one in strategies)
        followed = names if len(strategies) <= MOST_NAMED else f"{len(strategies)} threads"
        parts.append(f"follow {followed} from {_start(seeds, pool, chosen)}")
    if areas := dict.fromkeys(query.name or query.area for query in queries if query.area):
        parts.append(f"close gaps: {', '.join(areas)}")
    if missing := [f"“{query.text}”" for query in queries if not query.area]:
        parts.append(f"find what was named missing: {', '.join(missing)}")
    return "; ".join(parts) or NOTHING_TO_DO


def classify_round(
    strategies: Sequence[Strategy], seeds: Sequence[str], queries: Sequence[GapQuery], *, chosen: bool
) -> tuple[RoundKind, ...]:
    """The same by its sort: a round may follow references and fill gaps at once."""
    kinds = [RoundKind.FOLLOW_UP] if chosen else []
    if seeds and strategies and not chosen:
        kinds.append(RoundKind.REFERENCE_EXPANSION)
    return (*kinds, *([RoundKind.GAP_FILLING] if queries else []))


def _start(seeds: Sequence[str], pool: Pool, chosen: bool) -> str:
    """Where a round starts: at what the scan found, at what one round brought, or at both."""
    if chosen:
        return "a passage that a person chose"
    rounds = {pool.round(seed) for seed in seeds}
    if rounds == {0}:
        return "the scan's best passages"
    return f"what round {rounds.pop()} brought" if len(rounds) == 1 else "the best passages so far"


# Which query found each passage of a case first, and how near it is to the question.


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
