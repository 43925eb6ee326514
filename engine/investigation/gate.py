"""The gate: decides which leads are admitted to the pool, and counts refusals by reason.

Without a gate two hops of breadth-first search reach thousands of passages, of which a handful matter. Each
lead is scored by its own relevance and by the link that proposed it. The best are admitted first, within
budgets by strategy, document and relation, so that no strategy fills the pool alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.arrays import compile_loop, falling, found_in, numbered
from engine.corpus.protocol import Scores
from engine.investigation.strategies.base import Strategy
from engine.investigation.trails import RELATIONS, Leads
from engine.search_budget import SearchBudget

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


# Leads that are not refused: to a new passage, and to one in the pool.
FRESH, KNOWN = -1, -2
# In the order of the checks. From FIRST_BUDGET on a refused lead may still explain a passage that another
# strategy admits.
REASONS = (
    Refusal.DISMISSED,
    Refusal.FILTERED,
    Refusal.SOURCE_REFUSED,
    Refusal.IRRELEVANT,
    Refusal.POOL_FULL,
    Refusal.STRATEGY_BUDGET,
    Refusal.DOCUMENT_BUDGET,
    Refusal.RELATION_BUDGET,
)
FIRST_BUDGET = REASONS.index(Refusal.IRRELEVANT)


def gate_scores(relevance: Scores, strengths: Scores, source_scores: Scores, trust: float) -> Scores:
    """Return scores in 0..1: half own relevance, half the link (trust x strength x the source's score)."""
    scores: Scores = (OWN_SHARE * relevance + (1 - OWN_SHARE) * trust * strengths * source_scores).astype(
        np.float32
    )
    return scores


def sort_by_trust(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Sort by descending trust, so that a document's budget is spent on references before neighbours."""
    return sorted(strategies, key=lambda strategy: -strategy.trust)


def _none() -> NDArray[np.intp]:
    return np.empty(0, np.intp)


@dataclass(slots=True)
class Verdicts:
    """The gate's decisions on one strategy's leads.

    Indexes of leads in the order of judgement: ``fresh`` to new passages, ``known`` to passages in the pool,
    ``outdone`` refused for score or budget; and counts of refusals by reason.
    """

    fresh: NDArray[np.intp] = field(default_factory=_none)
    known: NDArray[np.intp] = field(default_factory=_none)
    outdone: NDArray[np.intp] = field(default_factory=_none)
    refused: Counter[str] = field(default_factory=Counter)


class Gate:
    """One round's gate; budgets are spent over all strategies of the round."""

    def __init__(
        self,
        search_budget: SearchBudget,
        *,
        room: int,
        known: set[int],
        dismissed: set[int],
    ) -> None:
        self._budget = search_budget
        self._room = room
        self._known, self._dismissed = (np.array(sorted(some), np.int32) for some in (known, dismissed))
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
        if not len(leads):
            return Verdicts()
        rows, targets, sources = leads.ends
        order = np.argsort(targets, kind="stable")
        order = order[falling(leads.steps[order], scores[order])]
        own, source = targets[order], sources[order]
        known, dismissed = found_in(self._known, rows), found_in(self._dismissed, rows)
        # A lead without a source starts at the question.
        known |= rows < 0
        document_of = np.zeros(len(rows), documents.dtype)
        document_of[targets] = documents
        distinct_documents, number_of = numbered(document_of)
        document = number_of[own]
        of_documents = np.array([self._documents[number] for number in distinct_documents.tolist()], np.int64)
        of_relations = np.zeros(len(RELATIONS), np.int64)
        for number, count in self._relations.items():
            of_relations[number] = count
        budget, passed = self._budget, np.empty(len(order), np.int8)
        of_strategy = max(1, round(trust * budget.per_strategy))
        limits = np.array([of_strategy, self._room, budget.per_document, budget.per_relation], np.int64)
        before = of_documents.copy(), of_relations.copy()
        _kernel()(
            own, source, allowed[order], scores[order], document, leads.relations[order],
            dismissed, budget.gate, limits, known, of_documents, of_relations, passed,
        )  # fmt: skip
        fresh = order[passed == FRESH]
        self._known = np.sort(np.concatenate([self._known, leads.rows[fresh]]))
        added = (of_documents - before[0]).tolist()
        self._documents.update(dict(zip(distinct_documents.tolist(), added, strict=True)))
        self._relations.update(dict(enumerate((of_relations - before[1]).tolist())))
        self._room -= len(fresh)
        refused = np.bincount(passed[passed >= 0], minlength=len(REASONS)).tolist()
        return Verdicts(
            fresh,
            order[passed == KNOWN],
            order[passed >= FIRST_BUDGET],
            Counter({reason: count for reason, count in zip(REASONS, refused, strict=True) if count}),
        )

    def arrived(self, leads: Leads, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the refused leads whose passage another strategy admitted to the pool."""
        rows, sources = leads.rows[chosen], leads.sources[chosen]
        here = found_in(self._known, rows) & ((sources < 0) | found_in(self._known, sources))
        return chosen[here]


@cache
def _kernel() -> Callable[..., None]:
    return compile_loop(_judge)


def _judge(
    own: NDArray[np.int64],
    source: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    scores: Scores,
    documents: NDArray[np.int64],
    relations: NDArray[np.int8],
    dismissed: NDArray[np.bool_],
    minimum: float,
    limits: NDArray[np.int64],
    known: NDArray[np.bool_],
    of_documents: NDArray[np.int64],
    of_relations: NDArray[np.int64],
    passed: NDArray[np.int8],
) -> None:
    """Judge leads in order and write FRESH, KNOWN or the index of the reason in REASONS to ``passed``.

    Passages are indexes into ``known`` and ``dismissed``, documents into ``of_documents``; admitted leads are
    counted there.
    """
    spent, room = 0, limits[1]
    for lead in range(len(own)):
        row, document, relation = own[lead], documents[lead], relations[lead]
        if dismissed[row]:
            passed[lead] = 0
        elif not allowed[lead]:
            passed[lead] = 1
        elif not known[source[lead]]:
            passed[lead] = 2
        elif known[row]:
            passed[lead] = -2
        elif scores[lead] < minimum:
            passed[lead] = 3
        elif room <= 0:
            passed[lead] = 4
        elif spent >= limits[0]:
            passed[lead] = 5
        elif of_documents[document] >= limits[2]:
            passed[lead] = 6
        elif of_relations[relation] >= limits[3]:
            passed[lead] = 7
        else:
            passed[lead] = -1
            known[row] = True
            of_documents[document] += 1
            of_relations[relation] += 1
            room -= 1
            spent += 1
