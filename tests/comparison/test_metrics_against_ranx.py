"""Recall and nDCG equal those of ranx (Bassani, ECIR 2022)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from engine.evaluation.metrics import ndcg_at, recall_at


@pytest.fixture(scope="module")
def reference() -> Any:
    with warnings.catch_warnings():
        # numba, which ranx compiles with, warns of numpy's own deprecations.
        warnings.simplefilter("ignore")
        import ranx

        return ranx


def test_a_hundred_random_rankings(reference: Any) -> None:
    random = np.random.default_rng(5)
    gold, run = {}, {}
    for number in range(100):
        items = [f"d{item}" for item in random.permutation(60)]
        chosen = random.choice(60, size=random.integers(1, 6), replace=False)
        gold[f"q{number}"] = {f"d{item}": int(random.integers(1, 4)) for item in chosen}
        run[f"q{number}"] = {item: float(60 - place) for place, item in enumerate(items)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = reference.evaluate(reference.Qrels(gold), reference.Run(run), ["recall@10", "ndcg@10"])
    recall = np.mean([recall_at(list(run[q]), gold[q], 10) for q in gold])
    ndcg = np.mean([ndcg_at(list(run[q]), {k: float(v) for k, v in gold[q].items()}, 10) for q in gold])
    assert recall == pytest.approx(theirs["recall@10"], abs=1e-9)
    assert ndcg == pytest.approx(theirs["ndcg@10"], abs=1e-9)
