"""Personalised PageRank: passages on many short paths from the seeds and from names in the question.

The graph has passages, references and entities, as in HippoRAG (Gutiérrez et al., NeurIPS 2024), with the
corpus's own references and names instead of triples that a language model extracts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import distinct
from engine.corpus.protocol import Rows
from engine.investigation.graph.walks import ROUGH, Associations, get_associations, submatrix, walk_from
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.strategies.entities import as_written
from engine.investigation.trails import NO_SOURCE, RELATION_NUMBER, Leads, make_leads, no_leads
from engine.model import Relation
from engine.settings import Preset
from engine.strategy_registry import Colour

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
