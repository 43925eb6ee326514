"""The extracted graph as GraphML, for other programs: passages, concepts, and what holds between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports.xml_text import for_xml
from engine.extraction.checklist import Checklist, Item, State

if TYPE_CHECKING:
    import networkx as nx


def write_graphml(corpus: Corpus, checked: Checklist, path: Path) -> int:
    """Write every proposal that counts as an edge; returns how many. A corrected one is written as corrected.

    Raises InputError where the file cannot be written.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=corpus.name)
    count = 0
    for item in checked.items.values():
        held = item.proposal if item.validation is None else item.validation.holds
        if held is None or item.state is State.STALE:
            continue
        document = corpus.documents()[item.document]
        source = held.source_id
        graph.add_node(source, kind="passage", document=document.id)
        target = held.target_id or f"concept:{document.id}:{held.name}"
        if held.target_id is None:
            graph.add_node(target, kind="concept", name=held.concept, document=document.id)
        elif target not in graph:
            graph.add_node(target, kind="passage")
        graph.add_edge(
            source,
            target,
            relation=held.relation.value,
            confidence=held.confidence,
            quote=held.quote,
            origin=item.origin,
            said_by=held.said_by,
            verdict=_verdict(item),
        )
        count += 1
    write_network(graph, path)
    return count


def write_network(graph: nx.MultiDiGraph[str], path: Path) -> None:
    """Write a graph of networkx, without characters that XML cannot hold. Raises InputError where the file
    cannot be written."""
    import networkx as nx

    told: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=for_xml(str(graph.graph.get("name", ""))))
    for node, data in graph.nodes(data=True):
        told.add_node(for_xml(node), **_cleaned(data))
    for source, target, data in graph.edges(data=True):
        told.add_edge(for_xml(source), for_xml(target), **_cleaned(data))
    try:
        nx.write_graphml_lxml(told, path)
    except OSError as error:
        raise InputError(f"cannot write {path} ({error})") from error


def _cleaned(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: for_xml(value) if isinstance(value, str) else value for name, value in data.items()}


def _verdict(item: Item) -> str:
    return "not reviewed" if item.validation is None else item.validation.judgement.value
