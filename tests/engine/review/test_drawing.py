"""A queue drawn from cases: what teaches most stands first, of all cases together, and all has an end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.review import sampling as drawing
from engine.review.model import Item, ItemKind
from engine.review.queues import Queue, QueuedItem
from engine.review.sampling import Drawing, Sampling, Stratum, draw_items, parse_sampling, queue_settings

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
