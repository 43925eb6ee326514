"""The opening of a case: its plan, the limits of its depth, and the broad scan."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.investigation.coverage import Coverage, make_coverage
from engine.investigation.definitions import find_definition
from engine.investigation.facets import NONE
from engine.investigation.filters import Filters
from engine.investigation.pool import Pool, Reading
from engine.investigation.round import NAMED, admit_named, admit_scanned
from engine.investigation.trails import SCAN
from engine.language.analysis import analyzer
from engine.language.embedders import Embedder
from engine.model import Depth, DepthKind, Hop, QueryPlan, Search, StrategyCount
from engine.retrieval.embedding import embed_views
from engine.retrieval.planning import HYPOTHETICAL, Helpers, active, make_plan
from engine.retrieval.planning.hypothetical import target_language
from engine.retrieval.planning.named import count_further_words
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import Scan, scan, searches_of
from engine.search_budget import SearchBudget
from engine.settings import AUTO, InvestigationSettings, Preset, preset
from engine.strategy_registry import load_strategies

# The plan


def make_case_plan(
    question: str,
    corpus: Corpus,
    settings: InvestigationSettings,
    filters: Filters,
    day: date,
    helpers: Helpers,
    *,
    offered: bool = False,
) -> QueryPlan:
    """Make the plan of a question, with the definition of the term that it asks for.

    ``filters`` limit what the plan may name; ``day`` is the date of "today"; with ``offered`` the plan has
    also the views that a user may add.
    """
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
    defined = find_definition(corpus, text, plan.language, mask, plan.document_ids)
    if defined is None or plan.named:
        return plan
    return replace(plan, named=(defined,))


# The depth of a question
#
# A look-up consists of the scan, the provisions that it names and one hop along stated links, and shows few
# passages. Other questions get at most the rounds and the pool of the balanced preset, unless they are deep.

BOUNDED = ("rounds", "pool_size")
# A look-up shows unlinked passages only from this share of the best relevance on.
NEAR = 0.75


WHOLE_DOCUMENT = "whole_document"


def asks_for_document(plan: QueryPlan, corpus: Corpus) -> bool:
    """Return whether a question is nothing but the name of a document: "the Tax Procedure Act"."""
    text = plan.views[0].text.casefold()
    named = [document for document in corpus.documents() if document.id in plan.document_ids]
    names = (name.casefold() for document in named for name in (document.title, *document.aliases) if name)
    terms = analyzer(plan.language).terms
    return any(name in text and not terms(text.replace(name, " ")) for name in names)


def limit_to_plan(settings: InvestigationSettings, plan: QueryPlan, corpus: Corpus) -> InvestigationSettings:
    """Return the settings limited by the depth of the question; a document that it asks for is read whole."""
    limited = limit_to_depth(settings, plan.depth)
    strategies = limited.strategies
    if plan.depth is None or not limited.rounds or WHOLE_DOCUMENT in strategies:
        return limited
    if not asks_for_document(plan, corpus):
        return limited
    return limited.model_copy(update={"strategies": (*strategies, WHOLE_DOCUMENT)})


def limit_to_depth(settings: InvestigationSettings, depth: Depth | None) -> InvestigationSettings:
    """Return the settings limited by the depth of the question; without rounds if they disable following."""
    if not settings.follow:
        return settings.model_copy(update={"rounds": 0, "strategies": (), "close_gaps": False})
    if depth is None or depth.kind is DepthKind.DEEP:
        return settings
    balanced = preset(Preset.BALANCED)
    bounds = {name: min(getattr(settings, name), getattr(balanced, name)) for name in BOUNDED}
    if depth.kind is DepthKind.LOOK_UP:
        bounds["rounds"] = min(bounds["rounds"], 1)
        # A question for a provision has no gaps, and no transaction type unless the settings name one.
        bounds["close_gaps"] = False
        if settings.transaction_type == AUTO:
            bounds["transaction_type"] = NONE
        bounds["strategies"] = tuple(name for name in settings.strategies if load_strategies()[name].stated)
    return settings.model_copy(update=bounds)


def look_up_mask(
    rows: Rows, first: Rows, pool: Pool, relevance: Relevance
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which rows a look-up shows, shape (n,).

    These are the ``first`` rows, which it names, and the rows that a text links to them. If the question asks
    for more than what it names, also the rows that are nearly as relevant as the best.
    """
    corpus, plan = relevance.corpus, relevance.plan
    names = {passage.id for passage in corpus.passages(first)}
    stated = {name for name, strategy in load_strategies().items() if strategy.stated}
    linked = {
        target if source in names else source
        for source, target, _, _ in pool.links(stated)
        if (source in names) != (target in names)
    }
    shown = np.isin(rows, first) | np.isin(rows, corpus.rows(sorted(linked)))
    if count_further_words(plan.views[0].text, plan.language, [named.words for named in plan.named]):
        scores = relevance.of(rows)
        shown |= scores >= NEAR * float(scores.max(initial=0.0))
    return np.asarray(shown, np.bool_)


# The broad scan


@dataclass(frozen=True, slots=True)
class Opening:
    """The result of the scan.

    ``hops`` admitted new passages, first those that the question names. ``coverage`` is not updated with the
    pool yet. ``notes`` report what was off, cut or left out; ``searches`` are the queries that were sent.
    """

    scanned: Scan
    coverage: Coverage
    counts: tuple[StrategyCount, ...]
    hops: tuple[Hop, ...]
    notes: tuple[str, ...]
    milliseconds: float
    searches: tuple[Search, ...]


def scan_into_pool(
    plan: QueryPlan,
    corpus: Corpus,
    filters: Filters,
    settings: InvestigationSettings,
    search_budget: SearchBudget,
    embedder: Embedder | None,
    pool: Pool,
    reading: Reading,
) -> Opening:
    """Scan the corpus by a plan and admit the passages that the question names, then the scan's candidates.

    ``filters`` are those of the plan. Raises SettingsError for an unknown type of transaction.
    """
    started = time.perf_counter()
    enabled = active(plan)
    vectors, notes = embed_views(embedder, corpus, enabled)
    found = scan(
        corpus, enabled, vectors, filters.mask,
        names=settings.retrievers, limit=search_budget.scan, depth=search_budget.depth,
    )  # fmt: skip
    named = admit_named(plan, pool, corpus)
    hops = admit_scanned(found, pool, reading)
    milliseconds = 1000 * (time.perf_counter() - started)
    counts = [StrategyCount(SCAN, len(found.rows), len(hops), milliseconds=milliseconds)]
    if named:
        counts.insert(0, StrategyCount(NAMED, len(named), len(named)))
    transaction = plan.constraints.transaction or settings.transaction_type
    coverage, coverage_notes = make_coverage(found.relevance, found.rows, transaction, reading, embedder)
    notes = (*enabled.notes, *notes, *found.notes, *filters.notes, *coverage_notes)
    drafted_in = target_language(corpus, enabled.language, settings.hypothetical_language)
    searches = searches_of(found, reading.ids, HYPOTHETICAL, drafted_in)
    return Opening(found, coverage, tuple(counts), (*named, *hops), notes, milliseconds, searches)
