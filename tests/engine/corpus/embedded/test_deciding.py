from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import apply_decisions, write_corpus
from engine.corpus.judgements import Place, add_decision
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError
from engine.model import Direction, Reference, Status, TargetKind

AMBIGUOUS = Place("p7", "Hafengesetz", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "corpus", toy_contents())
    return tmp_path / "corpus"


def references(folder: Path) -> list[Reference]:
    return list(open_corpus(folder).all_references())


@pytest.mark.parametrize(
    ("target", "kind"),
    [("p5", TargetKind.PASSAGE), ("code/1/b", TargetKind.SECTION), ("rules", TargetKind.DOCUMENT)],
)
def test_a_decision_resolves_a_reference_and_makes_its_link(
    folder: Path, target: str, kind: TargetKind
) -> None:
    add_decision(folder, AMBIGUOUS, target)
    before = open_corpus(folder)
    assert apply_decisions(folder).decisions == ()
    (found,) = [one for one in references(folder) if one.text == "Hafengesetz"]
    assert (found.status, found.target_kind, found.target_id) == (Status.RESOLVED, kind, target)
    assert (found.grammar, found.confidence, found.candidates) == ("person", 1.0, ())
    corpus = open_corpus(folder)
    links = corpus.neighbours(corpus.rows(["p7"]), None, Direction.OUT)
    assert len(links.rows) >= 1
    assert len(before.neighbours(before.rows(["p7"]), None, Direction.OUT).rows) == 0, "opened before"
    assert corpus.info().references_by_status["resolved"] == 5


def test_a_decision_that_words_are_no_reference(folder: Path) -> None:
    add_decision(folder, AMBIGUOUS, None)
    apply_decisions(folder)
    assert [one.text for one in references(folder) if one.source_id == "p7"] == ["Das"]
    corpus = open_corpus(folder)
    assert corpus.passages(np.arange(8, dtype=np.int32)) == list(toy_contents().passages)


def test_a_withdrawn_decision_leaves_what_the_text_says(folder: Path) -> None:
    before = references(folder)
    add_decision(folder, AMBIGUOUS, None)
    apply_decisions(folder)
    add_decision(folder, AMBIGUOUS, None, withdrawn=True)
    apply_decisions(folder)
    assert references(folder) == before


def test_decisions_outlive_a_new_writing(folder: Path) -> None:
    add_decision(folder, AMBIGUOUS, "p6")
    write_corpus(folder, toy_contents())
    assert [one.target_id for one in references(folder) if one.text == "Hafengesetz"] == ["p6"]


def test_decisions_that_find_nothing_are_told(folder: Path) -> None:
    before = references(folder)
    add_decision(folder, AMBIGUOUS, "nobody")
    add_decision(folder, Place("gone", "words", 0), None)
    add_decision(folder, Place("p7", "Hafengesetz", 1), None)
    lost = {decision.source_id: why for decision, why in apply_decisions(folder).decisions}
    assert "nobody is not in the corpus" in apply_decisions(folder).decisions[0][1]
    assert lost.keys() == {"p7", "gone"}
    assert references(folder) == before


def test_there_has_to_be_a_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no corpus at"):
        apply_decisions(tmp_path / "nowhere")
