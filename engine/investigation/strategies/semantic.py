"""Similar meaning: the neighbourhood of clusters of seeds in the embedding space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Hits, Rows
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import Leads, joined, make_leads, no_leads
from engine.model import Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

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
