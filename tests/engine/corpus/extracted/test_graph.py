from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.extracted import (
    NOTHING,
    Judgement,
    Proposal,
    Validation,
    add_reading,
    add_validation,
    extracted_graph,
)
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.model import Direction, Relation
from tests.engine.corpus.extracted.values import DEFINITION, EXCEPTION, USE, proposal, read_toy, window

RELATIONS = tuple(Relation)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return read_toy(tmp_path / "toy")


def edges(corpus: Corpus) -> dict[tuple[int, int, Relation], float]:
    rows = np.arange(len(corpus), dtype=np.int32)
    links = extracted_graph(corpus).neighbours(rows, Direction.OUT)
    return {
        (int(rows[origin]), int(row), RELATIONS[relation]): round(float(weight), 3)
        for origin, row, relation, weight in zip(
            links.origins, links.rows, links.relations, links.weights, strict=True
        )
    }


def judge(corpus: Corpus, judgement: Judgement, of: Proposal, correction: Proposal | None = None) -> None:
    assert corpus.folder is not None
    add_validation(
        corpus.folder, Validation(proposal=of, origin="model", judgement=judgement, correction=correction)
    )


def test_both_directions_tell_the_same(corpus: Corpus) -> None:
    graph = extracted_graph(corpus)
    back = graph.neighbours(np.array([1, 1, 0, 5], np.int32), Direction.IN)
    assert back.origins.tolist() == [0, 1, 3]
    assert back.rows.tolist() == [3, 3, 1]
    assert (
        graph.standing[int(back.evidence[0])].origin_words == "read by a model, confidence 0.80, not reviewed"
    )
    assert len(graph) == 3


def test_a_corpus_that_no_model_has_read_costs_nothing(tmp_path: Path) -> None:
    write_corpus(tmp_path / "toy", toy_contents())
    assert extracted_graph(open_corpus(tmp_path / "toy")) is NOTHING


def test_a_verdict_shows_at_once(corpus: Corpus) -> None:
    before = extracted_graph(corpus)
    assert extracted_graph(corpus) is before
    judge(corpus, Judgement.REJECTED, EXCEPTION)
    assert (3, 1, Relation.EXCEPTION_TO) not in edges(corpus)
    judge(corpus, Judgement.ACCEPTED, EXCEPTION)
    assert edges(corpus)[3, 1, Relation.EXCEPTION_TO] == 1.0
    corrected = Proposal(**{**EXCEPTION.model_dump(), "relation": Relation.EXTENDS, "target_id": "p0"})
    judge(corpus, Judgement.CORRECTED, EXCEPTION, corrected)
    assert edges(corpus)[3, 0, Relation.EXTENDS] == 1.0
    assert (3, 1, Relation.EXCEPTION_TO) not in edges(corpus)
    told = [one.origin_words for one in extracted_graph(corpus).standing if one.proposal == corrected]
    assert told == ["read by a model, confidence 0.80, corrected by a user"]


def test_a_grammars_reading_counts_here_only_where_it_was_corrected(tmp_path: Path) -> None:
    write_corpus(tmp_path / "toy", toy_contents())
    right = Validation(proposal=EXCEPTION, origin="grammar", judgement=Judgement.ACCEPTED)
    add_validation(tmp_path / "toy", right)
    corpus = open_corpus(tmp_path / "toy")
    assert edges(corpus) == {}
    mended = Proposal(**{**EXCEPTION.model_dump(), "target_id": "p2"})
    add_validation(
        tmp_path / "toy", right.model_copy(update={"judgement": Judgement.CORRECTED, "correction": mended})
    )
    assert edges(corpus) == {(3, 2, Relation.EXCEPTION_TO): 1.0}
    assert extracted_graph(corpus).standing[0].origin_words == "read in the text, corrected by a user"


def test_a_concept_that_nothing_defines_links_those_who_mention_it(tmp_path: Path) -> None:
    write_corpus(tmp_path / "toy", toy_contents())
    uses = [USE, proposal("p2", "powers", Relation.MENTIONS, concept="Powers", confidence=1.0)]
    add_reading(tmp_path / "toy", window(*uses))
    corpus = open_corpus(tmp_path / "toy")
    assert edges(corpus) == {(1, 2, Relation.MENTIONS): 0.25}
    # Another document's concept of the same name is another concept.
    add_reading(
        tmp_path / "toy", window(proposal("p5", "fees", Relation.DEFINES, concept="powers"), key="w2")
    )
    assert edges(corpus) == {(1, 2, Relation.MENTIONS): 0.25}
    add_reading(tmp_path / "toy", window(DEFINITION, key="w3"))
    assert edges(corpus) == {(1, 2, Relation.DEFINES): 0.45}
