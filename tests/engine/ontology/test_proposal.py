from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.ontology import checked, ontology_from
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.ontology.proposal import Proposal, propose
from tests.engine.ontology.conftest import SUBJECTS


@pytest.fixture(scope="module")
def proposal(maritime: Corpus) -> Proposal:
    return propose(maritime)


def test_each_subject_of_a_plain_corpus_is_an_area(proposal: Proposal) -> None:
    names = " ".join(area.area.names["en"].lower() for area in proposal.areas)
    for subject in SUBJECTS:
        assert subject.split()[0].lower() in names
    assert proposal.covered > 0.8


def test_the_frame_of_a_law_is_no_area(proposal: Proposal) -> None:
    for area in proposal.areas:
        assert area.area.names["en"] not in ("General provisions", "Definitions", "Final provisions")


def test_transactions_come_from_headings_that_name_a_procedure(proposal: Proposal) -> None:
    known = {proposed.area.id for proposed in proposal.areas}
    for found in proposal.transactions:
        assert set(found.areas) <= known
        assert any(
            cue in found.heading for cue in ("Application", "Withdrawal", "Register", "licences", "contracts")
        )


def test_a_proposal_is_an_ontology_and_the_same_each_time(maritime: Corpus, proposal: Proposal) -> None:
    assert ontology_from(checked(proposal.content())).areas
    assert propose(maritime) == proposal


def test_a_corpus_with_nothing_to_tell_apart_has_no_areas(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("One short note about nothing.\n", encoding="utf-8")
    build_corpus([tmp_path / "note.txt"], tmp_path / "corpus", embedding="none")
    found = propose(open_corpus(tmp_path / "corpus"))
    assert found.areas == ()
    assert found.transactions == ()
    assert "no area" in found.notes[0]
