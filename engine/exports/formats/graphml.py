"""The pool as a graph in GraphML: for yEd, Cytoscape, igraph, networkx. http://graphml.graphdrawing.org/"""

from __future__ import annotations

from io import BytesIO

from engine.exports.network import network_of
from engine.exports.reading import record_in
from engine.exports.registry import Export, ExportableCase


def write(case: ExportableCase) -> bytes:
    """Write passages of the pool, the question and its queries for gaps as nodes, hops as edges."""
    import networkx as nx

    file = BytesIO()
    nx.write_graphml_lxml(network_of(case, record_in(case)), file)
    return file.getvalue()


EXPORT = Export(
    "graphml",
    "Graph (GraphML)",
    "programs that draw and measure graphs: yEd, Cytoscape, igraph, networkx",
    ".graphml",
    "application/graphml+xml",
    write,
)
