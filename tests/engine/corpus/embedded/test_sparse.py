"""Learned sparse vectors on disk, against the inner product written down plainly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.corpus.embedded.lexical import SparseIndex, join, take
from engine.language.embedders.base import SparseVectors

TERMS = 9


def drawn(rows: int, seed: int) -> NDArray[np.float32]:
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 8, (rows, TERMS)) * (generator.random((rows, TERMS)) < 0.4) / 4
    return values.astype(np.float32)


def sparse(weights: NDArray[np.float32]) -> SparseVectors:
    rows, terms = np.nonzero(weights)
    pointers = np.searchsorted(rows, np.arange(len(weights) + 1)).astype(np.int64)
    return SparseVectors(pointers, terms.astype(np.int32), weights[rows, terms])


@given(st.integers(0, 12), st.integers(0, 3), st.integers(0, 20))
def test_scores_are_inner_products(size: int, asked: int, seed: int) -> None:
    held, queries = drawn(size, seed), drawn(asked, seed + 100)
    half = size // 2
    index = SparseIndex(SparseIndex.build(join([sparse(held[:half]), sparse(held[half:])]), TERMS))
    rows = np.arange(size, dtype=np.int32)
    expected = queries @ held.T
    np.testing.assert_allclose(index.score(sparse(queries), rows), expected, atol=1e-5)
    for hits, scores in zip(index.search(sparse(queries), 99, None), expected, strict=True):
        assert set(hits.rows.tolist()) == set(np.flatnonzero(scores).tolist())
    for name, column in sparse(held)._asdict().items():
        np.testing.assert_array_equal(getattr(index.vectors(), name), column)


def test_a_term_beyond_the_vocabulary_weighs_nothing() -> None:
    index = SparseIndex(SparseIndex.build(sparse(drawn(3, 1)), TERMS))
    beyond = SparseVectors(np.array([0, 1]), np.array([TERMS + 5], np.int32), np.array([1.0], np.float32))
    assert not index.score(beyond, np.arange(3, dtype=np.int32)).any()


@given(st.lists(st.integers(0, 4), max_size=9))
def test_rows_are_taken_in_the_given_order(rows: list[int]) -> None:
    held = drawn(5, 2)
    found = take(sparse(held), np.array(rows, np.int64))
    for column, expected in zip(found, sparse(held[rows]), strict=True):
        np.testing.assert_array_equal(column, expected)
