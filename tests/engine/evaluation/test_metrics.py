"""Metrics on rankings small enough to count by hand."""

from __future__ import annotations

import math

import pytest

from engine.evaluation.metrics import complete_at, ndcg_at, recall_at


def test_recall_counts_the_gold_in_the_top() -> None:
    assert recall_at(["a", "x", "b"], {"a", "b"}, 2) == 0.5
    assert recall_at(["a", "x", "b"], {"a", "b"}, 3) == 1.0


def test_complete_wants_all_the_gold() -> None:
    assert complete_at(["a", "x", "b"], {"a", "b"}, 2) == 0.0
    assert complete_at(["a", "x", "b"], {"a", "b"}, 3) == 1.0


def test_ndcg_discounts_by_the_logarithm_of_the_place() -> None:
    assert ndcg_at(["x", "a"], {"a": 1.0}, 10) == pytest.approx(1 / math.log2(3))
    assert ndcg_at(["a", "x"], {"a": 1.0}, 10) == 1.0
    assert ndcg_at(["x", "y"], {"a": 1.0}, 10) == 0.0
