"""Gap closing: a small scan for each query that coverage sends for an area without evidence.

It is not in the registry, because it starts at queries and not at seeds; the setting ``close_gaps`` turns it
on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows
from engine.errors import ModelError
from engine.investigation.strategies.base import Context, Evidence, Seeds
from engine.investigation.trails import NO_SOURCE, Leads, joined, make_leads
from engine.language.embedders import Embedder
from engine.model import QueryPlan, Relation, Search, View
from engine.retrieval.planning import GAP, HYPOTHETICAL
from engine.retrieval.scan import scan, searches_of
from engine.strategy_registry import Colour

PER_QUERY = 10


class Gaps:
    """Searches the corpus for each of the round's queries. ``searches``: those that were sent, in order.

    ``raises`` returns which rows could raise the state of an area; None to propose all.
    """

    name = "gaps"
    title = "Close coverage gaps"
    legend = "by a gap query"
    meaning = "A query for each area of the question that lacks evidence."
    trust = 1.0
    stated = False
    colour = Colour("#e69f00", "#f0c14b")
    on_from = None

    def __init__(
        self,
        embedder: Embedder | None,
        raises: Callable[[str, Rows], NDArray[np.bool_]] | None = None,
    ) -> None:
        self._embedder, self._raises = embedder, raises
        self._failure = ""
        self.searches: list[Search] = []

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose the best passages of each query that could raise the state of its area.

        ``evidence`` encodes the query's number and the rank.
        """
        return joined([self._answer(number, context) for number in range(len(context.queries))])

    def _answer(self, number: int, context: Context) -> Leads:
        gap, started = context.queries[number], time.perf_counter()
        query, language = gap.text, context.relevance.plan.language
        plan = QueryPlan(query, language, (View(GAP, query),))
        vectors = self._embed(query)
        found = scan(
            context.corpus, plan, vectors, context.mask,
            names=context.settings.retrievers, limit=PER_QUERY, depth=4 * PER_QUERY,
        )  # fmt: skip
        milliseconds = 1000 * (time.perf_counter() - started)
        (search,) = searches_of(found, context.reading.ids, HYPOTHETICAL, language)
        self.searches.append(replace(search, area=gap.area, name=gap.name, milliseconds=milliseconds))
        ranks = np.arange(len(found.rows), dtype=np.int32)
        leads = make_leads(
            found.rows,
            np.full(len(found.rows), NO_SOURCE, np.int32),
            found.scores,
            Relation.MATCHES,
            evidence=number * PER_QUERY + ranks,
        )
        return leads if self._raises is None else leads.take(self._raises(gap.area, found.rows))

    def _embed(self, query: str) -> NDArray[np.float32] | None:
        """Return the query's vector; None without a model or after it failed: BM25 continues alone."""
        if self._embedder is None or self._failure:
            return None
        try:
            return self._embedder.encode([query], "query")
        except ModelError as error:
            self._failure = f"searched by words alone: {error}"
            return None

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Return the query that was sent and the passage's rank in its results."""
        return [
            Evidence(query.text, None, self._failure, number % PER_QUERY + 1, query)
            for number in leads.evidence.tolist()
            for query in (context.queries[number // PER_QUERY],)
        ]
