"""The pool as a graph in GEXF 1.2, with rounds as time: Gephi's timeline plays them. https://gexf.net/

Everything is there from the round that brought it to the end of the last one, so that both ends of the
timeline are known. A node has the colour that the page gives to the strategy that admitted it.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from engine.exports.network import network_of
from engine.exports.reading import Record, record_in
from engine.exports.registry import Export, HandedOver

if TYPE_CHECKING:
    import networkx as nx


def write(case: HandedOver) -> bytes:
    """The graph of ``network_of`` with a start and an end for each node and edge."""
    from networkx.readwrite.gexf import GEXFWriter

    record = record_in(case)
    graph = network_of(case, record)
    _timed(graph, record)
    writer = GEXFWriter()
    writer.add_graph(graph)
    # It would say on which day it was written: a file of the same case is to be the same.
    meta = writer.xml.find("meta")
    meta.set("lastmodifieddate", record.started.date().isoformat())
    meta.find("creator").text = "Redstring"
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def _timed(graph: nx.MultiDiGraph[str], record: Record) -> None:
    colours = {one.name: one.colour.light for one in record.threads if one.colour is not None}
    found = [data["round"] for _, data in graph.nodes(data=True)]
    found += [data["round"] for *_, data in graph.edges(data=True)]
    # A number that is no whole one: of those a time of GEXF may be, all readers know this kind.
    end = float(max(record.last_round, *found) + 1)
    for _, data in graph.nodes(data=True):
        data.update(start=float(data["round"]), end=end)
        if data.get("strategy") in colours:
            data["viz"] = {"color": _colour(colours[data["strategy"]])}
    for _, _, key, data in graph.edges(keys=True, data=True):
        data.update(id=key, label=data["relation"], start=float(data["round"]), end=end)
        if data.get("strength", 0.0) > 0:
            data["weight"] = data["strength"]


def _colour(text: str) -> dict[str, Any]:
    """Red, green and blue of "#0072b2"."""
    return {name: int(text[place : place + 2], 16) for name, place in (("r", 1), ("g", 3), ("b", 5))}


EXPORT = Export(
    "gexf",
    "Graph over time (GEXF)",
    "Gephi, whose timeline plays the rounds",
    ".gexf",
    "application/gexf+xml",
    write,
)
