from __future__ import annotations

from typing import Any

import pytest

from engine.corpus.protocol import Corpus
from engine.model import Relation
from engine.records.compared_case import ComparedCase, Link


def passage(name: str, **other: Any) -> dict[str, Any]:
    shown = {"document": "code", "title": "Code", "label": "no. 2", "text": "as recorded", "assembled": []}
    return {"id": name, **shown, **other}


def hop(target: str, number: int, strategy: str) -> dict[str, Any]:
    return {"source": "p0", "target": target, "round": number, "strategy": strategy}


RECORD: dict[str, Any] = {
    "passages": [passage("p2"), passage("lost", title="", document="old-act", label="Article 9")],
    "pool": {
        "nodes": [
            {"id": "p2", "round": 1, "strategy": "citations"},
            {"id": "p3", "round": 2, "strategy": "structure"},
            {"id": "pooled", "round": 0, "strategy": "scan"},
        ],
        "edges": [
            hop("p2", 1, "structure"),
            hop("p2", 1, "citations"),
            hop("p2", 2, "citations"),
            hop("p3", 1, "citations"),
        ],
        "dismissed": ["p5"],
        "pinned": ["p4"],
        "explored": ["p2"],
    },
    "settings": {"strategies": ["citations", "structure"]},
    "usage": {},
    "rounds": [{"number": 1}, {"number": 3}, {"number": 2}],
}


def test_a_record_is_looked_up_by_passage() -> None:
    side = ComparedCase(RECORD)
    assert (set(side.strategies), side.last_round) == ({"citations", "structure"}, 3)
    assert ([*side.dismissed], [*side.pinned], [*side.explored]) == (["p5"], ["p4"], ["p2"])
    assert not side.asked_model
    assert ComparedCase({**RECORD, "rounds": [], "usage": {"plan": {}}}).last_round == 0
    assert ComparedCase({**RECORD, "usage": {"plan": {}}}).asked_model


def test_what_brought_a_passage_is_the_hop_that_admitted_it() -> None:
    side = ComparedCase(RECORD)
    assert side.bringing("p2") == [hop("p2", 1, "citations")]
    # None is of its round and strategy: then all that lead to it; none leads to what a scan found.
    assert side.bringing("p3") == [hop("p3", 1, "citations")]
    assert side.bringing("pooled") == ()


def test_what_is_known_without_the_corpus_and_with_it(toy: Corpus, subtests: pytest.Subtests) -> None:
    alone, opened = ComparedCase(RECORD), ComparedCase(RECORD, toy)
    for name, without, within in (
        ("p2", True, True),
        ("pooled", True, True),
        ("lost", True, True),
        ("p0", None, True),
        ("nowhere", None, False),
    ):
        with subtests.test(has=name):
            assert (alone.has(name), opened.has(name)) == (without, within)
    for name, document, label in (
        ("p2", ("code", "Code"), "Code, no. 2"),
        ("lost", ("old-act", "old-act"), "old-act, Article 9"),
        ("p5", ("rules", "Vessel Rules"), "Vessel Rules, no. 5"),
        ("nowhere", None, None),
    ):
        with subtests.test(named=name):
            assert (opened.document(name), opened.label(name)) == (document, label)
            shown = name in ("p2", "lost")
            assert (alone.document(name), alone.label(name)) == ((document, label) if shown else (None, None))
    assert (alone.has_document("rules"), opened.has_document("rules")) == (None, True)
    assert opened.has_document("old-act") is False


def test_the_words_are_those_of_the_record_if_it_shows_the_same_passages(toy: Corpus) -> None:
    alone, opened = ComparedCase(RECORD), ComparedCase(RECORD, toy)
    assert alone.words(passage("p2", text="otherwise")) == opened.words(passage("p2")) == "as recorded"
    joined = passage("p2", assembled=["p2", "p3"])
    assert alone.words(joined) is None
    # The passages in their order; three characters of p3 repeat the end of p2.
    assert opened.words(joined) == "Section 2 limits the powers.\ns are paid in advance."
    assert opened.words(passage("p0")) == "Purpose of the harbour code"
    assert opened.words(passage("p2", assembled=["p2", "nowhere"])) is None


def test_links_are_read_from_the_corpus(toy: Corpus) -> None:
    assert ComparedCase(RECORD).links("p1") is None
    opened = ComparedCase(RECORD, toy)
    limits = frozenset(Link("p1", target, Relation.EXCEPTION_TO) for target in ("p2", "p3"))
    assert opened.links("p1") == limits
    assert opened.links("p3") == opened.links("nowhere") == frozenset()
