"""The broad scan: all retrievers over the whole corpus, their lists fused, and who contributed what."""

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
from engine.retrieval.planning.syntax import holding
from engine.retrieval.relevance import Relevance, cross_lingual_documents, words_set_aside
from engine.retrieval.retrievers.base import Found, Inquiry, Off
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.retrievers.lexical import LEXICAL
from engine.retrieval.retrievers.registry import retrievers, title_of

# What each retriever gave to a list of passages: the scan's candidates, the final ranking.


def contributions(
    hits: Iterable[Sequence[RetrieverHit]], names: Iterable[str], off: Mapping[str, str] | None = None
) -> tuple[RetrieverCount, ...]:
    """A count for each retriever in ``names``, and for those that were ``off`` (name -> why).

    ``hits``: those of each passage, best passage first; a passage without hits was found otherwise.
    """
    found: dict[str, list[int]] = {name: [] for name in names}
    alone: dict[str, list[int]] = {name: [] for name in found}
    for place, own in enumerate(hits, 1):
        finders = {hit.retriever for hit in own}
        for name in finders & found.keys():
            found[name].append(place)
            if len(finders) == 1:
                alone[name].append(place)
    counts = [
        RetrieverCount(name, len(places), len(alone[name]), min(places, default=None))
        for name, places in found.items()
    ]
    return (*counts, *(RetrieverCount(name, off=reason) for name, reason in (off or {}).items()))


def in_ranking(
    passages: Sequence[RankedPassage], scanned: Sequence[RetrieverCount]
) -> tuple[RetrieverCount, ...]:
    """What the retrievers of a scan gave to the final ranking."""
    names = [count.retriever for count in scanned if not count.off]
    return contributions((ranked.hits for ranked in passages), names)


def off_notes(off: Mapping[str, str], held: Iterable[str]) -> tuple[str, ...]:
    """Notes on the retrievers that did not search though the corpus holds what they need (``held``)."""
    return tuple(f"{title_of(name)} is off: {off[name]}" for name in held if off.get(name))


# Joining ranked lists into one.
#
# The weighted sum of min-max normalised scores, which keeps the distances. On the gold sets it
# was better throughout than reciprocal rank fusion (Cormack et al., SIGIR 2009), which looks at
# ranks alone.

# BM25 and dense divide what the others leave; one that is not named here has ``OTHER``.
PAIR: Mapping[str, float] = {LEXICAL: 0.5, DENSE: 0.5}
SHARES: Mapping[str, float] = {"sparse": 0.2}
OTHER = 0.2


@dataclass(frozen=True, slots=True)
class Fused:
    """Rows best first with their fused scores in 0..1; ties go to the lower row. Shapes (n,)."""

    rows: Rows
    scores: Scores


def minmax(hits: Hits) -> Scores:
    """Scores moved and scaled so that the list's best is 1 and its lowest 0; one level list is all 1."""
    if not len(hits.scores):
        return hits.scores
    low, high = float(hits.scores.min()), float(hits.scores.max())
    if high - low < 1e-12:
        return np.ones_like(hits.scores)
    return ((hits.scores - low) / (high - low)).astype(np.float32)


def fuse(lists: Sequence[Hits], weights: Sequence[float]) -> Fused:
    """One ranking from several: the weighted sum of each row's part in every list it is in.

    The result is scaled by the highest score that was possible, so that 1 means best in every list.
    Raises ValueError when lists and weights differ in number or a weight is negative.
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
    """The share of each retriever that searches; shares add up to 1.

    What a retriever that is off would have had, the others share.
    """
    wanted = list(names)
    others = {name: SHARES.get(name, OTHER) for name in wanted if name not in PAIR}
    rest = max(0.0, 1.0 - sum(others.values()))
    present = sum(PAIR[name] for name in wanted if name in PAIR)
    weights = {name: rest * PAIR[name] / present if name in PAIR else others[name] for name in wanted}
    total = sum(weights.values())
    return {name: weight / total if total > 0 else 1.0 / len(weights) for name, weight in weights.items()}


# The broad scan: every retriever over all of the corpus, for every view of the question at once.


@dataclass(frozen=True, slots=True)
class Scan:
    """Candidates best first: ``rows`` and fused ``scores`` in 0..1, shapes (n,).

    ``hits`` says for each row which retriever found it, at what rank and score, in which view; ``finders``
    what each retriever gave, or why it did not search; ``notes`` what a person should know of that.
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
    """Scan the corpus for a plan's views. ``mask`` limits it to some passages, shape (passages,).

    ``vectors`` are the views as the corpus's model sees them, shape (views, d); None leaves dense
    search out. ``names`` are the retrievers that search, ``depth`` the hits taken of each for each view, and
    ``limit`` the candidates kept. Raises SettingsError for no retriever, or one that nobody knows.
    """
    enabled = [number for number, view in enumerate(plan.views) if view.enabled]
    if len(enabled) < len(plan.views):
        plan = replace(plan, views=tuple(plan.views[number] for number in enabled))
        vectors = None if vectors is None else vectors[enabled]
    answers, took = _asked(Inquiry(corpus, plan, depth, vectors, mask), names)
    answers = words_set_aside(corpus, plan, answers, LEXICAL, DENSE)
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
    """Which passages hold one of the phrases that the question quotes; None where it quotes none that any
    passage holds."""
    phrases = [found.value for found in plan.suggestions if found.kind == "must_include"]
    held = [mask for phrase in phrases if (mask := holding(corpus, phrase, plan.language)) is not None]
    every = np.logical_or.reduce(held) if held else np.zeros(0, np.bool_)
    return every if every.any() else None


def _asked(asked: Inquiry, names: Sequence[str]) -> tuple[dict[str, Found | Off], dict[str, float]]:
    """The answers of the retrievers of these names, and the milliseconds of each; each hears what those
    before it have found."""
    answers: dict[str, Found | Off] = {}
    took: dict[str, float] = {}
    for one in retrievers(names):
        started = time.perf_counter()
        answer = answers[one.name] = one.search(asked)
        took[one.name] = 1000 * (time.perf_counter() - started)
        if not isinstance(answer, Off):
            found = [asked.candidates, *(hits.rows for hits in answer.hits)]
            asked = replace(asked, candidates=distinct(np.concatenate(found)))
    return answers, took


def _ranked(relevance: Relevance) -> tuple[Rows, Scores]:
    """The union of all lists, by relevance: every candidate is scored by every retriever, so that a passage
    just below one list's end is not taken for a zero.
    """
    lists = [hits for answer in relevance.found.values() for hits in answer.hits]
    found = [hits.rows for hits in lists]
    rows = distinct(np.concatenate(found)) if found else np.empty(0, np.int32)
    scores = relevance.of(rows)
    order = np.lexsort((rows, -scores))
    return rows[order], scores[order]


def _hits(plan: QueryPlan, found: Mapping[str, Found], rows: Rows) -> dict[int, tuple[RetrieverHit, ...]]:
    """Rank and score of each kept row in every list that holds it."""
    kept: dict[int, list[RetrieverHit]] = {int(row): [] for row in rows}
    known = np.sort(rows)
    for name, answer in found.items():
        for view, hits in zip(plan.views, answer.hits, strict=True):
            inside = np.flatnonzero(found_in(known, hits.rows))
            for place in inside:
                hit = RetrieverHit(name, view.name, int(place) + 1, float(hits.scores[place]))
                kept[int(hits.rows[place])].append(hit)
    return {row: tuple(hits) for row, hits in kept.items()}


# What each query of a scan found: its best passages, with their ranks and similarities, to be
# kept.

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
