"""Learned sparse search as a retriever, on a small corpus read by a tiny model of the real class."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.language.embedders import sparse_embedder
from engine.retrieval.retrievers.base import Off
from engine.retrieval.retrievers.contract import RetrieverContract
from engine.retrieval.retrievers.registry import Sparse
from tests.engine.harbour import write_harbour
from tests.engine.language.embedders.tiny import language_model
from tests.engine.retrieval.searching import searched


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sparse")
    spec = f"st:{language_model(root / 'model')}?languages=en"
    sources = write_harbour(root / "sources", ontology=False)
    report = build_corpus([sources], root / "corpus", embedding="none", sparse=spec)
    assert (report.sparse, report.embedding) == (spec, "none")
    return root


@pytest.fixture(scope="module")
def corpus(root: Path) -> Corpus:
    return open_corpus(root / "corpus")


class TestSparse(RetrieverContract):
    views = ("Who must take a pilot?", "dues of a vessel")

    @pytest.fixture
    def retriever(self) -> Sparse:
        return Sparse()

    def test_another_language_is_not_read(self, retriever: Sparse, corpus: Corpus) -> None:
        asked = self.inquiry(corpus)
        answer = retriever.search(replace(asked, plan=replace(asked.plan, language="de")))
        assert isinstance(answer, Off)
        assert answer.reason.endswith("does not read 'de'")


def test_a_corpus_without_sparse_vectors(bare: Corpus) -> None:
    assert Sparse().search(TestSparse().inquiry(bare)) == Off("the corpus holds no learned sparse vectors")


def test_a_model_that_is_gone_is_named_and_words_go_on(root: Path, corpus: Corpus) -> None:
    shutil.move(root / "model", root / "moved")
    sparse_embedder.cache_clear()
    try:
        asked = TestSparse().inquiry(corpus)
        found = searched(corpus, asked.plan)
    finally:
        shutil.move(root / "moved", root / "model")
        sparse_embedder.cache_clear()
    (note,) = found.notes
    assert note.startswith("Learned words (sparse) is off: sparse model ")
    assert "cannot be loaded" in note
    assert len(found.rows) > 0
