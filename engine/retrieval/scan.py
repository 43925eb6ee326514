"""The broad scan: every retriever over all of the corpus, for every view of the question at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Hits, Mask, Rows, Scores
from engine.model import QueryPlan, RetrieverHit
from engine.retrieval.fusion import fuse
from engine.retrieval.relevance import Relevance
from engine.settings import InvestigationSettings

LEXICAL, DENSE = "bm25", "dense"


@dataclass(frozen=True, slots=True)
class Scan:
    """Candidates best first: ``rows`` and fused ``scores`` in 0..1, shapes (n,).

    ``hits`` says for each row which retriever found it, at what rank and score, in which view.
    """

    rows: Rows
    scores: Scores
    hits: dict[int, tuple[RetrieverHit, ...]]
    relevance: Relevance


def scan(
    corpus: Corpus,
    plan: QueryPlan,
    settings: InvestigationSettings,
    vectors: NDArray[np.float32] | None,
    mask: Mask | None = None,
) -> Scan:
    """Scan the corpus for a plan's views. ``mask`` limits it to some passages, shape (passages,).

    ``vectors`` are the views as the corpus's model sees them, shape (views, d); None leaves dense
    search out.
    """
    texts = [view.text for view in plan.views]
    lexical = [
        above(hits, settings.lexical_threshold * _best(hits))
        for hits in corpus.search_lexical(texts, plan.language, settings.scan_depth, mask=mask)
    ]
    dense: list[Hits] = []
    if vectors is not None:
        dense = corpus.search_dense(vectors, settings.scan_depth, settings.dense_threshold, mask=mask)
    relevance = Relevance(
        corpus,
        plan,
        vectors,
        np.array([_best(hits) for hits in lexical], np.float32),
        np.array([_best(hits) for hits in dense] if dense else [0.0] * len(texts), np.float32),
        corpus.similarity_floor,
        settings.dense_weight,
    )
    rows, scores = _ranked(plan, lexical, dense, relevance, settings)
    rows, scores = rows[: settings.scan_limit], scores[: settings.scan_limit]
    return Scan(rows, scores, _hits(plan, lexical, dense, rows), relevance)


def above(hits: Hits, minimum: float) -> Hits:
    """The hits whose score reaches a minimum."""
    keep = hits.scores >= minimum
    return Hits(hits.rows[keep], hits.scores[keep])


def _best(hits: Hits) -> float:
    return float(hits.scores[0]) if len(hits.scores) else 0.0


def _ranked(
    plan: QueryPlan,
    lexical: list[Hits],
    dense: list[Hits],
    relevance: Relevance,
    settings: InvestigationSettings,
) -> tuple[Rows, Scores]:
    """The union of all lists, ranked by the fusion that the settings name.

    Score fusion scores every candidate by every retriever, so that a passage just below one list's
    end is not taken for a zero.
    """
    if settings.fusion == "rrf":
        weights = [(1 - settings.dense_weight) * view.weight for view in plan.views[: len(lexical)]]
        weights += [settings.dense_weight * view.weight for view in plan.views[: len(dense)]]
        fused = fuse([*lexical, *dense], weights, "rrf")
        return fused.rows, fused.scores
    found = [hits.rows for hits in (*lexical, *dense)]
    rows = np.unique(np.concatenate(found)).astype(np.int32) if found else np.empty(0, np.int32)
    scores = relevance.of(rows)
    order = np.lexsort((rows, -scores))
    return rows[order], scores[order]


def _hits(
    plan: QueryPlan, lexical: list[Hits], dense: list[Hits], rows: Rows
) -> dict[int, tuple[RetrieverHit, ...]]:
    """Rank and score of each kept row in every list that holds it."""
    kept: dict[int, list[RetrieverHit]] = {int(row): [] for row in rows}
    for retriever, lists in ((LEXICAL, lexical), (DENSE, dense)):
        for view, hits in zip(plan.views, lists, strict=False):
            inside = np.flatnonzero(np.isin(hits.rows, rows))
            for place in inside:
                hit = RetrieverHit(retriever, view.name, int(place) + 1, float(hits.scores[place]))
                kept[int(hits.rows[place])].append(hit)
    return {row: tuple(hits) for row, hits in kept.items()}
