"""Dense search as a retriever."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.contract import toy_corpus
from engine.retrieval.retrievers import registry
from engine.retrieval.retrievers.contract import RetrieverContract
from engine.retrieval.retrievers.registry import Dense


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")


class TestDense(RetrieverContract):
    @pytest.fixture
    def retriever(self) -> Dense:
        return Dense()

    def vectors(self, views: int) -> NDArray[np.float32] | None:
        return np.eye(2, dtype=np.float32)[:views]

    def test_a_hit_reaches_the_cosine(
        self, retriever: Dense, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(registry, "LOWEST_COSINE", 0.9)
        found = self.answer(retriever, self.inquiry(corpus))
        assert [hits.rows.tolist() for hits in found.hits] == [[0, 1], [2, 3]]
