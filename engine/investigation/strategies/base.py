"""The seam for strategies, and what a strategy may ask.

A strategy is a class without arguments that declares what ``Thread`` lists and has the two methods below.
One that says ``whole = True`` besides brings what a person asked for as a whole: the gate does not weigh it,
and it stands in the order in which it was proposed. One that says ``lasting = True`` gives evidence that an
open corpus explains at any time as it does at once: it is asked for what somebody looks at.
The case owns the pool, budgets and rounds; a strategy only looks at seeds and proposes leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.investigation.pool import Reading
from engine.investigation.trails import Leads
from engine.model import GapQuery
from engine.retrieval.relevance import Relevance
from engine.search_budget import SearchBudget
from engine.settings import InvestigationSettings
from engine.threads import Thread


@dataclass(frozen=True, slots=True)
class Seeds:
    """Passages to expand, best first: ``rows`` and their ``scores`` in 0..1, shapes (n,)."""

    rows: Rows
    scores: Scores


@dataclass(frozen=True, slots=True)
class Context:
    """What a strategy may ask: the corpus, the settings, how broad the case goes, the question's
    relevance, what is allowed.

    ``reading`` gives passages by row and remembers them. ``queries`` are this round's queries for
    gaps in coverage. ``mask`` limits the corpus (validity), shape (passages,), None for no limit.
    """

    corpus: Corpus
    settings: InvestigationSettings
    search_budget: SearchBudget
    relevance: Relevance
    reading: Reading
    queries: tuple[GapQuery, ...] = ()
    mask: Mask | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that made a link: ``quote`` verbatim from the passage ``quoted_from``, or a query;
    ``detail`` in our own words. ``rank`` is the rank in the list that found the passage, if any, and
    ``query`` the query for a gap that it answers."""

    quote: str = ""
    quoted_from: str | None = None
    detail: str = ""
    rank: int | None = None
    query: GapQuery | None = None


class Strategy(Thread, Protocol):
    """One way to follow a thread from seeds to leads."""

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Leads from all seeds at once; leads to passages that are in the pool already are welcome."""
        ...

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """The evidence of each lead; asked only for those that the gate let through."""
        ...


def bypasses_gate(strategy: Strategy) -> bool:
    """Whether what a strategy proposes belongs together, relevant or not."""
    return bool(getattr(strategy, "whole", False))


def is_lasting(strategy: Strategy) -> bool:
    """Whether the evidence of a strategy's leads means the same for as long as its corpus is open."""
    return bool(getattr(strategy, "lasting", False))
