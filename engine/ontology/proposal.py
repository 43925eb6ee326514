"""A proposal for the ontology of a corpus, made without any model: areas with evidence, transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.corpus.protocol import Area, Corpus
from engine.ontology.covering import Index, Reach, overlaps
from engine.ontology.drafting import Draft, Drafting, Evidence
from engine.ontology.grouping import group
from engine.ontology.material import gather
from engine.ontology.transactions import ProposedTransaction, find_transactions

CORPUS, MODEL = "corpus", "model"


@dataclass(frozen=True, slots=True)
class ProposedArea:
    """An area with what it was made from and what it covers. ``overlap`` is the area that shares most of its
    passages, with the share. ``source`` says who put it together: the corpus itself, or a model, which then
    joined the areas ``made_of`` and ``added`` keywords (language, text)."""

    area: Area
    evidence: tuple[Evidence, ...]
    reach: Reach
    overlap: tuple[str, float] | None = None
    source: str = CORPUS
    made_of: tuple[str, ...] = ()
    added: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Areas and transactions for a corpus. ``covered`` is the share of the corpus's passages that some area
    covers; ``notes`` say what was left out, and why."""

    areas: tuple[ProposedArea, ...]
    transactions: tuple[ProposedTransaction, ...]
    covered: float
    notes: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """The proposal as the content of an ontology file."""
        return {
            "areas": [area_content(proposed.area) for proposed in self.areas],
            "transactions": {found.id: list(found.areas) for found in self.transactions},
        }


def propose(corpus: Corpus) -> Proposal:
    """Areas and transactions from the headings, defined terms and texts of a corpus; deterministic."""
    material, index = gather(corpus), Index(corpus)
    labels = group(material, corpus)
    drafts = list(Drafting(corpus, material, labels, index).drafts())
    areas = [draft.area for draft in drafts]
    notes = []
    if not drafts:
        notes.append("no area: the corpus has too few headings and terms to tell any apart")
    if len(material.passages) < material.total:
        notes.append(f"read: {len(material.passages):,} of {material.total:,} passages, some of each section")
    return Proposal(
        measured(drafts, index),
        find_transactions(corpus, material, areas, index),
        covered_share(areas, index),
        tuple(notes),
    )


def measured(drafts: Sequence[Draft], index: Index, source: str = CORPUS) -> tuple[ProposedArea, ...]:
    """Areas with what they cover and what they share."""
    shared = overlaps({draft.area.id: index.counts(draft.area) > 0 for draft in drafts})
    return tuple(
        ProposedArea(draft.area, draft.evidence, index.reach(draft.area), shared.get(draft.area.id), source)
        for draft in drafts
    )


def covered_share(areas: Sequence[Area], index: Index) -> float:
    """The share of a corpus's passages that some area covers."""
    masks = [index.counts(area) > 0 for area in areas]
    return float(np.mean(np.logical_or.reduce(masks))) if masks and len(masks[0]) else 0.0


def area_content(area: Area) -> dict[str, Any]:
    """An area as it stands in an ontology file."""
    return {
        "id": area.id,
        "names": dict(area.names),
        "keywords": {language: list(words) for language, words in area.keywords.items()},
        "required": area.required,
        "minimum_passages": area.minimum_passages,
        "minimum_similarity": area.minimum_similarity,
    }
