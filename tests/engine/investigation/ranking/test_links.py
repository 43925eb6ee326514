"""The features of links, against the plainest reading of their description."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from engine.investigation.ranking.features import VOUCHERS, Links, PoolDescription, link_features

Values = NDArray[np.float64]


def plain(links: Links, pool: SimpleNamespace, asked: Values) -> tuple[dict[str, Values], list[int]]:
    """The features one link at a time, and the row of each passage's best voucher."""
    size, rows = len(links.rows), links.rows.tolist()
    found = {name: np.zeros(size) for name in ("first", "near", "gain", "onward", "place", "sharp")}
    voucher, strongest = [-1] * size, [0.0] * size
    likeness = pool.vectors @ asked
    for place, by in enumerate(
        sorted(range(size), key=lambda one: (-links.seeds[one], rows[one]))[:VOUCHERS]
    ):
        for at in range(size):
            for matrix in (links.out, links.back):
                weight = float(matrix[rows[by], rows[at]])
                if at == by or not weight:
                    continue
                near = weight * (1 - np.log1p(place) / np.log(VOUCHERS + 1))
                fresh = pool.term_weights[pool.has_term[:, at] & ~pool.has_term[:, by]].sum()
                left = likeness[at] - pool.vectors[by] @ pool.vectors[at] / 2
                values = {
                    "first": weight / (1 + place),
                    "near": near,
                    "gain": near * fresh / pool.term_weights.sum(),
                    "onward": near * max(left, 0) / likeness.max(),
                }
                for name, value in values.items():
                    found[name][at] = max(found[name][at], value)
                if near > strongest[at]:
                    voucher[at], strongest[at] = rows[by], near
    linked = [at for at in range(size) if found["near"][at]]
    linked.sort(key=lambda at: -(found["gain"][at] + found["onward"][at]))
    for rank, at in enumerate(linked, 1):
        found["place"][at] = 1 / rank
    return found | {"sharp": found["place"] * found["gain"]}, voucher


def random_pool(draws: np.random.Generator, size: int) -> tuple[Links, SimpleNamespace, Values]:
    out = csr_array(draws.random((size + 5, size + 5)) * (draws.random((size + 5, size + 5)) < 0.15))
    rows = draws.permutation(size + 5)[:size].astype(np.int32)
    vectors = draws.normal(size=(size + 1, 6)) + 0.5
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    relevance = SimpleNamespace(vectors=vectors[-1:])
    terms, weights = draws.random((7, size)) < 0.4, draws.random(7)
    pool = SimpleNamespace(has_term=terms, term_weights=weights, vectors=vectors[:-1], relevance=relevance)
    # Seeds of equal worth: the lower row comes first.
    return (
        Links(out, csr_array(out.T), rows, draws.random(size).round(1).astype(np.float32)),
        pool,
        vectors[-1],
    )


@pytest.mark.parametrize("size", [6, 30])
def test_features_are_those_of_the_best_voucher(size: int) -> None:
    draws = np.random.default_rng(7)
    for _ in range(4):
        links, pool, asked = random_pool(draws, size)
        expected, by = plain(links, pool, asked)
        found, voucher = link_features(links, cast(PoolDescription, pool))
        assert found.keys() == expected.keys()
        for name, values in found.items():
            np.testing.assert_allclose(values, expected[name], rtol=1e-5, atol=1e-6, err_msg=name)
        assert voucher.tolist() == by


def test_nothing_is_lent_without_links_and_nothing_onward_without_vectors() -> None:
    links, pool, _ = random_pool(np.random.default_rng(3), 12)
    none = csr_array(links.out.shape)
    found, voucher = link_features(Links(none, none, links.rows, links.seeds), cast(PoolDescription, pool))
    assert not any(values.any() for values in found.values())
    assert set(voucher.tolist()) == {-1}
    found, _ = link_features(links, cast(PoolDescription, SimpleNamespace(**vars(pool) | {"vectors": None})))
    assert not found["onward"].any()
    assert found["gain"].any()
