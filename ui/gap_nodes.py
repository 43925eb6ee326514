"""The queries for gaps on the board: a node for each, with its area, its words and what it found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.investigation.pool import Pool
from engine.language.hidden_marks import marked
from engine.model import GapQuery, Hop, RoundReport
from engine.records.wording import GAP_STRATEGY, Name, gap_query, hop_quote, plural, query_title
from ui.palette import thread

SHAPE = "diamond"
SIZE = 7.5
NAME_LENGTH = 46


@dataclass(frozen=True, slots=True)
class Sent:
    """A query and the round that sent it."""

    round: int
    query: GapQuery


def sent_by(hop: Hop) -> Sent | None:
    """The query at which a hop starts; None for a hop from a passage or from the question itself."""
    query = gap_query(hop)
    return None if query is None else Sent(hop.round, query)


def sent_queries(pool: Pool, rounds: Iterable[RoundReport]) -> dict[Sent, str]:
    """All queries that the rounds sent, or that brought a passage to the pool before them, with the ids of
    their nodes, by round. No passage has such an id."""
    told = [Sent(report.number, query) for report in rounds for query in report.queries]
    told += [sent for hop in pool.hops() if (sent := sent_by(hop)) is not None]
    ordered = sorted(dict.fromkeys(told), key=lambda sent: sent.round)
    return {sent: f"? {place}" for place, sent in enumerate(ordered)}


def found_by(pool: Pool) -> dict[Sent, list[Hop]]:
    """The hops from each query to what it found, best first."""
    found: dict[Sent, list[Hop]] = {}
    for hop in pool.hops():
        if (sent := sent_by(hop)) is not None:
            found.setdefault(sent, []).append(hop)
    return {sent: sorted(hops, key=lambda hop: hop.rank or 0) for sent, hops in found.items()}


def node_of(sent: Sent, found: Sequence[Hop], pool: Pool, name: Name) -> dict[str, Any]:
    """What the board knows of a query; ``found`` lists its passages, and which of them it brought first."""
    title = query_title(sent.query)
    first = {hop.target_id for hop in found if pool.hops_to(hop.target_id)[0] == hop}
    told = f"{plural(len(found), 'passage')} found, {len(first)} of them new"
    shown = hop_quote(found[0], NAME_LENGTH) if found else ""
    return {
        "label": " ",
        "shape": SHAPE,
        "kind": "query",
        "size": SIZE,
        "strategy": thread(GAP_STRATEGY).token,
        "round": sent.round,
        "rank": None,
        "why": marked(f"{shown} {told}".strip()),
        "trails": [],
        "name": marked(_cut(title)),
        "title": marked(title),
        "where": f"round {sent.round}",
        "text": marked(sent.query.text),
        "language": "",
        "citation": "",
        "badge": "",
        "told": told,
        "found": [
            {"id": hop.target_id, "name": marked(name(hop.target_id)), "new": hop.target_id in first}
            for hop in found
        ],
    }


def _cut(words: str) -> str:
    return words if len(words) <= NAME_LENGTH else words[:NAME_LENGTH].rsplit(" ", 1)[0] + "…"
