"""Assistance in the rounds of a case: better gap queries, and the judgement whether the passages suffice."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.corpus.protocol import Corpus
from engine.investigation.assistance import gap_queries, sufficiency
from engine.investigation.assistance.queries import SentQueries
from engine.investigation.assistance.sufficiency import FIRST_ROUND, MOST_PASSAGES, Judgement
from engine.investigation.coverage import Coverage
from engine.investigation.pool import Pool, Reading
from engine.model import AreaCoverage, Completeness, GapQuery
from engine.retrieval.asking import Asking
from engine.retrieval.relevance import Relevance
from engine.settings import GAP_QUERIES, SUFFICIENCY, InvestigationSettings


class Assistance:
    """The assistance of one case. ``judgement`` is the last one made."""

    def __init__(
        self,
        question: str,
        settings: InvestigationSettings,
        asking: Asking,
        corpus: Corpus,
        reading: Reading,
        relevance: Relevance,
    ) -> None:
        self._question, self._settings, self._asking = question, settings, asking
        self._corpus, self._reading, self._relevance = corpus, reading, relevance
        plan = relevance.plan
        self._sent = SentQueries((question, *(view.text for view in plan.views)), plan.language)
        self.judgement: Judgement | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Queries for missing evidence that the last judgement named and that were not sent yet."""
        return () if self.judgement is None else self.judgement.missing

    def queries(self, coverage: Coverage) -> tuple[GapQuery, ...]:
        """Return the queries of the next round, for missing evidence and for open areas."""
        missing, self.judgement = self.missing, None
        self._sent.add(missing)
        better: Mapping[str, tuple[str, ...]] = {}
        if GAP_QUERIES in self._settings.model_tasks:
            areas = coverage.open_areas()
            language = self._relevance.plan.language
            better = gap_queries.propose_queries(
                self._asking, self._question, language, areas, self._sent, self._corpus, self._reading
            )
        queries = coverage.gap_queries(better)
        self._sent.add(query.text for query in queries)
        return (*(GapQuery(words) for words in missing), *queries)

    def judges(self, rounds_done: int) -> bool:
        """Return whether the settings ask for a judgement after ``rounds_done`` rounds."""
        return SUFFICIENCY in self._settings.model_tasks and rounds_done >= FIRST_ROUND

    def judge(
        self, areas: tuple[AreaCoverage, ...], pool: Pool, completeness: Completeness | None
    ) -> tuple[Judgement, str]:
        """Judge whether the passages suffice; also return who judged, "model" or "plain"."""
        rows = pool.rows()
        rows = rows[~np.isin(rows, self._corpus.rows(sorted(pool.dismissed)))]
        relevance = self._relevance.of(rows)
        best = rows[np.lexsort((rows, -relevance))][:MOST_PASSAGES]
        judgement = sufficiency.by_model(
            self._asking,
            self._question,
            areas,
            best,
            self._sent,
            self._corpus,
            self._reading,
            completeness,
        )
        by = "model" if judgement is not None else "plain"
        self.judgement = judgement or sufficiency.by_rule(areas, completeness)
        return self.judgement, by
