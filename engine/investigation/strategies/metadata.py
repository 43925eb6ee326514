"""Same document: siblings, parent, chapter, the next and the previous passage, preamble, annexes."""

from __future__ import annotations

from collections.abc import Sequence

from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import Leads, make_leads
from engine.model import Passage
from engine.settings import Preset
from engine.strategy_registry import Colour

PER_DOCUMENT = 50


class Metadata:
    """Follows the hierarchy of the seeds' documents."""

    name = "metadata"
    title = "Same document"
    legend = "same document"
    meaning = "Other passages of a seed's document, by their position in it."
    trust = 0.5
    stated = False
    colour = Colour("#0072b2", "#56b4e9")
    on_from = Preset.BALANCED
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads by position in the document, at most 50 of each document."""
        links = context.corpus.siblings(seeds.rows, PER_DOCUMENT)
        return make_leads(links.rows, seeds.rows[links.origins], links.weights, links.relations)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Describe the position of each passage relative to its seed."""
        reached = context.reading.passages(leads.rows)
        sources = context.reading.passages(leads.sources)
        return [
            Evidence(detail=describe_position(passage, source))
            for passage, source in zip(reached, sources, strict=True)
        ]


def describe_position(passage: Passage, source: Passage) -> str:
    """Describe the position of a passage relative to another one of its document."""
    if passage.section_id is not None and passage.section_id == source.section_id:
        return "same section"
    if passage.kind.value in ("preamble", "recital", "annex", "schedule", "definitions"):
        return passage.kind.value
    if abs(passage.position - source.position) == 1:
        return "next" if passage.position > source.position else "previous"
    if passage.headings and passage.headings == source.headings[: len(passage.headings)]:
        return "heading above" if len(passage.headings) < len(source.headings) else "same chapter"
    return "same chapter"
