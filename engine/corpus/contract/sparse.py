# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Sparse``."""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.values import rows_of, sparse_rows
from engine.corpus.protocol import Corpus, Sparse


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
