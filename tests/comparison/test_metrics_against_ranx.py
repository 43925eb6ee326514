"""Recall and nDCG equal those of ranx (Bassani, ECIR 2022)."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from engine.evaluation.metrics import ndcg_at, recall_at


def test_a_hundred_random_rankings(ranx: ModuleType) -> None:
    random = np.random.default_rng(5)
    gold, run = {}, {}
    for number in range(100):
        items = [f"d{item}" for item in random.permutation(60)]
        chosen = random.choice(60, size=random.integers(1, 6), replace=False)
        gold[f"q{number}"] = {f"d{item}": int(random.integers(1, 4)) for item in chosen}
        run[f"q{number}"] = {item: float(60 - place) for place, item in enumerate(items)}
    theirs = ranx.evaluate(ranx.Qrels(gold), ranx.Run(run), ["recall@10", "ndcg@10"])
    recall = np.mean([recall_at(list(run[q]), gold[q], 10) for q in gold])
    ndcg = np.mean([ndcg_at(list(run[q]), {k: float(v) for k, v in gold[q].items()}, 10) for q in gold])
    assert recall == pytest.approx(theirs["recall@10"], abs=1e-9)
    assert ndcg == pytest.approx(theirs["ndcg@10"], abs=1e-9)
