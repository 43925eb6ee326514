from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.parametrize("vectors", [np.zeros((0, 4)), np.zeros((5, 4)), np.eye(4)[:1]])
def test_without_two_vectors_there_is_no_floor(vectors: np.ndarray) -> None:
    assert similarity_floor(vectors.astype(np.float32)) == 0.0
