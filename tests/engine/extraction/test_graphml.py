from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from engine.corpus.extracted import Judgement, Validation, add_reading, add_validation
from engine.errors import InputError
from engine.extraction.checklist import checklist
from engine.extraction.export import write_graphml
from engine.model import Relation
from tests.engine.corpus.extracted.values import DEFINITION, EXCEPTION, EXTENSION, proposal, read_toy, window


def test_the_graph_can_be_read_by_others(tmp_path: Path) -> None:
    corpus = read_toy(tmp_path / "toy")
    for judged, judgement in ((EXCEPTION, Judgement.ACCEPTED), (EXTENSION, Judgement.REJECTED)):
        add_validation(tmp_path / "toy", Validation(proposal=judged, origin="model", judgement=judgement))
    gone = proposal("p3", "words that are gone", Relation.EXTENDS, target_id="p1")
    odd = proposal("p3", "Fees", Relation.MENTIONS, concept="fees\x01")
    add_reading(tmp_path / "toy", window(gone, odd, key="w2"))
    path = tmp_path / "graph.graphml"
    count = write_graphml(corpus, checklist(corpus), path)
    graph = nx.read_graphml(path)
    edges = {(source, target): values for source, target, values in graph.edges(data=True)}
    assert len(graph.edges) == count
    assert edges["p3", "p1"]["relation"] == "exception_to"
    assert edges["p3", "p1"]["verdict"] == "accepted"
    assert edges["p3", "p1"]["confidence"] == 0.8
    assert ("p1", "p5") not in edges
    concept = f"concept:code:{DEFINITION.name}"
    assert edges["p2", concept]["verdict"] == "not reviewed"
    assert graph.nodes[concept] == {"kind": "concept", "name": "Powers", "document": "code"}
    assert graph.nodes["p3"] == {"kind": "passage", "document": "code"}


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    corpus = read_toy(tmp_path / "toy")
    with pytest.raises(InputError, match="cannot write"):
        write_graphml(corpus, checklist(corpus), tmp_path / "nowhere" / "graph.graphml")
