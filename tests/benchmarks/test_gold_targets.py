"""Floors and aims: what counts as reached."""

from __future__ import annotations

import pytest

from benchmarks.gold_targets import TARGETS, Target, other_targets, verdict
from engine.evaluation import Evaluation


def measured(recall: float, size: float = 150.0, p95: float = 300.0) -> Evaluation:
    pool = {"complete": recall, "mean_size": size}
    return Evaluation(1, {}, {"recall@10": recall}, pool, {}, {"p50": 1.0, "p95": p95})


@pytest.mark.parametrize(("recall", "reached"), [(0.62, "below"), (0.63, "floor"), (0.7, "aim")])
def test_floor_and_aim(recall: float, reached: str) -> None:
    assert verdict(Target("obliqa_mp", "recall@10", 0.63, 0.70), measured(recall)) == reached


def test_a_complete_pool_must_not_be_too_large() -> None:
    target = Target("obliqa_xref", "pool complete", 0.97, 0.99)
    assert verdict(target, measured(1.0)) == "aim"
    assert verdict(target, measured(1.0, size=287.0)) == "pool too large (287 of 200)"


def test_calibration_and_time() -> None:
    together = {"held_when_90": 0.86, "held_under_60": 0.8}
    found = {words: met for _, words, _, _, met in other_targets({"obliqa_adgm": measured(1)}, together)}
    assert list(found.values()) == [True, False, True]
    slow = list(other_targets({"obliqa_adgm": measured(1, p95=401)}, {}))
    assert [met for *_, met in slow] == [False]


def test_every_target_has_its_floor_below_its_aim() -> None:
    assert all(0 < target.floor < target.aim < 1 for target in TARGETS)
