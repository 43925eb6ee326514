"""The broad scan: all retrievers over the whole corpus, their fused lists, and their contributions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct, found_in
from engine.corpus.protocol import Corpus, Hits, Mask, Rows, Scores
from engine.language.embedders import NO_EMBEDDING
from engine.model import QueryPlan, RankedPassage, RetrieverCount, RetrieverHit, Search, SearchHit
from engine.retrieval.planning.syntax import phrase_mask
from engine.retrieval.relevance import Relevance, cross_lingual_documents, leave_out_words
from engine.retrieval.retrievers.base import Found, Inquiry, Off
from engine.retrieval.retrievers.registry import DENSE, LEXICAL, retrievers, title_of

# Contributions of retrievers to a list of passages: the scan's candidates or the final ranking


def contributions(
    hits: Iterable[Sequence[RetrieverHit]], names: Iterable[str], off: Mapping[str, str] | None = None
) -> tuple[RetrieverCount, ...]:
    """Count the passages of each retriever in ``names``, and report those that were ``off`` (name -> reason).

    ``hits`` of each passage, best passage first; a passage without hits was found in another way.
    """
    found: dict[str, list[int]] = {name: [] for name in names}
    alone: dict[str, list[int]] = {name: [] for name in found}
    for rank, own in enumerate(hits, 1):
        finders = {hit.retriever for hit in own}
        for name in finders & found.keys():
            found[name].append(rank)
            if len(finders) == 1:
                alone[name].append(rank)
    counts = [
        RetrieverCount(name, len(ranks), len(alone[name]), min(ranks, default=None))
        for name, ranks in found.items()
    ]
    return (*counts, *(RetrieverCount(name, off=reason) for name, reason in (off or {}).items()))


def in_ranking(
    passages: Sequence[RankedPassage], scanned: Sequence[RetrieverCount]
) -> tuple[RetrieverCount, ...]:
    """Count the contributions of a scan's retrievers to the final ranking."""
    names = [count.retriever for count in scanned if not count.off]
    return contributions((ranked.hits for ranked in passages), names)


def off_notes(off: Mapping[str, str], held: Iterable[str]) -> tuple[str, ...]:
    """Return notes on retrievers that did not search though the corpus has their index (``held``)."""
    return tuple(f"{title_of(name)} is off: {off[name]}" for name in held if off.get(name))


# Fusion of ranked lists: the weighted sum of min-max normalised scores, which keeps distances. On the gold
# sets it was always better than reciprocal rank fusion (Cormack et al., SIGIR 2009), which uses only ranks.

# BM25 and dense share the rest of the weight; a retriever without a share here has ``OTHER``.
PAIR: Mapping[str, float] = {LEXICAL: 0.5, DENSE: 0.5}
SHARES: Mapping[str, float] = {"sparse": 0.2}
OTHER = 0.2


@dataclass(frozen=True, slots=True)
class Fused:
    """Rows best first with their fused scores in 0..1; ties go to the lower row. Shapes (n,)."""

    rows: Rows
    scores: Scores


def minmax(hits: Hits) -> Scores:
    """Scale scores so that the list's best is 1 and its lowest 0; all 1 if they are equal."""
    if not len(hits.scores):
        return hits.scores
    low, high = float(hits.scores.min()), float(hits.scores.max())
    if high - low < 1e-12:
        return np.ones_like(hits.scores)
    return ((hits.scores - low) / (high - low)).astype(np.float32)


def fuse(lists: Sequence[Hits], weights: Sequence[float]) -> Fused:
    """Fuse lists by the weighted sum of each row's normalised scores.

    The result is divided by the highest possible score, so that 1 means best in every list. Raises ValueError
    if lists and weights differ in number or a weight is negative.
    """
    if len(lists) != len(weights):
        raise ValueError(f"{len(lists)} lists but {len(weights)} weights")
    if any(weight < 0 for weight in weights):
        raise ValueError("a weight is negative")
    rows, position = np.unique(
        np.concatenate([hits.rows for hits in lists]) if lists else np.empty(0, np.int32), return_inverse=True
    )
    totals = np.zeros(len(rows), dtype=np.float64)
    start = 0
    for hits, weight in zip(lists, weights, strict=True):
        stop = start + len(hits.rows)
        np.add.at(totals, position[start:stop], weight * minmax(hits).astype(np.float64))
        start = stop
    possible = sum(weights)
    scores = (totals / possible if possible > 0 else totals).astype(np.float32)
    order = np.lexsort((rows, -scores))
    return Fused(rows[order].astype(np.int32), scores[order])


def retriever_weights(names: Iterable[str]) -> dict[str, float]:
    """Return the share of each retriever that searches; the sum of shares is 1.

    The share of a retriever that is off is divided among the others.
    """
    searching = list(names)
    others = {name: SHARES.get(name, OTHER) for name in searching if name not in PAIR}
    rest = max(0.0, 1.0 - sum(others.values()))
    present = sum(PAIR[name] for name in searching if name in PAIR)
    weights = {name: rest * PAIR[name] / present if name in PAIR else others[name] for name in searching}
    total = sum(weights.values())
    return {name: weight / total if total > 0 else 1.0 / len(weights) for name, weight in weights.items()}


# The scan


@dataclass(frozen=True, slots=True)
class Scan:
    """Candidates, best first: ``rows`` and fused ``scores`` in 0..1, shapes (n,).

    ``hits``: retriever, view, rank and score of each find of a row; ``finders``: contribution of each
    retriever, or why it did not search; ``notes`` for the user.
    """

    rows: Rows
    scores: Scores
    hits: dict[int, tuple[RetrieverHit, ...]]
    relevance: Relevance
    finders: tuple[RetrieverCount, ...] = ()
    notes: tuple[str, ...] = ()


def scan(
    corpus: Corpus,
    plan: QueryPlan,
    vectors: NDArray[np.float32] | None,
    mask: Mask | None = None,
    *,
    names: Sequence[str],
    limit: int,
    depth: int,
) -> Scan:
    """Scan the corpus for a plan's views.

    ``vectors`` of the views, shape (views, d), None for no dense search; ``mask``: passages that are
    searched, shape (passages,), None for all; ``names`` of the retrievers; ``depth``: hits of each retriever
    and view; ``limit``: candidates that are returned. Raises SettingsError without a retriever, or for an
    unknown one.
    """
    enabled = [number for number, view in enumerate(plan.views) if view.enabled]
    if len(enabled) < len(plan.views):
        plan = replace(plan, views=tuple(plan.views[number] for number in enabled))
        vectors = None if vectors is None else vectors[enabled]
    answers, took = _search(Inquiry(corpus, plan, depth, vectors, mask), names)
    answers = leave_out_words(corpus, plan, answers, LEXICAL, DENSE)
    found = {name: answer for name, answer in answers.items() if not isinstance(answer, Off)}
    off = {name: answer.reason for name, answer in answers.items() if isinstance(answer, Off)}
    weights = retriever_weights(found)
    cross_lingual = (
        cross_lingual_documents(corpus, plan.language) if {LEXICAL, DENSE} <= found.keys() else None
    )
    seen = vectors if DENSE in found else None
    relevance = Relevance(corpus, plan, seen, found, weights, cross_lingual, _phrased(corpus, plan))
    rows, scores = _ranked(relevance)
    rows, scores = rows[:limit], scores[:limit]
    hits = _hits(plan, found, rows)
    counts = contributions([hits[row] for row in rows.tolist()], found, off)
    finders = tuple(replace(count, milliseconds=took[count.retriever]) for count in counts)
    notes = off_notes(off, [] if corpus.sparse_model == NO_EMBEDDING else ["sparse"])
    return Scan(rows, scores, hits, relevance, finders, notes)


def _phrased(corpus: Corpus, plan: QueryPlan) -> Mask | None:
    """Return which passages have a phrase that the question quotes; None without any."""
    phrases = [found.value for found in plan.suggestions if found.kind == "must_include"]
    held = [mask for phrase in phrases if (mask := phrase_mask(corpus, phrase, plan.language)) is not None]
    every = np.logical_or.reduce(held) if held else np.zeros(0, np.bool_)
    return every if every.any() else None


def _search(inquiry: Inquiry, names: Sequence[str]) -> tuple[dict[str, Found | Off], dict[str, float]]:
    """Run retrievers and return their answers and milliseconds; each gets the rows found before it."""
    answers: dict[str, Found | Off] = {}
    took: dict[str, float] = {}
    for retriever in retrievers(names):
        started = time.perf_counter()
        answer = answers[retriever.name] = retriever.search(inquiry)
        took[retriever.name] = 1000 * (time.perf_counter() - started)
        if not isinstance(answer, Off):
            found = [inquiry.candidates, *(hits.rows for hits in answer.hits)]
            inquiry = replace(inquiry, candidates=distinct(np.concatenate(found)))
    return answers, took


def _ranked(relevance: Relevance) -> tuple[Rows, Scores]:
    """Rank the union of all lists by relevance.

    Every candidate is scored by every retriever, so that a passage just below the end of a list does not
    count as zero.
    """
    lists = [hits for answer in relevance.found.values() for hits in answer.hits]
    found = [hits.rows for hits in lists]
    rows = distinct(np.concatenate(found)) if found else np.empty(0, np.int32)
    scores = relevance.of(rows)
    order = np.lexsort((rows, -scores))
    return rows[order], scores[order]


def _hits(plan: QueryPlan, found: Mapping[str, Found], rows: Rows) -> dict[int, tuple[RetrieverHit, ...]]:
    """Return rank and score of each row in every list that has it."""
    kept: dict[int, list[RetrieverHit]] = {int(row): [] for row in rows}
    known = np.sort(rows)
    for name, answer in found.items():
        for view, hits in zip(plan.views, answer.hits, strict=True):
            inside = np.flatnonzero(found_in(known, hits.rows))
            for index in inside:
                hit = RetrieverHit(name, view.name, int(index) + 1, float(hits.scores[index]))
                kept[int(hits.rows[index])].append(hit)
    return {row: tuple(hits) for row, hits in kept.items()}


# Saved searches: the best passages of each query with their ranks and similarities

# Passages saved for each query.
MOST_HITS = 20
# Found by no query.
NO_SEARCH = -1


@dataclass(frozen=True, slots=True)
class _Best:
    """The saved passages of one query, best first, and the number that it found."""

    ranks: Mapping[int, Mapping[str, int]]
    cosines: Mapping[int, float]
    found: int


def searches_of(
    scanned: Scan, ids: Callable[[Rows], Sequence[str]], hypothetical: str, drafted_in: str
) -> tuple[Search, ...]:
    """Return the queries of a scan, one for each view that was searched.

    ``hypothetical`` is the name of views with hypothetical passages, ``drafted_in`` their language.
    """
    plan, found = scanned.relevance.plan, scanned.relevance.found
    best = [_best(found, number) for number in range(len(plan.views))]
    rows = np.fromiter(dict.fromkeys(row for own in best for row in own.ranks), np.int32)
    names = dict(zip(rows.tolist(), ids(rows), strict=True))
    return tuple(
        Search(
            view.name,
            view.text,
            drafted_in if view.name == hypothetical else plan.language,
            view.weight,
            view.name == hypothetical,
            found=own.found,
            hits=tuple(
                SearchHit(names[row], ranks, own.cosines.get(row)) for row, ranks in own.ranks.items()
            ),
        )
        for view, own in zip(plan.views, best, strict=True)
    )


def first_searches(scanned: Scan, rows: Rows) -> NDArray[np.intp]:
    """Return the view that ranks each of some distinct rows highest by any retriever, shape (n,).

    ``NO_SEARCH`` for a row that none found.
    """
    order = np.argsort(rows, kind="stable")
    known = rows[order]
    first = np.full(len(rows), NO_SEARCH, np.intp)
    best = np.full(len(rows), np.iinfo(np.intp).max, np.intp)
    for answer in scanned.relevance.found.values():
        for view, hits in enumerate(answer.hits):
            indexes = np.minimum(np.searchsorted(known, hits.rows), max(len(known) - 1, 0))
            ranks = np.flatnonzero(known[indexes] == hits.rows) if len(known) else indexes[:0]
            own = order[indexes[ranks]]
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
