# A test's name says what it tests.
# ruff: noqa: D102
"""The contracts of ``Dense`` and ``Sparse``."""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.values import rows_of, sparse_rows
from engine.corpus.protocol import Corpus, Dense, Sparse


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


class SparseContract:
    """The cases of ``Sparse``, over the toy corpus."""

    def test_sparse_search_is_the_inner_product(self, corpus: Corpus) -> None:
        assert (corpus.sparse_model, corpus.info().sparse) == ("toy", "toy")
        asked = sparse_rows({0: 1.0, 3: 0.5}, {}, {2: 2.0})
        fees, nothing, harbour = corpus.search_sparse(asked, 8)
        assert (fees.rows.tolist(), fees.scores.tolist()) == ([3, 5, 6, 7], [2.0, 2.0, 0.5, 0.5])
        assert nothing.rows.tolist() == []
        assert (harbour.rows.tolist(), harbour.scores.tolist()) == ([1, 7, 0, 5], [4.0, 3.0, 2.0, 2.0])
        mask = np.ones(8, np.bool_)
        mask[3] = False
        assert [hits.rows.tolist() for hits in corpus.search_sparse(asked, 1, mask=mask)] == [[5], [], [1]]

    def test_sparse_scores_of_chosen_rows(self, corpus: Sparse) -> None:
        scores = corpus.score_sparse(sparse_rows({0: 1.0}, {}), rows_of(5, 3, 5, 4))
        assert scores.tolist() == [[1.0, 2.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
        assert corpus.score_sparse(sparse_rows(), rows_of(5)).shape == (0, 1)
        assert corpus.search_sparse(sparse_rows(), 5) == []
