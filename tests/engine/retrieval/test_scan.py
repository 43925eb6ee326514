"""The broad scan: every retriever, every view, thresholds, masks, and what each hit says."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.model import QueryPlan, View
from engine.retrieval.retrievers import registry
from engine.retrieval.scan import Scan
from tests.engine.retrieval.searching import searched

EAST: NDArray[np.float32] = np.array([[1.0, 0.0]], np.float32)


def plan(*texts: str) -> QueryPlan:
    return QueryPlan(
        texts[0], "en", tuple(View("literal" if n == 0 else "part", t) for n, t in enumerate(texts))
    )


def test_thresholds(toy: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(lowest: float) -> list[int]:
        monkeypatch.setattr(registry, "LOWEST_COSINE", lowest)
        return sorted(searched(toy, plan("zebra"), EAST).rows.tolist())

    assert rows(0.9) == [0, 1]
    assert rows(1.0) == [0]
    monkeypatch.setattr(registry, "LOWEST", 1.0)
    assert searched(toy, plan("fees")).rows.tolist() == [3]


def test_the_limit_keeps_the_best(tariff: Corpus) -> None:
    asked = plan("tariff of a quay")
    whole = searched(tariff, asked, limit=200)
    cut = searched(tariff, asked, limit=10)
    assert len(whole.rows) == 150
    assert cut.rows.tolist() == whole.rows[:10].tolist()
    assert set(cut.hits) == set(cut.rows.tolist())


@pytest.mark.parametrize("vectors", [None, -EAST])
def test_nothing_found(toy: Corpus, vectors: NDArray[np.float32] | None) -> None:
    none = np.zeros(len(toy), np.bool_)
    found: Scan = searched(toy, plan("zebra"), vectors, none)
    assert (found.rows.tolist(), found.hits) == ([], {})
    assert found.relevance.of(np.array([0], np.int32)).shape == (1,)
