"""Why a round was made, in words derived from what it does."""

from __future__ import annotations

from collections.abc import Sequence

from engine.investigation.pool import Pool
from engine.investigation.strategies.base import Strategy
from engine.model import GapQuery, QueryPlan, RoundKind
from engine.threads import title_of

# More threads are told by their number: the counts of the round name them.
MOST_NAMED = 3
NOTHING_TO_DO = "nothing was left to follow"


def purpose_of_scan(plan: QueryPlan) -> str:
    """What the scan is for: "find candidates by 3 views of the question"."""
    count = sum(view.enabled for view in plan.views)
    named = " and what it names" if plan.named else ""
    return f"find candidates by {count} {'view' if count == 1 else 'views'} of the question{named}"


def purpose_of_round(
    strategies: Sequence[Strategy],
    seeds: Sequence[str],
    queries: Sequence[GapQuery],
    pool: Pool,
    *,
    chosen: bool,
) -> str:
    """What a round is for: "follow “Same document” from the scan's best passages; close gaps: Agency".

    ``chosen``: a person chose where it starts.
    """
    parts = []
    if seeds and strategies:
        names = ", ".join(f"“{title_of(one.name)}”" for one in strategies)
        followed = names if len(strategies) <= MOST_NAMED else f"{len(strategies)} threads"
        parts.append(f"follow {followed} from {_start(seeds, pool, chosen)}")
    if areas := dict.fromkeys(query.name or query.area for query in queries if query.area):
        parts.append(f"close gaps: {', '.join(areas)}")
    if missing := [f"“{query.text}”" for query in queries if not query.area]:
        parts.append(f"find what was named missing: {', '.join(missing)}")
    return "; ".join(parts) or NOTHING_TO_DO


def kinds_of_round(
    strategies: Sequence[Strategy], seeds: Sequence[str], queries: Sequence[GapQuery], *, chosen: bool
) -> tuple[RoundKind, ...]:
    """The same by its sort: a round may follow references and fill gaps at once."""
    kinds = [RoundKind.FOLLOW_UP] if chosen else []
    if seeds and strategies and not chosen:
        kinds.append(RoundKind.REFERENCE_EXPANSION)
    return (*kinds, *([RoundKind.GAP_FILLING] if queries else []))


def _start(seeds: Sequence[str], pool: Pool, chosen: bool) -> str:
    """Where a round starts: at what the scan found, at what one round brought, or at both."""
    if chosen:
        return "a passage that a person chose"
    rounds = {pool.round(seed) for seed in seeds}
    if rounds == {0}:
        return "the scan's best passages"
    return f"what round {rounds.pop()} brought" if len(rounds) == 1 else "the best passages so far"
