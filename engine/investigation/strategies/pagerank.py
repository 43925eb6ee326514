"""Passages that are near without a direct link: many short paths, or a similar meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.corpus.protocol import Hits, Rows
from engine.investigation.graph.walks import ROUGH, Associations, get_associations, submatrix, walk_from
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.strategies.entities import as_written
from engine.investigation.trails import NO_SOURCE, RELATION_NUMBER, Leads, joined, make_leads, no_leads
from engine.model import Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

# Personalised PageRank: passages on many short paths from the seeds and from names in the
# question.
#
# The graph has passages, references and entities, as in HippoRAG (Gutiérrez et al., NeurIPS
# 2024), with the corpus's own references and names instead of triples that a language model
# extracts.

MOST_LEADS = 60


class PageRank:
    """Walks from the seeds and the question's names and proposes the most visited passages."""

    name = "pagerank"
    title = "Closely connected"
    legend = "many paths"
    meaning = "Passages that references and shared names connect closely to the best ones."
    # The most visited passages have many links.
    trust = 1.0
    stated = False
    colour = Colour("#00838f", "#4dd0d9")
    on_from = Preset.BALANCED
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose the most visited passages.

        A lead starts at the seed with the strongest link to it, or at the question if there is none. Its
        strength is the root of the visits relative to the most visited passage.
        """
        if not len(seeds.rows):
            return no_leads()
        graph = get_associations(context.corpus)
        visits = walk_from(graph, seeds.rows, seeds.scores, context.relevance.plan, ROUGH)
        best = visits.best(MOST_LEADS, context.mask)
        rows, shares = best.rows, best.shares
        if not len(rows):
            return no_leads()
        sources = _nearest(graph, seeds.rows, rows)
        relations = np.where(
            sources == NO_SOURCE, RELATION_NUMBER[Relation.MATCHES], RELATION_NUMBER[Relation.MENTIONS]
        ).astype(np.int8)
        return make_leads(rows, sources, np.sqrt(shares), relations)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the rarest entity that both ends name, or report that references link them."""
        graph = get_associations(context.corpus)
        near = np.flatnonzero(leads.sources != NO_SOURCE)
        sources, rows = leads.sources[near], leads.rows[near]
        ends = context.corpus.entities_of(np.concatenate([sources, rows]).astype(np.int32))
        rarest = {
            index: min(set(left) & set(right), key=lambda one: (-float(graph.rarity[one]), one), default=None)
            for index, left, right in zip(near.tolist(), ends[: len(near)], ends[len(near) :], strict=True)
        }
        named = sorted({number for number in rarest.values() if number is not None})
        entities = dict(zip(named, context.corpus.entities(named), strict=True))
        passages = dict(zip(near.tolist(), context.reading.passages(sources), strict=True))
        evidence = []
        for index in range(len(leads.rows)):
            if index not in passages:
                evidence.append(Evidence(detail="joined by several steps"))
                continue
            passage, number = passages[index], rarest[index]
            entity = None if number is None else entities[number]
            words = as_written(entity.name, passage.text) if entity else ""
            if words:
                evidence.append(Evidence(words, passage.id, "shared name"))
            else:
                evidence.append(Evidence(detail=f"shared: {entity.name}" if entity else "by reference"))
        return evidence


def _nearest(graph: Associations, seeds: Rows, rows: Rows) -> Rows:
    """Return the seed with the strongest path of one or two steps to each row; NO_SOURCE without one."""
    middle = distinct(graph.joined[seeds].indices)
    direct = submatrix(graph.joined, rows, seeds).toarray() * graph.scale[seeds]
    first = submatrix(graph.joined, seeds, middle).toarray() * graph.scale[seeds][:, None]
    over = submatrix(graph.joined, rows, middle) @ (first * graph.scale[middle]).T
    strength = np.where(rows[:, None] == seeds[None, :], 0.0, direct + over)
    nearest = seeds[strength.argmax(axis=1)]
    return np.where(strength.max(axis=1) > 0, nearest, NO_SOURCE).astype(np.int32)


# Similar meaning: the neighbourhood of clusters of seeds in the embedding space.

PER_CLUSTER = 30
# The lowest cosine to the centre of a cluster, and the lowest number of seeds in one.
RADIUS, SMALLEST = 0.55, 2


class Semantic:
    """Groups seeds by average linkage and searches around each group's centre."""

    name = "semantic"
    title = "Similar meaning"
    legend = "similar"
    meaning = "Passages similar in meaning to a group of good ones."
    trust = 0.4
    stated = False
    colour = Colour("#cc79a7", "#e39ac4")
    on_from = Preset.DETECTIVE
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads within ``RADIUS`` of a cluster of at least ``SMALLEST`` seeds.

        A lead starts at the most similar member of the cluster. No leads if the corpus has no vectors.
        """
        vectors = context.corpus.vectors(seeds.rows)
        embedded = np.flatnonzero(np.abs(vectors).sum(axis=1) > 0)
        if not len(embedded):
            return no_leads()
        rows, vectors = seeds.rows[embedded], vectors[embedded]
        radius = radius_of(context.corpus.similarity_floor, RADIUS)
        groups = clusters(vectors, radius, SMALLEST)
        if not groups:
            return no_leads()
        centres = np.stack([vectors[members].mean(axis=0) for members in groups])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        # All clusters in one pass over the corpus.
        found = context.corpus.search_dense(
            centres.astype(np.float32), PER_CLUSTER, radius, mask=context.mask
        )
        return joined(
            [
                self._around(rows[members], vectors[members], hits, context)
                for members, hits in zip(groups, found, strict=True)
            ]
        )

    def _around(self, rows: Rows, vectors: NDArray[np.float32], hits: Hits, context: Context) -> Leads:
        similarity = context.corpus.vectors(hits.rows) @ vectors.T
        nearest = rows[similarity.argmax(axis=1)] if len(hits.rows) else hits.rows
        other = nearest != hits.rows
        return make_leads(hits.rows[other], nearest[other], hits.scores[other], Relation.SIMILAR_TO)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Return the similarity as a number."""
        return [Evidence(detail=f"similarity {strength:.2f}") for strength in leads.strengths.tolist()]


def radius_of(floor: float, radius: float) -> float:
    """Adapt a radius to a model whose unrelated passages have a cosine of ``floor``.

    If the floor is above the radius (E5), the radius is taken as a share of the range from the floor to 1.
    """
    return radius if radius > floor else floor + radius * (1.0 - floor)


def clusters(vectors: NDArray[np.float32], radius: float, minimum: int) -> list[NDArray[np.intp]]:
    """Return the members of clusters of at least ``minimum`` rows and a mean cosine of at least ``radius``.

    Average linkage over cosine distances (Sokal and Michener 1958); the same input gives the same
    clusters.
    """
    if len(vectors) < minimum:
        return []
    if len(vectors) == 1:
        return [np.array([0], np.intp)]
    # Imported late: the import takes a quarter of a second.
    from scipy.cluster.hierarchy import fcluster, linkage

    labels = fcluster(
        linkage(vectors, "average", metric="cosine"), t=max(0.0, 1.0 - radius), criterion="distance"
    )
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return [members for members in groups if len(members) >= minimum]
