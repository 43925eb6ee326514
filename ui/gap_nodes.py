"""The queries for gaps on the board: a node for each, with its area, its words and what it found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.investigation.pool import Pool
from engine.language.characters import marked
from engine.model import Hop
from engine.records.queries import Sent, sent_by
from engine.records.wording import GAP_STRATEGY, Name, hop_quote, plural, query_title
from ui.palette import thread

SHAPE = "diamond"
SIZE = 7.5
NAME_LENGTH = 46


def found_by(pool: Pool) -> dict[Sent, list[Hop]]:
    """The hops from each query to what it found, best first."""
    found: dict[Sent, list[Hop]] = {}
    for hop in pool.hops_of([GAP_STRATEGY]):
        if (sent := sent_by(hop)) is not None:
            found.setdefault(sent, []).append(hop)
    return {sent: sorted(hops, key=lambda hop: hop.rank or 0) for sent, hops in found.items()}


def node_of(sent: Sent, found: Sequence[Hop], pool: Pool, name: Name) -> dict[str, Any]:
    """What the board knows of a query; ``found`` lists its passages, and which of them it brought first."""
    title = query_title(sent.query)
    first = {hop.target_id for hop in found if pool.first_hop(hop.target_id) == hop}
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
