from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded import dense
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.dense import VectorIndex, similarity_floor

RANDOM = np.random.default_rng(3)
VECTORS = RANDOM.normal(size=(500, 16)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
VECTORS[::10] = 0.0
QUERIES = VECTORS[[1, 2, 3]]


@pytest.fixture(scope="module")
def index() -> VectorIndex:
    state = Block({})
    VectorIndex.put(state, VECTORS)
    return VectorIndex(state)


@pytest.mark.parametrize("limit", [1, 10, 1000])
@pytest.mark.parametrize("minimum", [-1.0, 0.2, 0.999, 1.5])
@pytest.mark.parametrize("share", [None, 0.0, 0.01, 0.5, 1.0])
def test_equal_to_comparing_with_everything(
    index: VectorIndex, limit: int, minimum: float, share: float | None
) -> None:
    mask = None if share is None else RANDOM.random(len(VECTORS)) < share
    allowed = np.asarray(VECTORS.any(axis=1))
    if mask is not None:
        allowed = allowed & mask
    for query, hits in zip(QUERIES, index.search(QUERIES, limit, minimum, mask), strict=True):
        scores = VECTORS @ query
        wanted = [
            row for row in np.argsort(-scores, kind="stable") if allowed[row] and scores[row] >= minimum
        ]
        assert sorted(hits.rows.tolist()) == sorted(int(row) for row in wanted[:limit])
        np.testing.assert_allclose(hits.scores, scores[hits.rows], atol=1e-6)
        assert (np.diff(hits.scores) <= 0).all()


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 8), min_size=1, max_size=30), st.integers(1, 40)), max_size=6)
)
def test_what_is_remembered_is_what_a_new_search_finds(asked: list[tuple[list[int], int]]) -> None:
    # Many passages are equal, as in several versions of a law: which of them stand at the border must not
    # depend on what was asked before.
    state = Block({})
    VectorIndex.put(state, VECTORS[np.arange(500) % 40])
    kept = VectorIndex(state)
    for places, limit in asked:
        queries = VECTORS[places]
        for hits, new in zip(
            kept.search(queries, limit, 0.1, None),
            VectorIndex(state).search(queries, limit, 0.1, None),
            strict=True,
        ):
            assert hits.rows.tolist() == new.rows.tolist()
            assert hits.scores.tolist() == new.scores.tolist()


def test_the_whole_corpus_is_compared_once_for_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    compare = dense.faiss.knn_inner_product

    def counted(*arguments: object) -> None:
        passes.append(int(str(arguments[3])))
        compare(*arguments)

    monkeypatch.setattr(dense.faiss, "knn_inner_product", counted)
    state = Block({})
    VectorIndex.put(state, VECTORS)
    searched = VectorIndex(state)
    for limit in (100, 1, 100):
        searched.search(QUERIES, limit, 0.0, None)
    searched.search(VECTORS[[1, 5]], 100, 0.0, None)
    assert passes == [3, 1]


def test_vectors_come_back(index: VectorIndex) -> None:
    rows = np.asarray([3, 0, 499], np.int32)
    assert np.array_equal(index.take(rows), VECTORS[rows])


def test_the_floor_is_the_first_percentile_of_random_pairs() -> None:
    present = VECTORS[VECTORS.any(axis=1)]
    cosines = (present @ present.T)[~np.eye(len(present), dtype=bool)]
    assert similarity_floor(VECTORS) == pytest.approx(np.percentile(cosines, 1), abs=0.03)
    assert similarity_floor(VECTORS) == similarity_floor(VECTORS)


@pytest.mark.parametrize("vectors", [np.zeros((0, 4)), np.zeros((5, 4)), np.eye(4)[:1]])
def test_without_two_vectors_there_is_no_floor(vectors: np.ndarray) -> None:
    assert similarity_floor(vectors.astype(np.float32)) == 0.0
