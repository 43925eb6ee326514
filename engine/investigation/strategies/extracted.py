"""Links that a language model extracted from the texts: exceptions, extensions, applicability, concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.corpus.extracted import ExtractedGraph, extracted_graph
from engine.investigation.filters import newest
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.strategies.citations import DILUTION, INCOMING, RANK_DISCOUNT, rank_within
from engine.investigation.trails import DIRECTIONS, Leads, joined, make_leads, strongest
from engine.model import Direction
from engine.strategy_registry import Colour


class Extracted:
    """Follows extracted links that were not rejected, in both directions; off by default."""

    name = "extracted"
    title = "Links extracted by a model"
    legend = "read by a model"
    meaning = "Links that a language model extracted from the texts, unless a reviewer rejected them."
    # Links that the texts state are admitted before links of a model.
    trust = 0.6
    stated = False
    colour = Colour("#8e4162", "#d98aae")
    on_from = None

    def __init__(self) -> None:
        self._graph: ExtractedGraph | None = None

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads over one hop; ``evidence`` is the number of a proposal."""
        # Leads are explained by the graph that proposed them, even if a user judges a proposal in between.
        graph = self._graph = extracted_graph(context.corpus)
        both = []
        for direction in DIRECTIONS:
            links = graph.neighbours(seeds.rows, direction)
            rows = links.rows
            if direction is Direction.OUT and context.mask is not None:
                rows = newest(context.corpus, rows, context.mask)
            both.append(
                make_leads(
                    rows,
                    seeds.rows[links.origins],
                    links.weights,
                    links.relations,
                    direction=direction,
                    evidence=links.evidence,
                )
            )
        leads = strongest(joined(both))
        if not len(leads):
            return leads
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        rank, degree = rank_within(leads.sources, context.relevance.of(leads.rows))
        share = np.where(incoming, INCOMING, 1.0) / (degree**DILUTION * rank**RANK_DISCOUNT)
        return replace(leads, strengths=(leads.strengths * share).astype(np.float32))

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the words of each link, and name the model and the reviewer's verdict."""
        graph = self._graph or extracted_graph(context.corpus)
        found = [graph.standing[number] for number in leads.evidence.tolist()]
        return [Evidence(one.proposal.quote, one.proposal.source_id, one.origin_words) for one in found]
