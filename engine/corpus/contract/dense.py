# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Dense``."""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.values import rows_of
from engine.corpus.protocol import Dense


class DenseContract:
    """The cases of ``Dense``, over the toy corpus."""

    def test_dense_search_is_exact_and_ordered(self, corpus: Dense) -> None:
        east, north = corpus.search_dense(np.eye(2, dtype=np.float32), 3, 0.5)
        assert east.rows.tolist() == [0, 1, 5]
        np.testing.assert_allclose(east.scores, np.cos(np.radians([0, 10, 45])), atol=1e-6)
        assert north.rows.tolist() == [2, 3, 6]

    def test_dense_search_keeps_minimum_limit_and_mask(self, corpus: Dense) -> None:
        east = np.asarray([[1.0, 0.0]], np.float32)
        assert corpus.search_dense(east, 8, 0.9)[0].rows.tolist() == [0, 1]
        assert 7 not in corpus.search_dense(east, 8, -1.0)[0].rows.tolist(), "it has no vector"
        mask = np.ones(8, np.bool_)
        mask[0] = False
        assert corpus.search_dense(east, 2, -1.0, mask=mask)[0].rows.tolist() == [1, 5]
        assert corpus.search_dense(east, 8, -1.0, mask=np.zeros(8, np.bool_))[0].rows.tolist() == []

    def test_vectors(self, corpus: Dense) -> None:
        np.testing.assert_allclose(corpus.vectors(rows_of(4, 0)), [[-1, 0], [1, 0]], atol=1e-6)
        assert not corpus.vectors(rows_of(7)).any()
        assert -1.0 <= corpus.similarity_floor <= 0.0
