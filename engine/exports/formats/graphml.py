"""The pool as a graph in GraphML: for yEd, Cytoscape, igraph, networkx. http://graphml.graphdrawing.org/"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from engine.exports.cases import Export, ExportableCase, Names, for_xml, names_of, record_in
from engine.model import GapQuery
from engine.records.phrases import GAP_STRATEGY, query_words
from engine.records.record import CaseRecord, HopPart

if TYPE_CHECKING:
    import networkx as nx


# The pool of a case as a networkx graph: question, queries for gaps, passages, hops.

QUESTION, QUERY, PASSAGE = "question", "query", "passage"
# The relation of an edge from the question to a query for a gap.
ASKED = "asked"


def network_of(case: ExportableCase, record: CaseRecord) -> nx.MultiDiGraph[str]:
    """Return a directed graph in which each hop is an edge, without None and without characters invalid in
    XML.

    Nodes have ``kind``, ``label`` and ``round``; passages also ``strategy``, ``pool_score``, ``pinned``,
    ``dismissed``, if known ``document``, ``title``, ``provision``, and if ranked ``rank`` and ``score``.
    Edges have ``relation``, ``strategy``, ``direction``, ``round``, ``strength``, ``quote``, ``quoted_from``,
    ``detail`` and ``rank``.
    """
    import networkx as nx

    names = names_of(record, case.corpus)
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=for_xml(record.question))
    ids = _Ids()
    graph.add_node(ids.of(QUESTION, record.question), kind=QUESTION, label=for_xml(record.question), round=0)
    queries = _queries(record)
    for query, number in queries.items():
        graph.add_node(
            ids.of(QUERY, query),
            **_texts(kind=QUERY, label=query_words(query), query=query.text, area=query.area),
            round=number,
        )
    _add_passages(graph, record, names, ids)
    for number, (query, first) in enumerate(queries.items()):
        start, end = ids.of(QUESTION, record.question), ids.of(QUERY, query)
        graph.add_edge(start, end, key=f"q{number}", relation=ASKED, strategy=GAP_STRATEGY, round=first)
    for number, step in enumerate(record.pool.edges):
        graph.add_edge(
            _start(step, record, ids), ids.of(PASSAGE, step.target), key=f"h{number}", **_hop(step)
        )
    return graph


class _Ids:
    """Unique node names that are valid in XML; a passage has its id."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, object], str] = {}
        self._taken: set[str] = set()

    def of(self, kind: str, what: str | GapQuery) -> str:
        """Return the name of a node, always the same for the same node."""
        if (kind, what) not in self._given:
            wanted = for_xml(what) if kind == PASSAGE and isinstance(what, str) else f"{kind}:"
            wanted = f"{wanted}{len(self._taken)}" if kind == QUERY else wanted
            while not wanted or wanted in self._taken:
                wanted += "'"
            self._taken.add(wanted)
            self._given[kind, what] = wanted
        return self._given[kind, what]


def _queries(record: CaseRecord) -> dict[GapQuery, int]:
    """Return each query for a gap with the round that sent it first."""
    found: dict[GapQuery, int] = {}
    for one in record.rounds:
        for query in one.queries:
            found.setdefault(query, one.number)
    for step in record.pool.edges:
        if step.source is None and step.query is not None:
            found[step.query] = min(found.get(step.query, step.round), step.round)
    return found


def _add_passages(graph: nx.MultiDiGraph[str], record: CaseRecord, names: Names, ids: _Ids) -> None:
    ranked = {one.id: one for one in record.passages}
    pinned, dismissed = set(record.pool.pinned), set(record.pool.dismissed)
    for node in record.pool.nodes:
        found: dict[str, Any] = _texts(kind=PASSAGE, label=names.short(node.id), strategy=node.strategy)
        document, passage = names.document(node.id), names.passage(node.id)
        if document is not None and passage is not None:
            found |= _texts(document=document.id, title=document.title, provision=passage.label)
        found |= {"round": node.round, "pool_score": float(node.score)}
        found |= {"pinned": node.id in pinned, "dismissed": node.id in dismissed}
        if node.id in ranked:
            found |= {"rank": ranked[node.id].rank, "score": float(ranked[node.id].score)}
        graph.add_node(ids.of(PASSAGE, node.id), **found)
    for step in record.pool.edges:
        for end in (step.source, step.target):
            if end is not None and ids.of(PASSAGE, end) not in graph:
                graph.add_node(
                    ids.of(PASSAGE, end), kind=PASSAGE, label=for_xml(names.short(end)), round=step.round
                )


def _start(step: HopPart, record: CaseRecord, ids: _Ids) -> str:
    if step.source is not None:
        return ids.of(PASSAGE, step.source)
    return ids.of(QUESTION, record.question) if step.query is None else ids.of(QUERY, step.query)


def _hop(step: HopPart) -> dict[str, Any]:
    found: dict[str, Any] = _texts(
        relation=step.relation.value,
        strategy=step.strategy,
        direction=step.direction.value,
        quote=step.quote,
        quoted_from=step.quoted_from or "",
        detail=step.detail,
    )
    found |= {"round": step.round, "strength": float(step.strength)}
    return found if step.rank is None else found | {"rank": step.rank}


def _texts(**given: str) -> dict[str, Any]:
    return {name: for_xml(text) for name, text in given.items()}


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
