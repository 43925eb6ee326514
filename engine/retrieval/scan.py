"""The broad scan: every retriever over all of the corpus, for every view of the question at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.language.embedders import NO_EMBEDDING
from engine.model import QueryPlan, RetrieverCount, RetrieverHit
from engine.retrieval.contributions import contributions, off_notes
from engine.retrieval.cross_lingual import cross_lingual_documents, words_set_aside
from engine.retrieval.fusion import retriever_weights
from engine.retrieval.planning.phrases import holding
from engine.retrieval.relevance import Relevance
from engine.retrieval.retrievers.base import Found, Inquiry, Off
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.retrievers.lexical import LEXICAL
from engine.retrieval.retrievers.registry import retrievers
from engine.sorting import distinct, found_in


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
