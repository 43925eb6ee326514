"""What a language model read in the texts: exceptions, extensions, applicability, concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.corpus.extracted import ExtractedGraph, extracted_graph
from engine.investigation.filters import newest
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.strategies.citations import DILUTION, INCOMING, RANK_DISCOUNT, places
from engine.investigation.trails import DIRECTIONS, Leads, joined, make_leads, strongest
from engine.model import Direction
from engine.threads import Colour


class Extracted:
    """Follows what was extracted and not rejected, both ways, by its confidence; off unless asked for."""

    name = "extracted"
    title = "Links read by a model"
    legend = "read by a model"
    meaning = "What a language model has read in the texts, unless a person rejected it."
    # A model is no legislator: what the texts themselves state is admitted before it.
    trust = 0.6
    stated = False
    colour = Colour("#8e4162", "#d98aae")
    on_from = None

    def __init__(self) -> None:
        self._graph: ExtractedGraph | None = None

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Leads over one hop; ``evidence`` is the number of a proposal. None where no model has read."""
        # A person may judge a proposal meanwhile: leads are explained by the graph that gave them.
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
        place, degree = places(leads.sources, context.relevance.of(leads.rows))
        share = np.where(incoming, INCOMING, 1.0) / (degree**DILUTION * place**RANK_DISCOUNT)
        return replace(leads, strengths=(leads.strengths * share).astype(np.float32))

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """The words that say so, who read them and whether a person has looked at that."""
        graph = self._graph or extracted_graph(context.corpus)
        told = [graph.standing[number] for number in leads.evidence.tolist()]
        return [Evidence(one.proposal.quote, one.proposal.source_id, one.origin_words) for one in told]
