"""The board: the provenance graph of a case, drawn by pyvis with positions computed here."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from pyvis.network import Network

from engine.investigation.pool import QUESTION_NODE, Pool
from engine.investigation.strategies.metadata import WholeDocument
from engine.language.characters import marked, shortened
from engine.model import Hop, RoundReport
from engine.records.phrases import (
    GAP_STRATEGY,
    Name,
    hop_quote,
    hop_words,
    plural,
    query_title,
    trail_sentence,
)
from engine.records.text import Sent, sent_by, sent_queries
from ui.investigate.board_layout import tidy
from ui.investigate.passages import Link, link_of
from ui.palette import thread
from ui.templating import ASSETS, rendered

# Documents that were added whole, in the order of their text.


def as_read(pool: Pool, passage_ids: Sequence[str]) -> list[str]:
    """Return the passages in their order, but those of a document added whole in the order of its text."""
    whole = [one for one in passage_ids if pool.strategy(one) == WholeDocument.name]
    ordered = iter(sorted(whole, key=lambda one: pool.entry(one).row))
    return [next(ordered) if pool.strategy(one) == WholeDocument.name else one for one in passage_ids]


def read_whole(
    pool: Pool,
    sources: Sequence[str],
    rest: Collection[str],
    card: Callable[[str], str],
    name: Name,
    titled: Callable[[str, Collection[str]], str],
) -> tuple[str, set[str]]:
    """Return the documents that were added whole, the last one first, with the ids of the passages that have
    a card there. A passage with a card elsewhere (it is not in ``rest``) is only named. ``titled`` returns
    the title of a passage's document, and the share of it that these passages are."""
    hops: dict[str, list[Hop]] = {}
    for hop in pool.hops_of([WholeDocument.name]):
        if hop.source_id is not None:
            hops.setdefault(hop.source_id, []).append(hop)
    parts = []
    told: set[str] = set()
    for source in reversed(sources):
        here = hops.get(source)
        if not here:
            continue
        ids = {source, *(hop.target_id for hop in here)} - pool.dismissed
        ordered = sorted(ids, key=lambda one: pool.entry(one).row)
        cards = [(one, name(one), card(one) if one in rest and one not in told else "") for one in ordered]
        told |= ids & set(rest)
        parts.append((source, titled(source, ids), cards))
    return rendered("investigate/read_whole.html", parts=parts), told


# The queries for gaps on the board: a node for each, with its area, its words and its finds.

SHAPE = "diamond"
SIZE = 7.5
NAME_LENGTH = 46


def found_by(pool: Pool) -> dict[Sent, list[Hop]]:
    """Return the hops from each query to the passages that it found, best first."""
    found: dict[Sent, list[Hop]] = {}
    for hop in pool.hops_of([GAP_STRATEGY]):
        if (sent := sent_by(hop)) is not None:
            found.setdefault(sent, []).append(hop)
    return {sent: sorted(hops, key=lambda hop: hop.rank or 0) for sent, hops in found.items()}


def node_of(sent: Sent, found: Sequence[Hop], pool: Pool, name: Name) -> dict[str, Any]:
    """Return the data of a query's node; ``found`` lists its passages and marks those that it found first."""
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
        "name": marked(shortened(title, NAME_LENGTH)),
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


# The board: the provenance graph of a case, drawn by pyvis with a layout computed here. pyvis has the
# nodes, the edges and the options of vis-network, and renders the page of the frame from our own template,
# which fetches nothing. While a case runs, only the data of the new network is sent to the existing frame.

DEFAULT_NODES = 150
# Scan passages without followers that are not ranked: a few are enough to show the scan.
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
# An edge between two passages of one column bends around those in between.
_SAME_ROUND: Mapping[str, Any] = {"enabled": True, "type": "curvedCW", "roundness": 0.3}


@dataclass(frozen=True, slots=True)
class Dossier:
    """The details of a passage on the board: plain text, escaped when it is shown."""

    name: str
    title: str
    where: str
    text: str
    language: str
    citation: str
    badge: str = ""


Dossiers = Callable[[Sequence[str]], Mapping[str, Dossier]]


def chosen(pool: Pool, ranked: Sequence[str], limit: int) -> list[str]:
    """Return up to ``limit`` passages to show: the ranked with their trails, then those of the rounds and the
    scan.

    A passage is included only with the passages of its first trail, so that no edge lacks an end.
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
    return as_read(pool, list(picked))


def _first_hop(pool: Pool, passage_id: str) -> Hop:
    return pool.first_hop(passage_id)


def _first_chain(pool: Pool, passage_id: str) -> list[str]:
    """Return the passages of the trail by which a passage was first admitted, from the scan on."""
    chain = [passage_id]
    while (source := _first_hop(pool, chain[-1]).source_id) is not None:
        chain.append(source)
    return chain[::-1]


def provenance(
    pool: Pool,
    ranked: Sequence[str],
    dossiers: Dossiers,
    limit: int = DEFAULT_NODES,
    rounds: Sequence[RoundReport] = (),
    rejected: Collection[Link] = (),
) -> Network:
    """Return the pool as a pyvis network: nodes with positions and trails, edges with the words that made
    them.

    Each query for a gap in ``rounds`` is also a node, with edges to its finds. ``rejected`` are the links
    reported as wrong on the page.
    """
    shown = chosen(pool, ranked, limit)
    queries, found = sent_queries(pool.hops_of([GAP_STRATEGY]), rounds), found_by(pool)
    ranks = {passage_id: number for number, passage_id in enumerate(ranked, start=1)}
    listed = [passage_id for passage_id in ranked if passage_id in pool]
    # Those of ranked passages are the trails that their cards show.
    trails = pool.trails_of(shown, TRAILS_PER_NODE) | pool.telling_trails(listed, TRAILS_PER_NODE)
    edges = _edges(pool, shown, trails, queries)
    first = {hop for hop in edges if hop == _first_hop(pool, hop.target_id)}
    rounds_of = {node: sent.round for sent, node in queries.items()}
    rounds_of |= {passage_id: pool.round(passage_id) for passage_id in shown}
    last = max(rounds_of.values(), default=0)
    columns = [[one for one, its in rounds_of.items() if its == number] for number in range(last + 1)]
    layout = tidy(columns, {hop.target_id: _start(hop, queries) for hop in first})
    reached = (hop.target_id for hops in found.values() for hop in hops)
    facts = dossiers(list(dict.fromkeys((*shown, *reached))))

    def name(passage_id: str) -> str:
        return facts[passage_id].name if passage_id in facts else passage_id

    drawn = empty_network()
    for sent, node in queries.items():
        x, y = layout.positions[node]
        told = node_of(sent, found.get(sent, ()), pool, name)
        drawn.add_node(node, x=x, y=y, rows=layout.rows, **told)
    best = max((pool.score(one) for one in shown), default=1.0) or 1.0
    for passage_id in shown:
        x, y = layout.positions[passage_id]
        drawn.add_node(
            passage_id,
            label=" ",
            kind="passage",
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
        start = _start(hop, queries)
        same_round = rounds_of[start] == rounds_of[hop.target_id]
        _add_edge(
            drawn, hop, start, number, name, first=hop in first, same_round=same_round,
            wrong=link_of(hop) in rejected,
        )  # fmt: skip
    return drawn


def _edges(
    pool: Pool,
    shown: Sequence[str],
    trails: Mapping[str, Sequence[Sequence[Hop]]],
    queries: Mapping[Sent, str],
) -> dict[Hop, int]:
    """Number the hops to draw: the first hop of each shown passage, every hop of its trails, and those from
    all queries that found it."""
    here = {*shown, *queries.values()}
    hops = [_first_hop(pool, passage_id) for passage_id in shown]
    hops += [hop for passage_id in shown for trail in trails[passage_id] for hop in trail]
    # In the order of the passages that the hops lead to.
    places = {passage_id: place for place, passage_id in enumerate(shown)}
    sent = [hop for hop in pool.hops_of([GAP_STRATEGY]) if sent_by(hop) is not None]
    hops += sorted((hop for hop in sent if hop.target_id in places), key=lambda hop: places[hop.target_id])
    wanted = dict.fromkeys(hop for hop in hops if _start(hop, queries) in here and hop.target_id in here)
    return {hop: number for number, hop in enumerate(wanted)}


def _start(hop: Hop, queries: Mapping[Sent, str]) -> str:
    """Return the node that a hop starts at: a passage, a query for a gap, or the question, which has none."""
    sent = sent_by(hop)
    return hop.source_id or QUESTION_NODE if sent is None else queries[sent]


def _add_edge(
    drawn: Network,
    hop: Hop,
    start: str,
    number: int,
    name: Name,
    *,
    first: bool,
    same_round: bool,
    wrong: bool,
) -> None:
    drawn.add_edge(
        start,
        hop.target_id,
        id=number,
        hidden=not first,
        first=first,
        strategy=thread(hop.strategy).token,
        words=marked(hop_words(hop, name)),
        quote=marked(hop_quote(hop, QUOTE_LENGTH)),
        said=marked(hop_quote(hop)),
        link=link_of(hop),
        wrong=wrong,
        dashes=wrong,
        arrows="",
        smooth=_SAME_ROUND if same_round else OPTIONS["edges"]["smooth"],
    )


def empty_network() -> Network:
    """Return an empty pyvis network with the options of the board."""
    empty = Network(
        height="100%", width="100%", directed=True, bgcolor="transparent", cdn_resources="in_line"
    )
    empty.set_template_dir(str(ASSETS), "board.html")
    empty.set_options(json.dumps(OPTIONS))
    return empty


def board_data(drawn: Network, pool: Pool, *, judging: bool = False) -> dict[str, Any]:
    """Return the data of the frame: nodes and edges in the form of pyvis, column heads, counts. ``judging``:
    the viewer may report a link as wrong."""
    nodes, edges, *_ = drawn.get_network_data()
    last = max((node["round"] for node in nodes), default=0)
    heads = ["Scan", *(f"Round {number}" for number in range(1, last + 1))]
    strategies = dict.fromkeys(thread(entry.strategy) for entry in pool.entries())
    legend = [{"token": shown.token, "words": shown.legend} for shown in strategies]
    passages = [node for node in nodes if node["kind"] == "passage"]
    if len(passages) < len(nodes):
        legend.append({"token": thread(GAP_STRATEGY).token, "words": "query for a gap", "shape": SHAPE})
    return {
        "nodes": nodes,
        "edges": edges,
        "heads": heads,
        "shown": len(passages),
        "total": len(pool),
        "rows": nodes[0]["rows"] if nodes else 0,
        "legend": legend,
        "pinned": sorted(pool.pinned),
        "judging": judging,
    }


@cache
def frame_page() -> str:
    """Return the page of the frame, rendered by pyvis from our template, with a placeholder for
    vis-network."""
    return str(empty_network().generate_html())
