"""The interface of strategies, the context they work in, and their registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.errors import SettingsError
from engine.investigation.pool import Reading
from engine.investigation.trails import Leads
from engine.model import GapQuery
from engine.retrieval.relevance import Relevance
from engine.search_budget import SearchBudget
from engine.settings import InvestigationSettings
from engine.strategy_registry import StrategyInfo, load_strategies

# The interface of strategies, and the context they work in.
#
# A strategy is a class without constructor arguments that declares the attributes of
# ``StrategyInfo`` and has the two methods of ``Strategy``. Optional attributes: ``whole = True``
# for one that proposes whole documents that a user requested, which bypass the gate's threshold
# and keep their order; ``lasting = True`` for one whose evidence does not change while its corpus
# is open, so that it is computed only when a hop is read. The case owns the pool, budgets and
# rounds; a strategy only reads seeds and proposes leads.


@dataclass(frozen=True, slots=True)
class Seeds:
    """Passages to expand, best first: ``rows`` and their ``scores`` in 0..1, shapes (n,)."""

    rows: Rows
    scores: Scores


@dataclass(frozen=True, slots=True)
class Context:
    """What a strategy may use.

    ``relevance`` to the question; ``reading`` returns passages by row from a cache; ``queries`` are this
    round's gap queries; ``mask``: passages that the case may find, shape (passages,), None for all.
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
    """The words that make a link.

    ``quote``: verbatim from the passage ``quoted_from``, or a query; ``detail``: a description in the
    engine's words; ``rank``: rank in the list that found the passage, if any; ``query``: the gap query that
    it answers.
    """

    quote: str = ""
    quoted_from: str | None = None
    detail: str = ""
    rank: int | None = None
    query: GapQuery | None = None


class Strategy(StrategyInfo, Protocol):
    """One way to get from seeds to leads."""

    def expand(self, seeds: Seeds, context: Context) -> Leads:
        """Propose leads from all seeds at once, also to passages that are in the pool already."""
        ...

    def explain(self, leads: Leads, context: Context) -> Sequence[Evidence]:
        """Return the evidence of each lead; called only for leads that passed the gate."""
        ...


def bypasses_gate(strategy: Strategy) -> bool:
    """Return whether a strategy proposes whole documents, which the gate does not judge by relevance."""
    return bool(getattr(strategy, "whole", False))


def is_lasting(strategy: Strategy) -> bool:
    """Return whether the evidence of a strategy's leads stays the same while its corpus is open."""
    return bool(getattr(strategy, "lasting", False))


# The registry of strategies: the built-in ones and those of other packages.
#
# A package adds one by the entry point group ``redstring.strategies``; the entry's name is the
# strategy's name, its value the class.


def all_strategies() -> Mapping[str, type[Strategy]]:
    """Return all strategies by name. Raises SettingsError for one without the required attributes."""
    return cast("Mapping[str, type[Strategy]]", load_strategies())


def strategy(name: str) -> Strategy:
    """Make a strategy by name. Raises SettingsError for an unknown name."""
    known = all_strategies()
    if name not in known:
        raise SettingsError(f"unknown strategy {name!r}; known strategies: {', '.join(known)}")
    return known[name]()
