"""The opening of a case: its plan, the scan and what it brings, the bounds of its depth."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from engine.breadth import Breadth
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.coverage import Coverage, opened
from engine.investigation.definitions import meaning_named
from engine.investigation.facets import NONE
from engine.investigation.filters import Filters
from engine.investigation.pool import Pool, Reading
from engine.investigation.turn import NAMED, SCAN, admit_named, admit_scanned
from engine.language.embedders import Embedder
from engine.model import Depth, DepthKind, Hop, QueryPlan, Search, StrategyCount
from engine.retrieval.embedding import embed_views
from engine.retrieval.planning import HYPOTHETICAL, Helpers, active, make_plan
from engine.retrieval.planning.hypothetical import target_language
from engine.retrieval.planning.named import asked_besides
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import Scan, scan, searches_of
from engine.settings import AUTO, InvestigationSettings, Preset, preset
from engine.threads import threads

# The plan of a case: that of its question, with the definition of the term that it asks for.


def plan_of(
    question: str,
    corpus: Corpus,
    settings: InvestigationSettings,
    filters: Filters,
    day: date,
    helpers: Helpers,
    *,
    offered: bool = False,
) -> QueryPlan:
    """The plan by which a question is scanned in a corpus as its filters let it be seen; ``day`` is the day
    that "today" means, ``offered``: with what a person may choose besides."""
    plan = make_plan(
        question,
        list(corpus.info().languages),
        settings,
        corpus=corpus,
        mask=filters.mask,
        allowed=filters.constrained,
        day=day,
        offered=offered,
        helpers=helpers,
    )
    text = plan.views[0].text
    mask = filters.mask if plan.constraints.as_of is None else Filters(corpus, settings, day, plan).mask
    defined = meaning_named(corpus, text, plan.language, mask, plan.document_ids)
    if defined is None or plan.named:
        return plan
    return replace(plan, named=(defined,))


# What the depth of a question bounds: a look-up is the scan, what it names, one hop along what
# the texts say of it, and no more passages than are worth showing; a usual question goes as deep
# as has proved enough.

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


# How a case is opened: the broad scan, what it brings into the pool, and the coverage it begins
# with.


@dataclass(frozen=True, slots=True)
class Opening:
    """What opened a case. ``hops`` brought new passages, first those that the question names; ``coverage``
    has not looked at the pool yet; ``notes`` say what was off, cut or left out; ``searches`` are the queries
    that were sent."""

    scanned: Scan
    coverage: Coverage
    counts: tuple[StrategyCount, ...]
    hops: tuple[Hop, ...]
    notes: tuple[str, ...]
    milliseconds: float
    searches: tuple[Search, ...]


def opening(
    whole: QueryPlan,
    corpus: Corpus,
    filters: Filters,
    settings: InvestigationSettings,
    breadth: Breadth,
    embedder: Embedder | None,
    pool: Pool,
    reading: Reading,
) -> Opening:
    """Scan the corpus by a plan and admit what was named and found. ``filters`` are those of the plan.

    Raises SettingsError for an unknown type of transaction.
    """
    started = time.perf_counter()
    plan = active(whole)
    vectors, notes = embed_views(embedder, corpus, plan)
    found = scan(
        corpus, plan, vectors, filters.mask,
        names=settings.retrievers, limit=breadth.scan, depth=breadth.depth,
    )  # fmt: skip
    named = admit_named(whole, pool, corpus)
    hops = admit_scanned(found, pool, reading)
    milliseconds = 1000 * (time.perf_counter() - started)
    counts = [StrategyCount(SCAN, len(found.rows), len(hops), milliseconds=milliseconds)]
    if named:
        counts.insert(0, StrategyCount(NAMED, len(named), len(named)))
    kind = whole.constraints.transaction or settings.transaction_type
    coverage, told = opened(found.relevance, found.rows, kind, reading, embedder)
    notes = (*plan.notes, *notes, *found.notes, *filters.notes, *told)
    drafted_in = target_language(corpus, plan.language, settings.hypothetical_language)
    searches = searches_of(found, reading.ids, HYPOTHETICAL, drafted_in)
    return Opening(found, coverage, tuple(counts), (*named, *hops), notes, milliseconds, searches)
