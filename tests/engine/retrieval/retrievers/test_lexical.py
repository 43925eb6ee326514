"""BM25 as a retriever."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.contract import toy_corpus
from engine.retrieval.retrievers import registry
from engine.retrieval.retrievers.base import Inquiry, Off
from engine.retrieval.retrievers.contract import RetrieverContract, plan_of
from engine.retrieval.retrievers.registry import Lexical


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")


class TestLexical(RetrieverContract):
    @pytest.fixture
    def retriever(self) -> Lexical:
        return Lexical()


def test_a_hit_reaches_a_share_of_the_best(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(lowest: float) -> list[int]:
        monkeypatch.setattr(registry, "LOWEST", lowest)
        answer = Lexical().search(Inquiry(corpus, plan_of("fees"), depth=10))
        assert not isinstance(answer, Off)
        rows: list[int] = answer.hits[0].rows.tolist()
        return rows

    assert found(0.05) == [3, 5]
    assert found(1.0) == [3]


def test_scores_are_remembered_and_cannot_be_changed(corpus: Corpus) -> None:
    once = corpus.score_lexical(["fees"], "en", np.arange(8, dtype=np.int32))
    once[:] = 9.0
    assert corpus.score_lexical(["fees"], "en", np.array([0], np.int32)).tolist() == [[0.0]]
