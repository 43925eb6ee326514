from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement, Proposal, Validation, add_reading, add_validation
from engine.corpus.protocol import Corpus
from engine.extraction.checklist import (
    CHECKED_RELATIONS,
    Checklist,
    Filter,
    Order,
    State,
    checklist,
    sample_stated,
    stated_counts,
)
from engine.ingestion.build import add_to_corpus
from engine.model import Relation, Status
from tests.engine.corpus.extracted.values import window
from tests.engine.harbour import HARBOUR_ACT


@pytest.fixture
def corpus(tmp_path: Path, harbour_folder: Path) -> Corpus:
    shutil.copytree(harbour_folder, tmp_path / "harbour")
    return open_corpus(tmp_path / "harbour")


def folder_of(corpus: Corpus) -> Path:
    assert corpus.folder is not None
    return corpus.folder


def said(corpus: Corpus, quote: str, confidence: float, **more: object) -> Proposal:
    row = next(row for row in range(len(corpus)) if quote in text_at(corpus, row))
    other = (row + 1) % len(corpus)
    values = {"relation": Relation.EXTENDS, "target_id": id_at(corpus, other), **more}
    return Proposal.model_validate(
        {"source_id": id_at(corpus, row), "quote": quote, "confidence": confidence, **values}
    )


def id_at(corpus: Corpus, row: int) -> str:
    return passage_at(corpus, row)[0]


def text_at(corpus: Corpus, row: int) -> str:
    return passage_at(corpus, row)[1]


def passage_at(corpus: Corpus, row: int) -> tuple[str, str]:
    (passage,) = corpus.passages(np.array([row], np.int32))
    return passage.id, passage.text


def test_a_sample_is_drawn_by_its_seed(meridia: Corpus) -> None:
    corpus = meridia
    assert sample_stated(corpus, sample=2) == sample_stated(corpus, sample=2)
    everything = {one.key for one in sample_stated(corpus)}
    assert {one.key for one in sample_stated(corpus, sample=2)} < everything
    drawn = {frozenset(one.key for one in sample_stated(corpus, sample=1, seed=seed)) for seed in range(12)}
    assert len(drawn) > 1
    counts = stated_counts(corpus)
    for relation in CHECKED_RELATIONS:
        found = [one for one in sample_stated(corpus) if one.relation is relation and not one.concept]
        # What the head of a document says, and not its words, has none to look at.
        with_words = [
            one
            for one in corpus.references(corpus.reference_numbers(relations=[relation]).tolist())
            if one.status is Status.RESOLVED and one.text
        ]
        assert len(found) == len(with_words) <= counts.get(relation.value, 0)


@pytest.fixture
def read(corpus: Corpus) -> Checklist:
    proposals = [
        said(corpus, "does not apply to warships", 0.95),
        said(corpus, "A berth may be refused", 0.52),
        said(corpus, "every ship, barge", 0.2, relation=Relation.DEFINES, target_id=None, concept="vessel"),
    ]
    add_reading(folder_of(corpus), window(*proposals, document="harbour-act"))
    return checklist(corpus)


def test_orders(read: Checklist) -> None:
    def confidences(order: Order) -> list[float]:
        return [item.proposal.confidence for item in read.chosen(Filter(origin="model"), order)]

    assert confidences(Order.UNCERTAIN) == [0.52, 0.2, 0.95]
    assert confidences(Order.DOCUMENT) == [0.2, 0.95, 0.52]
    assert confidences(Order.RANDOM) == confidences(Order.RANDOM)
    rows = [item.row for item in read.chosen(Filter(), Order.DOCUMENT)]
    assert rows == sorted(rows)


def test_a_verdict_is_kept_and_what_changes_is_stale(corpus: Corpus, read: Checklist, tmp_path: Path) -> None:
    folder = folder_of(corpus)
    (item,) = read.chosen(Filter(origin="model", low=0.9), Order.DOCUMENT)
    add_validation(folder, Validation(proposal=item.proposal, origin="model", judgement=Judgement.ACCEPTED))
    assert checklist(corpus).items[item.proposal.key].state is State.JUDGED

    changed = tmp_path / "harbour-act.md"
    changed.write_text(
        HARBOUR_ACT.replace("does not apply to warships", "applies to warships").replace(
            "## Part II", "Some new words.\n\n## Part II"
        )
    )
    add_to_corpus([changed], folder)
    again = checklist(open_corpus(folder))
    assert again.items[item.proposal.key].state is State.STALE
    assert again.items[item.proposal.key].validation is not None
    others = again.chosen(Filter(origin="model", high=0.9), Order.DOCUMENT)
    assert [one.state for one in others] == [State.OPEN, State.OPEN]
