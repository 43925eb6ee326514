"""Which items are drawn: strata in their order, nothing twice, at random with the chance that is said."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.review.model import ItemKind
from engine.review.sampling import Sampling, Stratum, draw
from tests.engine.review.judged import passage
from tests.engine.review.pools import POOL, RANKED, pool, record_of

HOPS = [replace(passage(f"h{number}"), kind=ItemKind.HOP) for number in range(10)]
NUMBERS = st.integers(0, 50)
SAMPLINGS = st.builds(
    Sampling, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, hops=st.integers(0, 12), seed=st.integers(0, 9)
)


@given(SAMPLINGS, st.integers(0, 15), st.integers(0, 40))
def test_nothing_twice_and_no_more_than_wanted(sampling: Sampling, ranked: int, count: int) -> None:
    items = pool(ranked=ranked, count=max(ranked, count))
    found = draw(items, HOPS, record_of(items), sampling)
    keys = [one.item.key for one in found]
    assert len(set(keys)) == len(keys)
    assert set(keys) <= {item.key for item in (*items, *HOPS)}
    counted = Counter((one.stratum, one.item.kind) for one in found)
    wanted = {
        Stratum.BEST: sampling.best,
        Stratum.BORDER: sampling.border,
        Stratum.ALONE: sampling.alone,
        Stratum.DISAGREED: sampling.disagreed,
        Stratum.RANDOM: sampling.random,
    }
    assert all(counted[stratum, ItemKind.PASSAGE] <= most for stratum, most in wanted.items())
    assert counted[Stratum.RANDOM, ItemKind.HOP] == min(sampling.hops, len(HOPS))
    sure = sum(count for (stratum, kind), count in counted.items() if stratum != Stratum.RANDOM)
    left = len(items) - sure
    assert counted[Stratum.RANDOM, ItemKind.PASSAGE] == min(sampling.random, left)
    for one in found:
        if one.stratum != Stratum.RANDOM:
            assert one.chance == 1
        elif one.item.kind is ItemKind.PASSAGE:
            assert math.isclose(one.chance, min(sampling.random, left) / left)
    assert draw(items, HOPS, record_of(items), sampling) == found


def test_each_is_drawn_as_often_as_its_chance_says() -> None:
    items, runs = pool(), 3000
    record = record_of(items)
    drawings = [draw(items, HOPS, record, Sampling(3, 2, 2, 2, 6, hops=4, seed=seed)) for seed in range(runs)]
    at_random = [one for found in drawings for one in found if one.stratum == Stratum.RANDOM]
    chances = {one.item.key: one.chance for one in at_random}
    counts = Counter(one.item.key for one in at_random)
    assert len(counts) == POOL - 9 + len(HOPS)
    for key, chance in chances.items():
        # Five standard deviations of a binomial: one test in 40,000 fails by chance.
        assert abs(counts[key] - runs * chance) < 5 * math.sqrt(runs * chance * (1 - chance)), key


def test_hops_of_a_case_without_passages_are_drawn_by_their_case() -> None:
    def keys(case_id: str) -> list[str]:
        hops = [replace(hop, case_id=case_id) for hop in HOPS]
        return [one.item.key for one in draw([], hops, record_of([]), Sampling(hops=4))]

    assert keys("one") != keys("two")


def test_sentences_come_last_in_the_order_of_the_answer() -> None:
    items = pool()
    said = [replace(passage(f"s{number}"), kind=ItemKind.SENTENCE) for number in range(6)]
    sampling = Sampling(2, 0, 0, 0, 0, hops=2, sentences=4)
    found = draw(items, HOPS, record_of(items), sampling, said)
    assert [one.item.kind for one in found] == [ItemKind.PASSAGE] * 2 + [ItemKind.HOP] * 2 + [
        ItemKind.SENTENCE
    ] * 4
    keys = [one.item.key for one in found[4:]]
    assert keys == sorted(keys)
    assert {one.chance for one in found[4:]} == {4 / 6}
    every = draw(items, HOPS, record_of(items), replace(sampling, sentences=9), said)
    assert [one.item for one in every[4:]] == said


def test_the_border_lies_around_the_cut() -> None:
    items = pool()
    found = draw(items, [], record_of(items), Sampling(0, 6, 0, 0, 0))
    places = {items.index(one.item) for one in found}
    assert places == {RANKED - 3, RANKED - 2, RANKED - 1, RANKED, RANKED + 1, RANKED + 2}
    assert {one.stratum for one in found} == {Stratum.BORDER.value}


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 12), st.lists(st.integers(0, 9), max_size=40))
def test_nothing_left_out_is_nearer_to_the_cut(ranked: int, below: int, count: int, gate: list[int]) -> None:
    items = pool(ranked=ranked, count=ranked + below)
    record = record_of(items)
    for node, score in zip(record["pool"]["nodes"], gate, strict=False):
        node["score"] = score
    scores = {node["id"]: node["score"] for node in record["pool"]["nodes"]}
    found = [one.item for one in draw(items, [], record, Sampling(0, count, 0, 0, 0))]
    above, under = [one for one in found if one.rank], [one for one in found if not one.rank]
    # The last of the ranking, and what the gate thinks most of below it, as many of each as there are.
    assert {one.rank for one in above} == {ranked - n for n in range(len(above))}
    assert len(above) == min(ranked, max(count - below, (count + 1) // 2, len(above) and len(under)))
    others = [scores[item.passage_id] for item in items[ranked:] if item not in under]
    assert not under or not others or min(scores[one.passage_id] for one in under) >= max(others)


def test_the_best_then_what_one_thread_alone_found_then_where_retrievers_disagree() -> None:
    items = pool()
    found = draw(items, [], record_of(items), Sampling(2, 0, 3, 2, 0))
    told = {
        stratum: [items.index(one.item) for one in found if one.stratum == stratum] for stratum in Stratum
    }
    assert told[Stratum.BEST] == [0, 1]
    # Not those at 0, 3, 6: two strategies found these.
    assert told[Stratum.ALONE] == [2, 4, 5]
    assert told[Stratum.DISAGREED] == [11, 10]


def test_those_who_are_named_take_turns() -> None:
    items = pool()
    sampling = Sampling(4, 0, 0, 0, 0, reviewers=2, assigned=("Ann", "Ben", "Cem"))
    found = [one.assigned for one in draw(items, [], record_of(items), sampling)]
    assert found == [("Ann", "Ben"), ("Ben", "Cem"), ("Cem", "Ann"), ("Ann", "Ben")]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"best": -1}, "0 to 2,000"),
        ({"random": 2001}, "0 to 2,000"),
        ({"reviewers": 0}, "1 to 20 reviewers"),
        ({"reviewers": 2, "assigned": ("Ann",)}, "name at least as many"),
        ({"reviewers": 2, "assigned": ("Ann", " Ann ")}, "name at least as many"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Sampling(**wrong)
