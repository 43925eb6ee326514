"""What a case would show now: its pool in order, the top of that as passages, and what was found for the
parts of the question.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.depth import worth_showing
from engine.investigation.leading import NO_ROWS, first_rows, led
from engine.investigation.parts import PartFound, parts_found, with_best_of_parts
from engine.investigation.pool import Pool
from engine.investigation.presentation import present
from engine.investigation.ranking import Ranking, plain, rank
from engine.investigation.ranking.experience import Experience
from engine.investigation.reading import Reading
from engine.investigation.reranking import pinned
from engine.model import DepthKind, QueryPlan, RankedPassage
from engine.retrieval.scan import Scan
from engine.settings import InvestigationSettings


@dataclass(frozen=True, slots=True)
class Shown:
    """A ranking as it is shown: the whole ``order``, the ``passages`` at the top of it, and the ``parts`` of
    the question with what was found for each, none where it asks one thing."""

    order: Ranking
    passages: tuple[RankedPassage, ...]
    parts: tuple[PartFound, ...]


@dataclass(frozen=True, slots=True)
class Showing:
    """What decides which passages of a pool are shown, and how. ``mask``: what the case may look at, shape
    (passages,), None for everything; ``experience``: what experts' verdicts add, None for nothing."""

    corpus: Corpus
    pool: Pool
    plan: QueryPlan
    settings: InvestigationSettings
    scanned: Scan
    mask: Mask | None
    reading: Reading
    experience: Experience | None = None

    def ranked(self) -> Ranking:
        """The pool in order, as its passages are now; the scan's own order where nothing is followed."""
        scanned = self.scanned
        if not self.settings.follow:
            return plain(self.pool, scanned.relevance, scanned.rows, scanned.scores)
        followed = self.settings.strategies
        return rank(self.pool, self.corpus, scanned.relevance, followed, scanned.rows, self.experience)

    def shown(self, ranking: Ranking) -> Shown:
        """A ranking with what the question names first, in the top of which each part of the question has its
        best passage."""
        follows = self.settings.follow
        first = first_rows(self.plan, self.corpus) if follows else NO_ROWS
        order = self._worth_showing(led(ranking, first), first)
        passages = self._passages(order, first)
        parts = tuple(parts_found(self.scanned.relevance, order, self.reading))
        lifted = with_best_of_parts(order, parts, passages, self.corpus) if follows else order
        return Shown(lifted, passages if lifted is order else self._passages(lifted, first), parts)

    def _passages(self, order: Ranking, first: Rows) -> tuple[RankedPassage, ...]:
        hits, top_k = self.scanned.hits, self.settings.top_k
        return present(
            order, self.pool, self.corpus, self.reading, hits, top_k, self.mask, set(first.tolist())
        )

    def _worth_showing(self, ranking: Ranking, first: Rows) -> Ranking:
        """A ranking without what a look-up does not need; pinned passages stay."""
        depth = self.plan.depth
        if depth is None or depth.kind is not DepthKind.LOOK_UP or not len(first):
            return ranking
        kept = worth_showing(ranking.rows, first, self.pool, self.scanned.relevance)
        return ranking.take(kept | pinned(ranking))
