"""Late interaction as a retriever, on a small corpus read by the packaged model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.retrieval.retrievers.base import Off
from engine.retrieval.retrievers.contract import RetrieverContract
from engine.retrieval.retrievers.late import Late
from tests.engine.harbour import write_harbour
from tests.engine.retrieval.searching import searched


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The harbour's law with token vectors and no dense ones."""
    root = tmp_path_factory.mktemp("late")
    sources = write_harbour(root / "sources", ontology=False)
    build_corpus([sources], root / "corpus", embedding="none", late="minilm")
    return open_corpus(root / "corpus")


class TestLate(RetrieverContract):
    views = ("Who must take a pilot?", "interest on dues that are not paid")

    @pytest.fixture
    def retriever(self) -> Late:
        return Late()

    def test_the_best_passage_is_about_the_question(self, retriever: Late, corpus: Corpus) -> None:
        pilots, interest = self.answer(retriever, self.asked(corpus)).hits
        (first,), (second,) = corpus.passages(pilots.rows[:1]), corpus.passages(interest.rows[:1])
        assert "pilot" in first.text
        assert "interest" in second.text

    def test_what_others_found_is_scored_too(self, retriever: Late, corpus: Corpus) -> None:
        asked = self.asked(corpus)
        few = replace(asked, depth=10)
        every = np.arange(len(corpus), dtype=np.int32)
        told = self.answer(retriever, replace(few, candidates=every)).hits[0]
        wide = self.answer(retriever, asked).hits[0]
        assert told.rows.tolist() == wide.rows[: len(told.rows)].tolist()

    def test_a_view_without_words_is_not_read(self, retriever: Late, corpus: Corpus) -> None:
        found = self.answer(retriever, self.asked(corpus, "Who must take a pilot?", "of the ..."))
        assert found.reads.tolist() == [True, False]
        assert len(found.hits[1].rows) == 0

    def test_another_language_is_not_read(self, retriever: Late, corpus: Corpus) -> None:
        asked = self.asked(corpus)
        answer = retriever.search(replace(asked, plan=replace(asked.plan, language="de")))
        assert answer == Off("minilm does not read 'de'")


def test_a_corpus_without_token_vectors(bare: Corpus) -> None:
    asked = TestLate().asked(bare)
    assert Late().search(asked) == Off("the corpus holds no token vectors")
    found = searched(bare, asked.plan)
    assert [count.off for count in found.finders if count.retriever == "late"] == [
        "the corpus holds no token vectors"
    ]
    assert found.notes == (), "nobody misses what the corpus never had"


def test_the_scan_joins_all_that_search(corpus: Corpus) -> None:
    asked = TestLate().asked(corpus)
    found = searched(corpus, asked.plan)
    assert dict(found.relevance.weights) == pytest.approx({"bm25": 0.9, "late": 0.1})
    assert {count.retriever for count in found.finders if count.found} == {"bm25", "late"}
    assert {hit.retriever for hits in found.hits.values() for hit in hits} == {"bm25", "late"}
