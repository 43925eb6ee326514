"""Shared names and terms: passages that mention the same rare entities as a seed, or define them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import Leads, make_leads, no_leads
from engine.model import Entity
from engine.settings import Preset
from engine.strategy_registry import Colour

PER_ENTITY = 20
_ENDING = re.compile(r"\w*")
_ENDING_AND_GAP = re.compile(r"\w*\s+")


class Entities:
    """Follows entities weighted by rarity; several shared entities count as independent evidence."""

    name = "entities"
    title = "Shared names and terms"
    legend = "entity"
    meaning = "Passages that use the same uncommon names and terms."
    # Passages may share words by chance.
    trust = 0.4
    stated = False
    colour = Colour("#009e73", "#35c99a")
    on_from = Preset.BALANCED
    lasting = True

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose one lead for each pair of seed and passage, with the rarest shared entity as evidence."""
        links = context.corpus.by_entity(seeds.rows, PER_ENTITY)
        if not len(links.rows):
            return no_leads()
        pairs = links.origins.astype(np.int64) * (int(links.rows.max()) + 1) + links.rows
        _, first, position = np.unique(pairs, return_index=True, return_inverse=True)
        # The strength is 1 minus the product of (1 - w) over the shared entities.
        doubt = np.zeros(len(first), np.float64)
        np.add.at(doubt, position, np.log1p(-np.clip(links.weights.astype(np.float64), 0.0, 0.999)))
        strongest = np.zeros(len(first), np.float32)
        np.maximum.at(strongest, position, links.weights)
        is_best = np.flatnonzero(links.weights >= strongest[position])
        best = np.zeros(len(first), np.int64)
        best[position[is_best[::-1]]] = is_best[::-1]
        return make_leads(
            links.rows[first],
            seeds.rows[links.origins[first]],
            (1.0 - np.exp(doubt)).astype(np.float32),
            links.relations[best],
            evidence=links.evidence[best],
        )

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Quote the shared entity from the seed with its kind; give its name if the seed has other words."""
        entities = context.corpus.entities(leads.evidence.tolist())
        sources = context.reading.passages(leads.sources)
        return [
            _evidence(entity, source.id, as_written(entity.name, source.text))
            for entity, source in zip(entities, sources, strict=True)
        ]


def _evidence(entity: Entity, source_id: str, words: str) -> Evidence:
    kind = entity.kind.value.replace("_", " ")
    return Evidence(words, source_id, kind) if words else Evidence(detail=f"{kind}: {entity.name}")


def as_written(name: str, text: str) -> str:
    """Return the first words of a text that are this name in any case and with any endings; "" for none."""
    first, *others = name.lower().split()
    lowered = text.lower()
    if len(lowered) != len(text):
        # Keep a letter that is longer in lower case, such as the Turkish I with a dot.
        lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    start = lowered.find(first)
    while start >= 0:
        end = start + len(first)
        for word in others:
            gap = _ENDING_AND_GAP.match(lowered, end)
            if gap is None or not lowered.startswith(word, gap.end()):
                break
            end = gap.end() + len(word)
        else:
            ending = _ENDING.match(text, end)
            return text[start : ending.end() if ending else end]
        start = lowered.find(first, start + 1)
    return ""
