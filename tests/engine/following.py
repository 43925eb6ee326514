"""A strategy of six lines, as somebody adds one: the passage that comes next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import Leads, make_leads
from engine.model import Relation
from engine.settings import Preset
from engine.strategy_registry import Colour


class Following:
    """Proposes the passage that comes next in the corpus."""

    name = "following"
    title = "What comes next"
    legend = "comes next"
    meaning = "The passage that comes right after a seed."
    trust = 0.7
    stated = False
    colour = Colour("#123456", "#abcdef")
    on_from = Preset.QUICK

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """One lead from each seed but the last passage."""
        sources = seeds.rows[seeds.rows < len(context.corpus) - 1]
        return make_leads(sources + 1, sources, np.full(len(sources), 0.9, np.float32), Relation.NEXT_TO)

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """That it comes next."""
        return [Evidence(detail="next")] * len(leads)
