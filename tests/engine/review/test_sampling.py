"""Items drawn for review: by strata, and those that teach most."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.review import sampling as drawing
from engine.review.model import Item, ItemKind
from engine.review.queues import Queue, QueuedItem
from engine.review.sampling import (
    DEPTH,
    Drawing,
    Ranking,
    Sampling,
    Stratum,
    draw,
    draw_items,
    most_informative,
    parse_sampling,
    queue_settings,
)
from tests.engine.review.judged import passage
from tests.engine.review.pools import POOL, RANKED, pool, record_of

# Which items are drawn: strata in their order, nothing twice, at random with the chance that is
# said.

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


# Which items are the most telling: what the ranking would learn most of, and nothing that was
# said.

NOTHING = np.zeros((0, 0), np.float32)


def ranking(*rows: int, judged: tuple[int, ...] = ()) -> Ranking:
    """A ranking of these rows, of which those at some indices were judged."""
    return Ranking(np.array(rows, np.int32), np.setdiff1d(np.arange(len(rows)), judged))


def told(
    rankings: list[Ranking], count: int, vectors: object = None, judged: tuple[int, ...] = ()
) -> list[int]:
    known = np.zeros((len(rankings), 0), np.float32) if vectors is None else np.array(vectors, np.float32)
    items = most_informative(rankings, known, count, judged)
    assert len(set(items)) == len(items)
    return [int(rankings[number].rows[one]) for number, one in items]


def test_a_passage_that_stands_high_elsewhere_comes_first() -> None:
    rankings = [ranking(1, 2, 3), ranking(9, 2, 4), ranking(8, 2, 5)]
    assert told(rankings, 1) == [2]
    every = told(rankings, 100)
    assert len(every) == 9
    # Of the passages that no other question has, the one that ranks best for its own.
    assert [row for row in every if row in (1, 3)] == [1, 3]


def test_the_same_passage_is_not_asked_about_again_and_again() -> None:
    rankings = [ranking(number, 2, 3) for number in (10, 11, 12, 13)]
    assert set(told(rankings, 3)) == {2, 3}


def test_like_questions_count_for_more() -> None:
    rankings = [ranking(1, 2), ranking(2, 9), ranking(1, 8), ranking(2, 7)]
    assert told(rankings, 1, [(1, 0), (0, 1), (1, 0), (0, -1)]) == [1]


def test_what_was_judged_is_not_asked_again_and_teaches_less_elsewhere() -> None:
    rankings = [ranking(1, 2, 3, judged=(1,)), ranking(4, 2, 5)]
    assert (0, 1) not in most_informative(rankings, np.zeros((2, 0), np.float32), 100)
    asked = [*(ranking(number, 2, 3, judged=(1,)) for number in (10, 11, 12)), ranking(13, 2, 3)]
    assert told(asked, 1) == [2]
    assert told(asked, 1, judged=(2, 2, 2)) == [3]


@pytest.mark.parametrize("count", [0, -1])
def test_nothing_is_asked_of_nobody(count: int) -> None:
    assert told([ranking(1, 2)], count) == []
    assert most_informative([], NOTHING, 5) == []
    assert told([ranking(1, 2, judged=(0, 1))], 5) == []


def test_what_stands_low_counts_for_little_and_is_asked_about_last() -> None:
    long = ranking(*range(100))
    found = told([long, long], 200)
    assert set(found[: 2 * DEPTH]) == set(range(DEPTH))
    assert len(found) == 200


# A queue drawn from cases: what teaches most stands first, of all cases together, and all has an
# end.

FEW = Sampling(2, 1, 1, 1, 3)


def telling(found: list[QueuedItem]) -> list[Item]:
    return [one.item for one in found if one.stratum == Stratum.TELLING]


def test_what_teaches_most_comes_first_and_changes_nothing_else(record: dict[str, Any], bare: Corpus) -> None:
    cases = [(name, record) for name in ("one", "two", "three")]
    plain = draw_items(cases, bare, FEW)
    found = draw_items(cases, bare, replace(FEW, telling=2))
    assert found[6:] == plain
    first = found[:6]
    assert {one.stratum for one in first} == {Stratum.TELLING}
    assert {one.chance for one in first} == {0.0}
    taken = {(one.item.case_id, one.item.key) for one in plain}
    chosen = [(one.item.case_id, one.item.key) for one in first]
    assert not taken.intersection(chosen)
    assert len(set(chosen)) == len(chosen)
    assert {one.item.kind for one in first} == {ItemKind.PASSAGE}
    # The same passage again teaches less: the first chosen are others.
    assert len({one.item.passage_id for one in first[:3]}) > 1
    assert draw_items(cases, bare, replace(FEW, telling=2)) == found


def test_of_a_case_without_a_pool_nothing_is_drawn(record: dict[str, Any], bare: Corpus) -> None:
    empty = {**record, "passages": [], "pool": {**record["pool"], "nodes": [], "edges": []}}
    full = replace(FEW, telling=3, hops=2, sentences=2)
    assert draw_items([("empty", empty)], bare, full) == []
    found = draw_items([("empty", empty), ("one", record)], bare, full)
    assert {one.item.case_id for one in found} == {"one"}


def test_sentences_are_drawn_and_cases_without_any_are_counted(record: dict[str, Any], bare: Corpus) -> None:
    own = Drawing(Sampling(0, 0, 0, 0, 0, sentences=9))
    own.add("one", record, bare)
    assert own.unanswered == 0
    found = own.items()
    assert {one.item.kind for one in found} == {ItemKind.SENTENCE}
    assert found
    nodes = [*record["pool"]["nodes"], {**record["pool"]["nodes"][0], "id": "gone/art-1"}]
    own.add("two", {**record, "pool": {**record["pool"], "nodes": nodes}}, bare)
    assert own.unanswered == 1
    assert own.items() == found


def test_more_than_a_queue_holds_is_refused_before_all_is_read(
    record: dict[str, Any], bare: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MOST_ITEMS", 20)
    monkeypatch.setattr(drawing, "MOST_COMPARED", 3)
    read = []

    def cases() -> Any:
        for number in range(10_000):
            read.append(number)
            yield f"case {number}", record

    for sampling, told, most in (
        (Sampling(6, 0, 0, 0, 0), "more than 20 items", 4),
        (Sampling(3, 0, 0, 0, 0, telling=4), "more than 20 items", 3),
        (Sampling(0, 0, 0, 0, 0, telling=1), "at most 3 cases", 4),
    ):
        read.clear()
        with pytest.raises(InputError, match=told):
            draw_items(cases(), bare, sampling)
        assert len(read) == most


def test_how_it_was_drawn_is_read_from_queues_of_before_too() -> None:
    sampling = Sampling(1, 2, 3, 4, 5, 6, 7, 8, 2, ("Ann", "Ben"), 9)
    queue = Queue("q", "m", "", "Ann", "", queue_settings(sampling), 0, 0)
    assert parse_sampling(queue) == sampling
    before = queue_settings(replace(sampling, sentences=0, telling=0))
    for name in ("sentences", "telling"):
        del before["sampling"][name]
    assert parse_sampling(replace(queue, settings=before)) == replace(sampling, sentences=0, telling=0)
    for settings in ({}, {"sampling": 3}, {"sampling": {"best": 1}}):
        with pytest.raises(InputError, match="has no sampling settings"):
            parse_sampling(replace(queue, settings=settings))
