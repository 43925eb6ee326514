"""Walks that touch only what is near, held against the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from engine.investigation.graph.walks import DAMPING, TOLERANCE, push_pagerank, submatrix


def random_graph(size: int, links: int, seed: int) -> tuple[sparse.csr_array, np.ndarray]:
    """A symmetric graph with weights, and one over the sums of its rows."""
    draw = np.random.default_rng(seed)
    rows, columns = draw.integers(0, size, links), draw.integers(0, size, links)
    one_way = sparse.csr_array((draw.random(links, np.float32) + 0.1, (rows, columns)), shape=(size, size))
    joined = sparse.csr_array(one_way + one_way.T).astype(np.float32)
    sums = joined.sum(axis=0)
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0).astype(np.float32)
    return joined, scale


def links_of(joined: sparse.csr_array) -> np.ndarray:
    return np.diff(joined.indptr).astype(np.float32)


@given(st.integers(1, 40), st.integers(0, 120), st.integers(0, 10_000))
def test_a_fine_walk_is_the_power_iteration(size: int, links: int, seed: int) -> None:
    joined, scale = random_graph(size, links, seed)
    nodes = np.unique(np.random.default_rng(seed).integers(0, size, 3)).astype(np.int32)
    shares = np.full(len(nodes), 1 / len(nodes), np.float32)
    start = np.zeros(size)
    start[nodes] = shares
    whole = start
    for _ in range(80):
        whole = DAMPING * (joined @ (scale * whole)) + (1 - DAMPING) * start
    touched, visits = push_pagerank(joined, scale, links_of(joined), nodes, shares, tolerance=1e-9)
    found = np.zeros(size)
    found[touched] = visits
    assert found == pytest.approx(whole, abs=2e-5)
    assert (np.diff(touched) > 0).all()


def test_a_walk_touches_as_much_in_a_graph_ten_times_as_large() -> None:
    def touched(size: int) -> int:
        # A ring of cliques: what is near a node is the same, however long the ring.
        draw = np.arange(size)
        rows = np.repeat(draw, 4)
        columns = (rows + np.tile([1, 2, 3, 5], size)) % size
        one_way = sparse.csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(size, size))
        joined = sparse.csr_array(one_way + one_way.T)
        scale = (1 / joined.sum(axis=0)).astype(np.float32)
        middle = np.array([size // 2], np.int32)
        nodes, _ = push_pagerank(joined, scale, links_of(joined), middle, np.ones(1, np.float32))
        return len(nodes)

    assert touched(100_000) == touched(10_000) < 2_000
    assert 1 / ((1 - DAMPING) * TOLERANCE) < 4_000_000


@given(st.integers(1, 30), st.integers(0, 100), st.integers(0, 10_000))
def test_a_part_of_a_matrix_is_that_part(size: int, links: int, seed: int) -> None:
    matrix, _ = random_graph(size, links, seed)
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, size, 4).astype(np.int32)
    columns = draw.permutation(size)[: int(draw.integers(0, size + 1))].astype(np.int32)
    assert submatrix(matrix, rows, columns).toarray().tolist() == matrix.toarray()[rows][:, columns].tolist()
