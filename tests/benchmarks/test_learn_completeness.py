"""Learning the estimate of completeness: a planted model is found, signs are kept, the interval holds."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.learn_completeness import (
    Observation,
    fit_interval,
    get_fold,
    learn_completeness,
    shares_by_group,
)

SIGNS = {"ways": 1, "yield": -1, "noise": 1, "either": 0}
TRUE = {"ways": 3.0, "yield": -2.0, "noise": 0.0, "either": -1.0}


def planted(count: int = 1500, seed: int = 3) -> list[Observation]:
    """Questions with four golds each, every one found with the chance of the planted model."""
    made, found = np.random.default_rng(seed), []
    for number in range(count):
        values = {name: float(made.random()) for name in TRUE}
        total = 0.5 + sum(TRUE[name] * value for name, value in values.items())
        held = made.binomial(4, 1 / (1 + np.exp(-total))) / 4
        found.append(Observation("ab"[number % 2], f"question {number}", values, float(held)))
    return found


def test_a_planted_model_is_found() -> None:
    model = learn_completeness(planted(), SIGNS)
    assert model.intercept == pytest.approx(0.5, abs=0.4)
    for name, weight in TRUE.items():
        assert model.weights.get(name, 0.0) == pytest.approx(weight, abs=0.7)
    other = planted(seed=4)
    said = np.array([model.estimate(one.values) for one in other])
    held = np.array([one.held for one in other])
    for low, high in ((0.3, 0.6), (0.6, 0.8), (0.8, 0.95)):
        inside = (said >= low) & (said < high)
        assert held[inside].mean() == pytest.approx(said[inside].mean(), abs=0.05)
    ends = np.array([model.interval.around(float(one)) for one in said])
    assert ((ends[:, 0] <= held) & (held <= ends[:, 1])).mean() >= 0.75


def test_a_weight_goes_its_way_or_not_at_all() -> None:
    turned = {name: -sign for name, sign in SIGNS.items()}
    model = learn_completeness(planted(400), turned)
    assert all(model.weights[name] * turned[name] >= 0 for name in model.weights)
    assert not {"ways", "yield"} & model.weights.keys()


def test_what_is_missing_is_put_at_the_mean() -> None:
    whole = planted(400)
    some = [
        Observation(
            one.group, one.question, {n: v for n, v in one.values.items() if n != "ways" or k % 2}, one.held
        )
        for k, one in enumerate(whole)
    ]
    model = learn_completeness(some, SIGNS)
    mean = np.average([one.values["ways"] for one in some if "ways" in one.values])
    assert model.neutral["ways"] == pytest.approx(mean, abs=0.02)
    assert 0 < model.weights["ways"] < TRUE["ways"] + 0.7


def test_nothing_to_learn_from() -> None:
    with pytest.raises(ValueError, match="no observations"):
        learn_completeness([], SIGNS)


def test_one_question_is_enough_to_say_something() -> None:
    model = learn_completeness([Observation("a", "q", {"ways": 0.5}, 1.0)], SIGNS)
    assert 0.5 <= model.estimate({"ways": 0.5}) <= 1


def test_sets_weigh_by_the_root_of_their_size() -> None:
    weight = shares_by_group(["big"] * 16 + ["small"] * 4)
    assert weight.sum() == pytest.approx(1)
    assert weight[:16].sum() / weight[16:].sum() == pytest.approx(2)


def test_folds_are_by_the_words_of_a_question() -> None:
    assert get_fold("which port?") == get_fold("which port?")
    assert {get_fold(f"question {number}") for number in range(60)} == set(range(5))


def test_ends_rise_with_the_estimate_and_hold_their_share() -> None:
    made = np.random.default_rng(1)
    said = made.random(2000)
    held = np.clip(said + made.normal(0, 0.1, 2000), 0, 1)
    found = fit_interval(said, held, np.full(2000, 1 / 2000))
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) >= 0).all()
    inside = [low <= truth <= high for truth, (low, high) in zip(held, map(found.around, said), strict=True)]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.07)
