"""What the depth of a question bounds: a look-up is the scan, what it names, one hop along what the texts say
of it, and no more passages than are worth showing; a usual question goes as deep as has proved enough.
"""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Rows
from engine.investigation.facets import NONE
from engine.investigation.pool import Pool
from engine.model import Depth, DepthKind
from engine.retrieval.planning.named import asked_besides
from engine.retrieval.relevance import Relevance
from engine.settings import AUTO, InvestigationSettings, Preset, preset
from engine.threads import threads

# What bounds each kind: the balanced preset's values, for a look-up with one round.
BOUNDED = ("rounds", "pool_size")
# A look-up shows what stands this near to its best passage, besides what is linked to what it names.
NEAR = 0.75


def bounded(settings: InvestigationSettings, depth: Depth | None) -> InvestigationSettings:
    """The settings as far as a question goes; nothing is followed where they say so."""
    if not settings.follow:
        return settings.model_copy(update={"rounds": 0, "strategies": (), "close_gaps": False})
    if depth is None or depth.kind is DepthKind.DEEP:
        return settings
    usual = preset(Preset.BALANCED)
    bounds = {name: min(getattr(settings, name), getattr(usual, name)) for name in BOUNDED}
    if depth.kind is DepthKind.LOOK_UP:
        bounds["rounds"] = min(bounds["rounds"], 1)
        # Who asks for a provision has no gaps, and is about no transaction, unless they say so.
        bounds["close_gaps"] = False
        if settings.transaction_type == AUTO:
            bounds["transaction_type"] = NONE
        bounds["strategies"] = tuple(name for name in settings.strategies if threads()[name].stated)
    return settings.model_copy(update=bounds)


def worth_showing(
    rows: Rows, first: Rows, pool: Pool, relevance: Relevance
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows a look-up shows, shape (n,): the ``first``, which it names, what a text links to them, and,
    where it asks for more than what it names, what is nearly as relevant as the best."""
    corpus, plan = relevance.corpus, relevance.plan
    names = {passage.id for passage in corpus.passages(first)}
    stated = {name for name, thread in threads().items() if thread.stated}
    linked = {
        target if source in names else source
        for source, target, _, _ in pool.links(stated)
        if (source in names) != (target in names)
    }
    kept = np.isin(rows, first) | np.isin(rows, corpus.rows(sorted(linked)))
    if asked_besides(plan.views[0].text, plan.language, [one.words for one in plan.named]):
        own = relevance.of(rows)
        kept |= own >= NEAR * float(own.max(initial=0.0))
    return np.asarray(kept, np.bool_)
