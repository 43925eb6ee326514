"""Token vectors on disk, against MaxSim written down plainly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.corpus.embedded import tokens
from engine.corpus.embedded.block import open_block
from engine.corpus.embedded.tokens import INDEX_NAME, VECTORS_NAME, TokenIndex, TokenWriter, stored
from engine.language.embedders.base import TokenVectors, unit

DIMENSIONS = 8


def drawn(counts: list[int], seed: int) -> TokenVectors:
    offsets = np.cumsum([0, *counts]).astype(np.int64)
    values = np.random.default_rng(seed).normal(size=(int(offsets[-1]), DIMENSIONS)).astype(np.float32)
    return TokenVectors(offsets, unit(values))


def plainly(queries: TokenVectors, passages: TokenVectors) -> NDArray[np.float64]:
    scores = np.zeros((len(queries.offsets) - 1, len(passages.offsets) - 1))
    for q in range(scores.shape[0]):
        for p in range(scores.shape[1]):
            asked = queries.vectors[queries.offsets[q] : queries.offsets[q + 1]]
            held = passages.vectors[passages.offsets[p] : passages.offsets[p + 1]]
            if len(asked) and len(held):
                scores[q, p] = (asked @ held.T).max(axis=1).mean()
    return scores


def index_of(folder: Path, passages: TokenVectors) -> TokenIndex:
    folder.mkdir(parents=True, exist_ok=True)
    with TokenWriter(folder, DIMENSIONS) as writer:
        writer.add(passages.offsets, stored(passages.vectors))
    return opened(folder)


def opened(folder: Path) -> TokenIndex:
    return TokenIndex(open_block(folder / INDEX_NAME), lambda: np.fromfile(folder / VECTORS_NAME, np.uint8))


@given(
    st.lists(st.integers(0, 9), max_size=12),
    st.lists(st.integers(0, 4), min_size=1, max_size=3),
    st.integers(0, 5),
)
def test_scores_are_those_of_the_definition(
    tmp_path_factory: pytest.TempPathFactory, held: list[int], asked: list[int], seed: int
) -> None:
    passages, queries = drawn(held, seed), drawn(asked, seed + 100)
    index = index_of(tmp_path_factory.mktemp("tokens"), passages)
    rows = np.arange(len(held), dtype=np.int32)
    np.testing.assert_allclose(index.score(queries, rows), plainly(queries, passages), atol=0.02)


def test_many_passages_are_scored_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "AT_ONCE", 7)
    passages, queries = drawn([3, 0, 20, 1, 1, 8, 0, 2], 1), drawn([4, 2], 2)
    index = index_of(tmp_path, passages)
    rows = np.array([5, 2, 2, 0, 7, 1, 3], np.int32)
    expected = plainly(queries, passages)[:, rows]
    np.testing.assert_allclose(index.score(queries, rows), expected, atol=0.02)
    np.testing.assert_allclose(index.score(queries, rows[::-1]), expected[:, ::-1], atol=0.02)


def test_a_wide_search_is_exact(tmp_path: Path) -> None:
    passages, queries = drawn([5] * 40, 3), drawn([6], 4)
    index = index_of(tmp_path, passages)
    (hits,) = index.search(queries, 40, np.arange(40, dtype=np.int32), None)
    best = np.argsort(-plainly(queries, passages)[0], kind="stable")
    assert hits.rows.tolist()[:2] == best[:2].tolist()
    assert (np.diff(hits.scores) <= 0).all()


def test_passages_are_taken_as_they_were_written(tmp_path: Path) -> None:
    passages = drawn([2, 0, 3], 5)
    index = index_of(tmp_path / "first", passages)
    offsets, vectors = index.take(np.array([2, 1, 0]))
    assert offsets.tolist() == [0, 3, 3, 5]
    np.testing.assert_array_equal(vectors, stored(passages.vectors)[[2, 3, 4, 0, 1]])
    with TokenWriter(tmp_path, DIMENSIONS) as writer:
        writer.add(*index.take(np.array([0])))
        writer.add(*index.take(np.array([1, 2])))
    queries, rows = drawn([3], 6), np.arange(3, dtype=np.int32)
    np.testing.assert_array_equal(opened(tmp_path).score(queries, rows), index.score(queries, rows))


def test_nothing_is_held(tmp_path: Path) -> None:
    index = index_of(tmp_path, drawn([], 0))
    assert index.dimensions == DIMENSIONS
    (hits,) = index.search(drawn([2], 1), 5, np.empty(0, np.int32), None)
    assert hits.rows.tolist() == []
