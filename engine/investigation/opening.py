"""How a case is opened: the broad scan, what it brings into the pool, and the coverage it begins with."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.breadth import Breadth
from engine.corpus.protocol import Corpus
from engine.investigation.coverage import Coverage, opened
from engine.investigation.filters import Filters
from engine.investigation.leading import NAMED, admit_named
from engine.investigation.pool import Pool
from engine.investigation.reading import Reading
from engine.investigation.turn import SCAN, admit_scanned
from engine.language.embedders import Embedder
from engine.model import Hop, QueryPlan, Search, StrategyCount
from engine.retrieval.embedding import embed_views
from engine.retrieval.planning import HYPOTHETICAL, active
from engine.retrieval.planning.hypothetical import target_language
from engine.retrieval.scan import Scan, scan
from engine.retrieval.searches import searches_of
from engine.settings import InvestigationSettings


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
