"""References in both directions and over several hops: passages that a seed cites, and that cite it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import begins, distinct, falling, found_in, numbered
from engine.corpus.protocol import Rows, Scores
from engine.investigation.filters import newest
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import DIRECTIONS, Leads, joined, make_leads, no_leads, strongest
from engine.languages import words
from engine.languages.folders import base_of
from engine.model import Direction, Passage, Reference
from engine.settings import Preset
from engine.strategy_registry import Colour

# Weight of an incoming reference, which the author of the cited passage did not choose.
INCOMING = 0.7
# Strength falls with the number of a passage's references, and with a reference's rank among them by
# relevance.
DILUTION, RANK_DISCOUNT = 0.2, 0.2
# Passages followed from the second hop on: breadth-first search reaches thousands of passages in two hops.
FOLLOWED_PER_HOP = 10
# Words quoted before a reference ("in accordance with Rule 6.2.1").
LEADING_WORDS = 5
# The beginning of the detail of a hop into a text of another language, such as from an incomplete
# translation.
ACROSS_LANGUAGES = "across languages: "
FOLLOWED = {"both": DIRECTIONS, "out": (Direction.OUT,), "in": (Direction.IN,)}


class Citations:
    """Follows resolved references from the seeds over several hops, in both directions."""

    name = "citations"
    title = "References"
    legend = "reference"
    meaning = "Provisions that a passage cites, or that cite it, over several steps."
    # A reference was put there by the legislator.
    trust = 1.0
    stated = True
    colour = Colour("#d55e00", "#ff8a3d")
    on_from = Preset.QUICK
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads over one or more hops; a lead of a later hop starts at the passage before it."""
        batches: list[Leads] = []
        sources, visited = seeds.rows, distinct(seeds.rows)
        for step in range(1, context.search_budget.hops + 1):
            found = self._one_hop(sources, step, context)
            if not len(found):
                break
            batches.append(found)
            reached = distinct(found.rows)
            fresh = reached[~found_in(visited, reached)]
            visited = np.sort(np.concatenate([visited, fresh]))
            relevance = context.relevance.of(fresh)
            sources = fresh[np.lexsort((fresh, -relevance))][:FOLLOWED_PER_HOP]
        return joined(batches)

    def _one_hop(self, sources: Rows, step: int, context: Context) -> Leads:
        if not len(sources):
            return no_leads()
        both = []
        for direction in FOLLOWED[context.settings.citation_direction]:
            links = context.corpus.neighbours(sources, None, direction)
            rows = links.rows
            if direction is Direction.OUT and context.mask is not None:
                # A reference to a superseded text leads to the version in force.
                rows = newest(context.corpus, rows, context.mask)
            both.append(
                make_leads(
                    rows,
                    sources[links.origins],
                    links.weights,
                    links.relations,
                    direction=direction,
                    evidence=links.evidence,
                    step=step,
                )
            )
        leads = strongest(joined(both))
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        rows, position = numbered(leads.rows)
        rank, degree = rank_within(leads.sources, context.relevance.of(rows)[position])
        share = np.where(incoming, INCOMING, 1.0) / (degree**DILUTION * rank**RANK_DISCOUNT)
        return replace(leads, strengths=(leads.strengths * share).astype(np.float32))

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote each reference with the words before it, and note a reference into another language."""
        references = context.corpus.references(leads.evidence.tolist())
        incoming = leads.directions == DIRECTIONS.index(Direction.IN)
        citing = np.where(incoming, leads.rows, leads.sources).astype(np.int32)
        cited = np.where(incoming, leads.sources, leads.rows).astype(np.int32)
        both = zip(context.reading.passages(citing), context.reading.passages(cited), strict=True)
        return [
            Evidence(quote(reference, passage), passage.id, _crossing(passage.language, target.language))
            for reference, (passage, target) in zip(references, both, strict=True)
        ]


def _crossing(citing: str, cited: str) -> str:
    """Describe a reference from a text of one language into one of another; "" within a language."""
    if base_of(citing) == base_of(cited):
        return ""
    left, reached = (words(code).name or code for code in (citing, cited))
    return f"{ACROSS_LANGUAGES}from the {left} text into the {reached} one"


def rank_within(groups: Rows, scores: Scores) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 1-based rank of each item by score within its group, and the group's size; shapes (n,)."""
    order = falling(groups, scores)
    starts = np.flatnonzero(begins(groups[order]))
    sizes = np.diff(np.append(starts, len(groups)))
    rank, size = np.empty((2, len(groups)), np.float64)
    rank[order] = np.arange(1, len(groups) + 1) - np.repeat(starts, sizes)
    size[order] = np.repeat(sizes, sizes)
    return rank, size


def quote(reference: Reference, passage: Passage) -> str:
    """Quote the reference and up to five words before it in the same sentence, verbatim."""
    start, end = reference.span.start, reference.span.end
    before = passage.text[max(0, start - 80) : start]
    for border in ("\n", ". ", "; ", ": "):
        before = before.rpartition(border)[2] if border in before else before
    words = before.split(" ")
    kept = " ".join(words[-LEADING_WORDS - 1 :])
    if start > len(before) and len(words) <= LEADING_WORDS + 1 and len(before) == 80:
        kept = kept.partition(" ")[2]
    return (kept.lstrip() + passage.text[start:end]).strip()
