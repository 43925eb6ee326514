"""The gate: which leads serve the question, within budgets, and what was refused and why.

Blind breadth-first search is the known failure of following threads: two naive hops reach thousands
of passages of which a handful matter. So each lead gets a score from its own relevance and from the
link that brought it, the best come first, and budgets per strategy, document and relation keep one
thread from filling the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from engine.breadth import Breadth
from engine.corpus.protocol import Scores
from engine.investigation.leads import Leads
from engine.investigation.strategies.base import Strategy

OWN_SHARE = 0.5


class Refusal(StrEnum):
    """Why a lead was not admitted."""

    IRRELEVANT = "below the threshold"
    STRATEGY_BUDGET = "strategy budget"
    DOCUMENT_BUDGET = "document budget"
    RELATION_BUDGET = "relation budget"
    POOL_FULL = "pool full"
    SOURCE_REFUSED = "its source was refused"
    DISMISSED = "dismissed by the person"
    FILTERED = "outside the filters"


def gate_scores(relevance: Scores, strengths: Scores, source_scores: Scores, trust: float) -> Scores:
    """Half the lead's own relevance, half the link: trust x strength x the source's score, 0..1."""
    scores: Scores = (OWN_SHARE * relevance + (1 - OWN_SHARE) * trust * strengths * source_scores).astype(
        np.float32
    )
    return scores


def by_trust(strategies: Sequence[Strategy]) -> list[Strategy]:
    """The most trusted first: budgets of a document are spent on its references before its neighbours."""
    return sorted(strategies, key=lambda strategy: -strategy.trust)


@dataclass(slots=True)
class Verdicts:
    """What the gate said of one strategy's leads: indices admitted as new, indices that reach
    passages already in the pool, indices refused for score or budget, and the refusals by reason."""

    fresh: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    outdone: list[int] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


class Gate:
    """One round's gate; budgets are spent over all strategies of the round."""

    def __init__(
        self,
        breadth: Breadth,
        *,
        room: int,
        known: set[int],
        dismissed: set[int],
    ) -> None:
        self._breadth = breadth
        self._room = room
        self._known = set(known)
        self._dismissed = dismissed
        self._documents: Counter[int] = Counter()
        self._relations: Counter[int] = Counter()

    def judge(
        self,
        leads: Leads,
        scores: Scores,
        documents: NDArray[np.int32],
        allowed: NDArray[np.bool_],
        *,
        trust: float = 1.0,
    ) -> Verdicts:
        """Judge one strategy's leads, best first within each hop; its budget is scaled by ``trust``.

        ``scores`` are gate scores, ``documents`` the leads' document numbers, ``allowed`` is false
        for leads that a hard filter excludes; shapes (n,).
        """
        verdicts = Verdicts()
        spent, budget = 0, max(1, round(trust * self._breadth.per_strategy))
        for lead in np.lexsort((leads.rows, -scores, leads.steps)).tolist():
            row, source = int(leads.rows[lead]), int(leads.sources[lead])
            reason = self._refusal(row, source, bool(allowed[lead]))
            if reason is None and row in self._known:
                verdicts.known.append(lead)
                continue
            if reason is None:
                reason = self._over_budget(
                    float(scores[lead]), budget - spent, int(documents[lead]), int(leads.relations[lead])
                )
                verdicts.outdone += [lead] if reason is not None else []
            if reason is not None:
                verdicts.refused[reason] += 1
                continue
            verdicts.fresh.append(lead)
            self._known.add(row)
            self._documents[int(documents[lead])] += 1
            self._relations[int(leads.relations[lead])] += 1
            self._room -= 1
            spent += 1
        return verdicts

    def _refusal(self, row: int, source: int, allowed: bool) -> Refusal | None:
        """Reasons that hold whatever the score."""
        if row in self._dismissed:
            return Refusal.DISMISSED
        if not allowed:
            return Refusal.FILTERED
        if source >= 0 and source not in self._known:
            return Refusal.SOURCE_REFUSED
        return None

    def arrived(self, leads: Leads, chosen: list[int]) -> list[int]:
        """Those of some refused leads whose passage came into the pool by another thread after all."""
        return [
            lead
            for lead in chosen
            if int(leads.rows[lead]) in self._known
            and (leads.sources[lead] < 0 or int(leads.sources[lead]) in self._known)
        ]

    def _over_budget(self, score: float, left: int, document: int, relation: int) -> Refusal | None:
        if score < self._breadth.gate:
            return Refusal.IRRELEVANT
        if self._room <= 0:
            return Refusal.POOL_FULL
        if left <= 0:
            return Refusal.STRATEGY_BUDGET
        if self._documents[document] >= self._breadth.per_document:
            return Refusal.DOCUMENT_BUDGET
        if self._relations[relation] >= self._breadth.per_relation:
            return Refusal.RELATION_BUDGET
        return None
