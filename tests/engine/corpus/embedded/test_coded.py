from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.corpus.embedded import dense
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.dense import BORDERS, LEVELS, CodedVectors, KnownCodes, VectorIndex, make_codes
from engine.corpus.embedded.writing import _put_vectors
from engine.corpus.protocol import Hits

RANDOM = np.random.default_rng(5)


def unit(count: int, dimensions: int) -> NDArray[np.float32]:
    """Vectors that lie around a few middles, off the origin, as those of texts do."""
    middles = RANDOM.normal(0.3, 1.0, (20, dimensions))
    drawn = middles[RANDOM.integers(0, 20, count)] + RANDOM.normal(size=(count, dimensions))
    found: NDArray[np.float32] = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    return found


VECTORS = unit(6000, 64)
QUERIES = unit(8, 64)


def test_levels_and_borders_lose_least_of_a_normal_distribution() -> None:
    # Lloyd's two conditions: each level is the mean of what falls to it, each border lies midway.
    drawn = np.random.default_rng(0).normal(size=2_000_000)
    place = np.searchsorted(BORDERS, drawn)
    assert [drawn[place == one].mean() for one in range(4)] == pytest.approx(LEVELS.tolist(), abs=2e-3)
    assert ((LEVELS[1:] + LEVELS[:-1]) / 2).tolist() == pytest.approx(BORDERS.tolist(), abs=1e-4)


WHOLE = make_codes(VECTORS)


def test_known_codes_are_kept_and_the_others_made() -> None:
    is_known = np.arange(len(VECTORS)) % 3 > 0
    known = KnownCodes(np.where(is_known[:, None], WHOLE, 0).astype(np.uint8), is_known)
    assert known.holds(VECTORS)
    made = known.completed(VECTORS[1000:3000], 1000)
    assert (made == WHOLE[1000:3000]).mean() > 0.999
    assert (made == WHOLE[1000:3000])[is_known[1000:3000]].all()


def test_of_vectors_with_codes_none_is_looked_at_for_being_there() -> None:
    vectors, is_known = VECTORS.copy(), np.zeros(len(VECTORS), np.bool_)
    vectors[[2, 5, 4000]] = 0
    is_known[3:3000:7] = True
    known = KnownCodes(np.zeros_like(WHOLE), is_known)
    parts = [known.present(vectors[:2500], 0), known.present(vectors[2500:], 2500)]
    assert np.array_equal(np.concatenate(parts), vectors.any(axis=1))
    assert np.array_equal(known.is_known, is_known), "what is known stays as it is"


def test_codes_find_what_comparing_finds() -> None:
    near = CodedVectors(WHOLE).nearest(QUERIES, 600)
    for query, rows in zip(QUERIES, near, strict=True):
        best = np.argsort(-(VECTORS @ query))[:60]
        assert np.isin(best, rows).mean() >= 0.95


class TestALargeCorpus:
    @pytest.fixture
    def index(self, monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
        monkeypatch.setattr(dense, "MOST_EXACT", 500)
        monkeypatch.setattr(dense, "LEAST_COMPARED", 256)
        vectors = VECTORS.copy()
        vectors[::7] = 0.0
        state = Block({})
        VectorIndex.put(state, vectors)
        assert dense.CODES in state.arrays
        return VectorIndex(state)

    @pytest.fixture
    def compared(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        asked: list[int] = []
        compare = dense.faiss.knn_inner_product

        def counted(*arguments: object) -> None:
            asked.append(int(str(arguments[3])))
            compare(*arguments)

        monkeypatch.setattr(dense.faiss, "knn_inner_product", counted)
        return asked

    @staticmethod
    def wanted(query: NDArray[np.float32], allowed: NDArray[np.bool_], limit: int) -> Hits:
        scores = np.where(allowed, VECTORS @ query, -2.0)
        rows = np.argsort(-scores, kind="stable")[:limit]
        rows = rows[scores[rows] > -2.0]
        return Hits(rows.astype(np.int32), scores[rows])

    @pytest.mark.parametrize("share", [None, 0.9, 0.5, 0.05, 0.001, 0.0])
    def test_finds_the_best_of_what_a_filter_allows(self, index: VectorIndex, share: float | None) -> None:
        mask = None if share is None else RANDOM.random(len(VECTORS)) < share
        allowed = np.arange(len(VECTORS)) % 7 != 0
        if mask is not None:
            allowed &= mask
        for query, hits in zip(QUERIES, index.search(QUERIES, 20, -1.0, mask), strict=True):
            wanted = self.wanted(query, allowed, 20)
            assert len(hits.rows) == len(wanted.rows)
            assert allowed[hits.rows].all()
            assert np.isin(wanted.rows, hits.rows).mean() >= 0.9 if len(wanted.rows) else True
            assert hits.scores.tolist() == pytest.approx((VECTORS[hits.rows] @ query).tolist(), abs=1e-6)
            assert (np.diff(hits.scores) <= 0).all()

    def test_most_questions_compare_few(self, index: VectorIndex, compared: list[int]) -> None:
        index.search(QUERIES, 20, -1.0, None)
        assert compared == []

    def test_a_filter_that_shuts_out_all_that_is_near_misses_nothing(
        self, index: VectorIndex, compared: list[int]
    ) -> None:
        query = QUERIES[:1]
        mask = np.ones(len(VECTORS), np.bool_)
        mask[np.argsort(-(VECTORS @ query[0]))[:2500]] = False
        (hits,) = index.search(query, 20, -1.0, mask)
        assert compared == [1]
        allowed = mask & (np.arange(len(VECTORS)) % 7 != 0)
        assert hits.rows.tolist() == self.wanted(query[0], allowed, 20).rows.tolist()

    def test_answers_do_not_depend_on_what_was_asked_before(self, index: VectorIndex) -> None:
        alone = index.search(QUERIES, 20, 0.1, None)
        for limit in (200, 20, 40, 20):
            index.search(QUERIES, limit, 0.1, None)
        again = index.search(QUERIES, 20, 0.1, None)
        assert [hits.rows.tolist() for hits in again] == [hits.rows.tolist() for hits in alone]

    def test_its_recall_is_told(self, index: VectorIndex) -> None:
        recall = index.recall()
        assert recall is not None
        assert 0.95 < recall <= 1.0


def test_vectors_that_their_codes_do_not_tell_apart_are_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "MOST_EXACT", 500)
    monkeypatch.setattr(dense, "LEAST_COMPARED", 64)
    monkeypatch.setattr(dense, "COMPARED", 1)
    # All nearly the same: what differs is less than a level.
    close = unit(1, 8) + 1e-4 * RANDOM.normal(size=(4000, 8)).astype(np.float32)
    close /= np.linalg.norm(close, axis=1, keepdims=True)
    state = Block({})
    _, recall = _put_vectors(state, close.astype(np.float32))
    assert recall is None
    assert dense.CODES not in state.arrays
