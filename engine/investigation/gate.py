"""The gate: which leads serve the question, within budgets, and what was refused and why.

Blind breadth-first search is the known failure of following threads: two naive hops reach thousands
of passages of which a handful matter. So each lead gets a score from its own relevance and from the
link that brought it, the best come first, and budgets per strategy, document and relation keep one
thread from filling the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.breadth import Breadth
from engine.corpus.protocol import Scores
from engine.investigation.compiling import compiled
from engine.investigation.strategies.base import Strategy
from engine.investigation.trails import RELATIONS, Leads
from engine.sorting import falling, found_in, numbered

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


# What a lead is that is refused for no reason: new, or to a passage that is known.
FRESH, KNOWN = -1, -2
# In the order in which they are looked for; those from the first that is a matter of score or budget may
# explain what another thread brings.
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
    """Half the lead's own relevance, half the link: trust x strength x the source's score, 0..1."""
    scores: Scores = (OWN_SHARE * relevance + (1 - OWN_SHARE) * trust * strengths * source_scores).astype(
        np.float32
    )
    return scores


def by_trust(strategies: Sequence[Strategy]) -> list[Strategy]:
    """The most trusted first: budgets of a document are spent on its references before its neighbours."""
    return sorted(strategies, key=lambda strategy: -strategy.trust)


def _none() -> NDArray[np.intp]:
    return np.empty(0, np.intp)


@dataclass(slots=True)
class Verdicts:
    """What the gate said of one strategy's leads, by index in the order of judgement: those admitted as new,
    those that reach passages already in the pool, those refused for score or budget; and the refusals by
    reason."""

    fresh: NDArray[np.intp] = field(default_factory=_none)
    known: NDArray[np.intp] = field(default_factory=_none)
    outdone: NDArray[np.intp] = field(default_factory=_none)
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
        # The question is where a lead starts that starts at no passage.
        known |= rows < 0
        paper_of = np.zeros(len(rows), documents.dtype)
        paper_of[targets] = documents
        papers, number_of = numbered(paper_of)
        paper = number_of[own]
        of_papers = np.array([self._documents[number] for number in papers.tolist()], np.int64)
        of_relations = np.zeros(len(RELATIONS), np.int64)
        for number, count in self._relations.items():
            of_relations[number] = count
        breadth, passed = self._breadth, np.empty(len(order), np.int8)
        budget = max(1, round(trust * breadth.per_strategy))
        limits = np.array([budget, self._room, breadth.per_document, breadth.per_relation], np.int64)
        before = of_papers.copy(), of_relations.copy()
        _kernel()(
            own, source, allowed[order], scores[order], paper, leads.relations[order],
            dismissed, breadth.gate, limits, known, of_papers, of_relations, passed,
        )  # fmt: skip
        fresh = order[passed == FRESH]
        self._known = np.sort(np.concatenate([self._known, leads.rows[fresh]]))
        self._documents.update(dict(zip(papers.tolist(), (of_papers - before[0]).tolist(), strict=True)))
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
        """Those of some refused leads whose passage came into the pool by another thread after all."""
        rows, sources = leads.rows[chosen], leads.sources[chosen]
        here = found_in(self._known, rows) & ((sources < 0) | found_in(self._known, sources))
        return chosen[here]


@cache
def _kernel() -> Callable[..., None]:
    return compiled(_judge)


def _judge(
    own: NDArray[np.int64],
    source: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    scores: Scores,
    paper: NDArray[np.int64],
    relations: NDArray[np.int8],
    dismissed: NDArray[np.bool_],
    least: float,
    limits: NDArray[np.int64],
    known: NDArray[np.bool_],
    of_papers: NDArray[np.int64],
    of_relations: NDArray[np.int64],
    passed: NDArray[np.int8],
) -> None:
    """Judges leads in order: FRESH, KNOWN or the place of the reason among REASONS into ``passed``. Passages
    and documents are numbers of ``known``, ``dismissed`` and ``of_papers``, where what is admitted counts."""
    spent, room = 0, limits[1]
    for lead in range(len(own)):
        row, document, relation = own[lead], paper[lead], relations[lead]
        if dismissed[row]:
            passed[lead] = 0
        elif not allowed[lead]:
            passed[lead] = 1
        elif not known[source[lead]]:
            passed[lead] = 2
        elif known[row]:
            passed[lead] = -2
        elif scores[lead] < least:
            passed[lead] = 3
        elif room <= 0:
            passed[lead] = 4
        elif spent >= limits[0]:
            passed[lead] = 5
        elif of_papers[document] >= limits[2]:
            passed[lead] = 6
        elif of_relations[relation] >= limits[3]:
            passed[lead] = 7
        else:
            passed[lead] = -1
            known[row] = True
            of_papers[document] += 1
            of_relations[relation] += 1
            room -= 1
            spent += 1
