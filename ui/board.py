"""The board: the provenance graph of a case, drawn by pyvis with a layout computed here.

pyvis holds the nodes, the edges and the options of vis-network and renders the page of the frame from
our own template, which fetches nothing. While a case goes on, only the data of a new network is
sent to the frame that already stands there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pyvis.network import Network

from engine.investigation.pool import Pool
from engine.language.hidden_marks import marked
from engine.model import Hop
from engine.records.wording import Name, hop_quote, hop_words, trail_sentence
from ui.layout import tidy
from ui.palette import thread

ASSETS = Path(__file__).resolve().parent.parent / "assets"
DEFAULT_NODES = 150
# Scan passages that neither lead to anything nor are ranked: a few tell how the scan went.
SCAN_LEAVES = 24
TRAILS_PER_NODE = 4
SMALLEST, LARGEST = 3.5, 7.5
QUOTE_LENGTH = 46

OPTIONS: Mapping[str, Any] = {
    "autoResize": False,
    "physics": {"enabled": False},
    "layout": {"improvedLayout": False, "hierarchical": {"enabled": False}},
    "interaction": {
        "hover": True,
        "dragNodes": False,
        "multiselect": False,
        "selectConnectedEdges": False,
        "hoverConnectedEdges": False,
        "tooltipDelay": 100_000_000,
    },
    "nodes": {"shape": "dot", "borderWidth": 1.5, "chosen": False, "font": {"size": 0}},
    "edges": {
        "chosen": False,
        "width": 1.3,
        "arrows": {"to": {"enabled": False}},
        "smooth": {
            "enabled": True,
            "type": "cubicBezier",
            "forceDirection": "horizontal",
            "roundness": 0.5,
        },
    },
}
# A string between two passages of one column bends around those in between.
_BESIDE: Mapping[str, Any] = {"enabled": True, "type": "curvedCW", "roundness": 0.3}


@dataclass(frozen=True, slots=True)
class Dossier:
    """What the board says of a passage when asked: all plain text, escaped where it is shown."""

    name: str
    title: str
    where: str
    text: str
    language: str
    citation: str
    badge: str = ""


Dossiers = Callable[[Sequence[str]], Mapping[str, Dossier]]


def chosen(pool: Pool, ranked: Sequence[str], limit: int) -> list[str]:
    """What to show, at most ``limit``: the ranked with their trails, what the rounds brought, the scan.

    A passage never comes without the passages of its first trail, so that no string hangs loose.
    """
    picked: dict[str, None] = {}
    in_pool = [passage_id for passage_id in ranked if passage_id in pool]
    brought = sorted((entry for entry in pool.entries() if entry.round > 0), key=lambda entry: -entry.score)
    scanned = sorted((entry for entry in pool.entries() if entry.round == 0), key=lambda entry: -entry.score)
    leaves = len(scanned) if limit > DEFAULT_NODES else SCAN_LEAVES
    wanted = [*in_pool, *(entry.passage_id for entry in brought)]
    for passage_id in wanted:
        chain = [step for step in _first_chain(pool, passage_id) if step not in picked]
        if len(picked) + len(chain) <= limit:
            picked.update(dict.fromkeys(chain))
    room = min(limit - len(picked), leaves)
    spare = [entry.passage_id for entry in scanned if entry.passage_id not in picked]
    picked.update(dict.fromkeys(spare[: max(room, 0)]))
    return list(picked)


def _first_hop(pool: Pool, passage_id: str) -> Hop:
    return pool.hops_to(passage_id)[0]


def _first_chain(pool: Pool, passage_id: str) -> list[str]:
    """The passages of the trail by which a passage was first admitted, the scan's end first."""
    chain = [passage_id]
    while (source := _first_hop(pool, chain[-1]).source_id) is not None:
        chain.append(source)
    return chain[::-1]


def provenance(pool: Pool, ranked: Sequence[str], dossiers: Dossiers, limit: int = DEFAULT_NODES) -> Network:
    """The pool as a pyvis network: nodes with positions and trails, edges with the words that made them."""
    shown = chosen(pool, ranked, limit)
    ranks = {passage_id: number for number, passage_id in enumerate(ranked, start=1)}
    trails = {passage_id: pool.trails(passage_id, TRAILS_PER_NODE) for passage_id in shown}
    edges = _edges(pool, shown, trails)
    first = {hop for hop in edges if hop == _first_hop(pool, hop.target_id)}
    last = max((pool.round(passage_id) for passage_id in shown), default=0)
    columns = [[one for one in shown if pool.round(one) == number] for number in range(last + 1)]
    layout = tidy(columns, {hop.target_id: hop.source_id for hop in first if hop.source_id})
    facts = dossiers(shown)

    def name(passage_id: str) -> str:
        return facts[passage_id].name if passage_id in facts else passage_id

    drawn = empty_network()
    best = max((pool.score(one) for one in shown), default=1.0) or 1.0
    for passage_id in shown:
        x, y = layout.positions[passage_id]
        drawn.add_node(
            passage_id,
            label=" ",
            x=x,
            y=y,
            size=round(SMALLEST + (LARGEST - SMALLEST) * max(0.0, pool.score(passage_id) / best), 2),
            strategy=thread(pool.strategy(passage_id)).token,
            round=pool.round(passage_id),
            rank=ranks.get(passage_id),
            why=marked(trail_sentence(trails[passage_id][0], name)) if trails[passage_id] else "",
            rows=layout.rows,
            trails=[[edges[hop] for hop in trail if hop in edges] for trail in trails[passage_id]],
            **asdict(facts[passage_id]),
        )
    for hop, number in edges.items():
        same_round = hop.source_id is not None and pool.round(hop.source_id) == pool.round(hop.target_id)
        _add_edge(drawn, hop, number, name, first=hop in first, same_round=same_round)
    return drawn


def _edges(pool: Pool, shown: Sequence[str], trails: Mapping[str, Sequence[Sequence[Hop]]]) -> dict[Hop, int]:
    """Hops to draw, numbered: the first hop of each passage shown, and every hop of its trails."""
    here = set(shown)
    hops = [_first_hop(pool, passage_id) for passage_id in shown]
    hops += [hop for passage_id in shown for trail in trails[passage_id] for hop in trail]
    wanted = dict.fromkeys(hop for hop in hops if hop.source_id in here and hop.target_id in here)
    return {hop: number for number, hop in enumerate(wanted)}


def _add_edge(drawn: Network, hop: Hop, number: int, name: Name, *, first: bool, same_round: bool) -> None:
    drawn.add_edge(
        hop.source_id,
        hop.target_id,
        id=number,
        hidden=not first,
        first=first,
        strategy=thread(hop.strategy).token,
        words=marked(hop_words(hop, name)),
        quote=marked(hop_quote(hop, QUOTE_LENGTH)),
        arrows="",
        smooth=_BESIDE if same_round else OPTIONS["edges"]["smooth"],
    )


def empty_network() -> Network:
    """A pyvis network with the options of the board and nothing in it."""
    empty = Network(
        height="100%", width="100%", directed=True, bgcolor="transparent", cdn_resources="in_line"
    )
    empty.set_template_dir(str(ASSETS), "board.html")
    empty.set_options(json.dumps(OPTIONS))
    return empty


def board_data(drawn: Network, pool: Pool) -> dict[str, Any]:
    """What the frame draws: nodes and edges as pyvis holds them, the column heads, the counts."""
    nodes, edges, *_ = drawn.get_network_data()
    last = max((node["round"] for node in nodes), default=0)
    heads = ["Scan", *(f"Round {number}" for number in range(1, last + 1))]
    strategies = dict.fromkeys(thread(entry.strategy) for entry in pool.entries())
    return {
        "nodes": nodes,
        "edges": edges,
        "heads": heads,
        "shown": len(nodes),
        "total": len(pool),
        "rows": nodes[0]["rows"] if nodes else 0,
        "legend": [{"token": shown.token, "words": shown.legend} for shown in strategies],
        "pinned": sorted(pool.pinned),
    }


@cache
def frame_page() -> str:
    """The page of the frame, rendered by pyvis from our template, with a mark where vis-network goes."""
    return str(empty_network().generate_html())
