"""The view of a case: shown passages, figures, purposes of rounds, and the query that found each passage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from engine.arrays import found_in, numbered
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.filters import is_document_link, select_links
from engine.investigation.opening import look_up_mask
from engine.investigation.parts import PartResult, parts_found, show_best_of_parts
from engine.investigation.pool import Pool, Reading
from engine.investigation.presentation import present
from engine.investigation.ranking import Ranking, rank, rank_by_scan
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.reranking import pinned
from engine.investigation.round import NO_ROWS, named_rows, put_linked_behind, put_named_first
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
from engine.settings import COUNTS, OF_THE_SHOWN, InvestigationSettings, joined_conditions
from engine.strategy_registry import strategy_title

# The shown ranking


@dataclass(frozen=True, slots=True)
class ShownRanking:
    """The ``order`` of the pool, the ``passages`` at its top, and the evidence for the question's parts.

    ``parts`` is empty if the question asks one thing.
    """

    order: Ranking
    passages: tuple[RankedPassage, ...]
    parts: tuple[PartResult, ...]


@dataclass(frozen=True, slots=True)
class RankingView:
    """Orders a pool and chooses the passages that are shown.

    ``mask``: passages that the case may use, shape (passages,), None for all. ``experience``: what was
    learned from experts' verdicts, None without any.
    """

    corpus: Corpus
    pool: Pool
    plan: QueryPlan
    settings: InvestigationSettings
    scanned: Scan
    mask: Mask | None
    reading: Reading
    experience: Experience | None = None

    def ranked(self) -> Ranking:
        """Rank the pool as it is now; in the order of the scan if the settings disable following."""
        scanned = self.scanned
        if not self.settings.follow:
            return rank_by_scan(self.pool, scanned.relevance, scanned.rows, scanned.scores)
        followed = self.settings.strategies
        return rank(self.pool, self.corpus, scanned.relevance, followed, scanned.rows, self.experience)

    def shown(self, ranking: Ranking) -> ShownRanking:
        """Put named passages first and the best passage of each part among the shown ones."""
        follows = self.settings.follow
        first = named_rows(self.plan, self.corpus) if follows else NO_ROWS
        order = put_named_first(ranking, first)
        if follows and "citations" in self.settings.strategies:
            order = put_linked_behind(order, first, self.corpus)
        order = self._worth_showing(order, first)
        passages = self._passages(order, first)
        parts = tuple(parts_found(self.scanned.relevance, order, self.reading))
        lifted = show_best_of_parts(order, parts, passages, self.corpus) if follows else order
        return ShownRanking(lifted, passages if lifted is order else self._passages(lifted, first), parts)

    def _passages(self, order: Ranking, first: Rows) -> tuple[RankedPassage, ...]:
        settings, wanted = self.settings, {*first.tolist(), *order.rows[pinned(order)].tolist()}
        return present(
            order, self.pool, self.corpus, self.reading, self.scanned.hits, settings.top_k, self.mask,
            wanted, settings.per_document,
        )  # fmt: skip

    def _worth_showing(self, ranking: Ranking, first: Rows) -> Ranking:
        """Remove passages that a look-up does not show; pinned passages stay."""
        depth = self.plan.depth
        if depth is None or depth.kind is not DepthKind.LOOK_UP or not len(first):
            return ranking
        kept = look_up_mask(ranking.rows, first, self.pool, self.scanned.relevance)
        return ranking.take(kept | pinned(ranking))


# Figures of a case: coverage, similarity of the best passages, passages that the ranked ones refer to, yield
# of the last round, and coherence of the joined passages

BEST, TOP = 10, 3
WORTH = {AreaState.COVERED: 1.0, AreaState.WEAK: 0.5, AreaState.MISSING: 0.0}


def measure_metrics(
    best: Rows,
    pool: Rows,
    relevance: Relevance,
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
    ranking: Sequence[RankedPassage] = (),
    mask: Mask | None = None,
) -> Metrics:
    """Measure the figures of a case.

    ``best``: its best rows, best first, shape (n,); ``pool``: all rows; ``ranking``: only at the end.
    ``mask``: passages that the case may find, None for all.
    """
    corpus = relevance.corpus
    joined = corpus.rows([passage for ranked in ranking for passage in ranked.assembled_ids])
    shown = np.union1d(best, joined).astype(np.int32)
    referred, outside = referred_passages(corpus, shown, pool, mask)
    return Metrics(
        coverage=coverage_score(areas),
        similarity=mean_similarity(relevance, best[:BEST]),
        similarity_top=mean_similarity(relevance, best[:TOP]),
        references=1.0 - len(outside) / referred if referred else None,
        efficiency=rounds[-1].efficiency if rounds and rounds[-1].number > 0 else None,
        coherence=coherence(corpus, ranking),
        outside=tuple(passage.id for passage in corpus.passages(outside)),
    )


def measure_shown(
    view: RankingView,
    shown: Sequence[RankedPassage],
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
) -> Metrics:
    """Measure the figures of a case that shows these passages."""
    rows = view.corpus.rows([ranked.passage.id for ranked in shown])
    return measure_metrics(rows, view.pool.rows(), view.scanned.relevance, areas, rounds, shown, view.mask)


def measure_conditions(
    conditions: Sequence[str],
    view: RankingView,
    areas: Sequence[AreaCoverage],
    rounds: Sequence[RoundReport],
    completeness: Callable[[], Completeness | None],
) -> dict[str, float]:
    """Measure the figures that stop conditions use, by name, as far as they are known.

    ``completeness`` is called only if a condition uses it. Raises ValueError for an invalid condition.
    """
    names = {one.figure for text in conditions for one in joined_conditions(text)}.difference(COUNTS)
    if not names:
        return {}
    # Without the reranker, which runs only at the end.
    shown = view.shown(view.ranked()).passages if names & OF_THE_SHOWN else ()
    metrics = measure_shown(view, shown, areas, rounds)
    estimated = completeness() if "completeness" in names else None
    figures = {"completeness": None if estimated is None else estimated.estimate, **asdict(metrics)}
    return {name: figures[name] for name in names if figures[name] is not None}


def coverage_score(areas: Sequence[AreaCoverage]) -> float | None:
    """Return the share of the required areas that are covered; a weak one counts half."""
    needed = counted(areas) or list(areas)
    return sum(WORTH[area.state] for area in needed) / len(needed) if needed else None


def mean_similarity(relevance: Relevance, rows: Rows) -> float | None:
    """Return the mean cosine between the question and rows, at least 0; None without vectors."""
    vectors = relevance.corpus.vectors(rows)
    vectors = vectors[vectors.any(axis=1)]
    if relevance.vectors is None or not len(vectors) or not relevance.vectors[0].any():
        return None
    return float(np.clip((vectors @ relevance.vectors[0]).mean(), 0.0, 1.0))


def referred_passages(corpus: Corpus, rows: Rows, pool: Rows, mask: Mask | None = None) -> tuple[int, Rows]:
    """Count the passages that ``rows`` refer to, each once, and return those that are not in the pool.

    Passages outside the mask do not count. A reference to a whole document is one to its first passage, and
    is met by any passage of the document.
    """
    links = corpus.neighbours(rows, None, Direction.OUT)
    if mask is not None:
        links = select_links(links, mask[links.rows])
    met = found_in(np.sort(pool), links.rows)
    in_pool = np.unique(corpus.document_numbers(pool))
    met |= is_document_link(corpus, links) & found_in(in_pool, corpus.document_numbers(links.rows))
    return len(np.unique(links.rows)), np.unique(links.rows[~met]).astype(np.int32)


def references_held(corpus: Corpus, rows: Rows, pool: Rows) -> float | None:
    """Return the share of resolved references in ``rows`` whose target is in the pool; None without any."""
    links = corpus.neighbours(rows, None, Direction.OUT)
    if not len(links.rows):
        return None
    references, index = numbered(links.evidence)
    in_pool = np.zeros(len(references), np.bool_)
    in_pool[index[found_in(np.sort(pool), links.rows)]] = True
    return float(in_pool.mean())


def coherence(corpus: Corpus, ranking: Sequence[RankedPassage]) -> float | None:
    """Return the mean cosine between consecutive joined passages; None without any, or without vectors."""
    joined = [ranked.assembled_ids for ranked in ranking if len(ranked.assembled_ids) > 1]
    pairs = [pair for ids in joined for pair in pairwise(ids)]
    if not pairs:
        return None
    first, second = (corpus.vectors(corpus.rows([pair[side] for pair in pairs])) for side in (0, 1))
    have_vectors = first.any(axis=1) & second.any(axis=1)
    if not have_vectors.any():
        return None
    return float(np.clip((first * second).sum(axis=1)[have_vectors].mean(), 0.0, 1.0))


# The purpose of a round, in words

# More strategies are only counted: the counts of the round name them.
MOST_NAMED = 3
NOTHING_TO_DO = "nothing was left to follow"


def describe_scan(plan: QueryPlan) -> str:
    """Describe the purpose of the scan: "find candidates by 3 views of the question"."""
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
    """Describe a round: "follow “Same document” from the scan's best passages; close gaps: Agency".

    ``chosen``: a user chose the seeds.
    """
    parts = []
    if seeds and strategies:
        names = ", ".join(f"“{strategy_title(strategy.name)}”" for strategy in strategies)
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
    """Return the kinds of a round, which may follow references and fill gaps at once."""
    kinds = [RoundKind.FOLLOW_UP] if chosen else []
    if seeds and strategies and not chosen:
        kinds.append(RoundKind.REFERENCE_EXPANSION)
    return (*kinds, *([RoundKind.GAP_FILLING] if queries else []))


def _start(seeds: Sequence[str], pool: Pool, chosen: bool) -> str:
    """Describe where a round starts: the scan's passages, those of one round, or both."""
    if chosen:
        return "a passage that a person chose"
    rounds = {pool.round(seed) for seed in seeds}
    if rounds == {0}:
        return "the scan's best passages"
    return f"what round {rounds.pop()} brought" if len(rounds) == 1 else "the best passages so far"


# The query that found each passage


def found_by(scanned: Scan, pool: Pool, rounds: Sequence[RoundReport]) -> Mapping[str, FoundBy]:
    """Return the query that found each passage and the passage's cosine to the question, by passage id.

    This is the gap query that admitted the passage, or else the view that ranks it highest, if there is one.
    """
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
    """Count the queries sent before the last scan; a case that was run twice has two scans."""
    last = max((index for index, report in enumerate(rounds) if report.number == 0), default=0)
    return sum(len(report.searches) for report in rounds[:last])


def _by_gap(rounds: Sequence[RoundReport]) -> dict[tuple[int, str], int]:
    """Return the number of the gap query that ranks a passage highest in a round, by round and passage."""
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
