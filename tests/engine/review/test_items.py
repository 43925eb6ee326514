"""What of a case can be judged: passages of its pool and hops of its trails, as the corpus has them."""

from __future__ import annotations

import copy
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.record import Answer, Citation, Method, Sentence, Support
from engine.corpus.protocol import Corpus
from engine.model import Span
from engine.review.case_verdicts import (
    _distances,
    answer_items,
    hop_items,
    mark_quotes,
    passage_items,
    sentence_items,
)
from engine.review.model import Item, ItemKind

PLACES = st.sampled_from("abcdefg")


@given(st.lists(st.tuples(st.none() | PLACES, PLACES), max_size=14))
def test_distances_are_those_of_shortest_paths(ends: list[tuple[str | None, str]]) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph([(source or "", target) for source, target in ends])
    graph.add_node("")
    expected = dict(nx.single_source_shortest_path_length(graph, ""))
    del expected[""]
    assert _distances([{"source": source, "target": target} for source, target in ends]) == expected


@pytest.fixture
def passages(record: dict[str, Any], bare: Corpus) -> list[Item]:
    return passage_items(record, "case", bare)


def test_all_of_the_pool_in_the_order_of_the_ranking(
    record: dict[str, Any], passages: list[Item], bare: Corpus
) -> None:
    nodes = [node["id"] for node in record["pool"]["nodes"]]
    ranked = [passage["id"] for passage in record["passages"]]
    told = [item.passage_id for item in passages]
    judged = {*told, *(key.removeprefix("passage:") for item in passages for key in item.copies)}
    assert judged == {*nodes, *ranked}
    order = [*ranked, *(one for one in nodes if one not in ranked)]
    assert told == [one for one in order if one in told]
    ranks = [item.rank for item in passages if item.rank is not None]
    assert ranks == sorted(ranks)
    for item in passages:
        own = bare.passages(bare.rows([item.passage_id]))[0]
        assert (item.kind, item.key) == (ItemKind.PASSAGE, f"passage:{own.id}")
        assert (item.text, item.document_id, item.language) == (own.text, own.document_id, own.language)


def test_each_knows_how_it_was_found(record: dict[str, Any], passages: list[Item]) -> None:
    nodes = {node["id"]: node for node in record["pool"]["nodes"]}
    edges = [(edge["source"] or "", edge["target"]) for edge in record["pool"]["edges"]]
    graph: nx.DiGraph[str] = nx.DiGraph(edges)
    for item in passages:
        assert item.strategy == nodes[item.passage_id]["strategy"]
        assert item.round == nodes[item.passage_id]["round"]
        assert item.distance == nx.shortest_path_length(graph, "", item.passage_id)
    assert max(item.distance for item in passages) > 1


def test_the_hops_of_the_trails_that_are_shown_and_no_others(record: dict[str, Any], bare: Corpus) -> None:
    shown = {
        (hop["source"], hop["relation"], hop["target"])
        for passage in record["passages"]
        for trail in passage["trails"]
        for hop in trail
        if hop["source"] is not None
    }
    every = {(edge["source"], edge["relation"], edge["target"]) for edge in record["pool"]["edges"]}
    found = hop_items(record, "case", bare)
    assert shown
    assert shown < every
    assert {(item.source_id, item.relation, item.passage_id) for item in found} == shown
    assert len(found) == len(shown) == len({item.key for item in found})
    for item in found:
        source, target = bare.passages(bare.rows([item.source_id, item.passage_id]))
        assert (item.source_text, item.text) == (source.text, target.text)
        assert item.kind is ItemKind.HOP
    # What both share is told: as the one writes it, or by the name that it has.
    shared = [item for item in found if item.strategy == "entities"]
    assert shared
    assert all(item.quote or ": " in item.detail for item in shared)
    assert [item.rank for item in found] == sorted(item.rank or 0 for item in found)


def test_what_the_corpus_has_no_more_is_left_out(
    record: dict[str, Any], passages: list[Item], bare: Corpus
) -> None:
    hops = hop_items(record, "case", bare)
    gone = hops[0].passage_id
    changed = _renamed(record, gone, "gone/art-1")
    left = passage_items(changed, "case", bare)
    assert [item.passage_id for item in left] == [
        item.passage_id for item in passages if item.passage_id != gone
    ]
    assert {item.key for item in hop_items(changed, "case", bare)} == {
        item.key for item in hops if gone not in (item.passage_id, item.source_id)
    }


def _renamed(record: dict[str, Any], name: str, new: str) -> dict[str, Any]:
    """The record as it would be had a passage another id."""

    def other(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: other(one) for key, one in value.items()}
        if isinstance(value, list):
            return [other(one) for one in value]
        return new if value == name else value

    found: dict[str, Any] = other(copy.deepcopy(record))
    return found


def test_the_same_words_are_judged_once(
    record: dict[str, Any], passages: list[Item], bare: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_, last = [item.passage_id for item in passages if len(item.text) > 40 and not item.copies]
    same = {first: (first, last), last: (first, last)}
    monkeypatch.setattr("engine.review.case_verdicts.group_identical", lambda _: same)
    found = {item.passage_id: item for item in passage_items(record, "case", bare)}
    assert last not in found
    assert found[first].copies == (f"passage:{last}",)
    assert not any(item.copies for item in found.values() if item.passage_id != first)


def test_sentences_of_the_answer_with_what_they_rest_on(
    record: dict[str, Any], bare: Corpus, passages: list[Item]
) -> None:
    found = answer_items(record, "case", bare)
    assert found
    nodes = {node["id"]: node for node in record["pool"]["nodes"]}
    for item in found:
        (own,) = bare.passages(bare.rows([item.passage_id]))
        assert (item.kind, item.document_id, item.source_label) == (
            ItemKind.SENTENCE,
            own.document_id,
            item.label,
        )
        # The source's own words, marked where they stand.
        pieces = mark_quotes(item.source_text, *item.quote.split("\n"))
        assert "".join(piece for piece, _ in pieces) == item.source_text == own.text
        assert " ".join(" ".join(piece for piece, is_quote in pieces if is_quote).split()) == item.text
        if own.id in nodes:
            assert (item.strategy, item.round) == (nodes[own.id]["strategy"], nodes[own.id]["round"])
    assert len({item.key for item in found}) == len(found)


def test_no_answer_is_given_again_of_what_the_corpus_has_no_more(
    record: dict[str, Any], bare: Corpus
) -> None:
    gone = answer_items(record, "case", bare)[0].passage_id
    assert answer_items(_renamed(record, gone, "gone/art-1"), "case", bare) == []


def test_a_sentence_of_several_passages_or_of_none(
    record: dict[str, Any], bare: Corpus, passages: list[Item]
) -> None:
    first, second = passages[:2]
    texts = {item.passage_id: item.text for item in (first, second)}
    places = tuple((one, Span(0, len(text) // 2)) for one, text in texts.items())
    cited = [
        Citation(1, 1, first.passage_id, "", places, "", ""),
        Citation(2, None, "gone/art-1", "", (("gone/art-1", Span(0, 3)),), "", ""),
    ]
    said = [("Both say so.", (1,)), ("Nothing says this.", ()), ("It was.", (2,)), ("Both say so.", (1,))]
    sentences = tuple(Sentence(text, numbers, Support.NONE, language="en") for text, numbers in said)
    made = Answer("Who?", "en", Method.MODEL, sentences, tuple(cited))
    both, none, was = sentence_items(made, record, "case", bare)
    assert (both.text, both.passage_id) == ("Both say so.", second.passage_id)
    assert both.source_text == f"{first.text}\n\n{second.text}"
    assert both.source_label == f"{first.label}; {second.label}"
    marked = [piece for piece, is_quote in mark_quotes(both.source_text, *both.quote.split("\n")) if is_quote]
    assert marked == [text[: len(text) // 2].strip() for text in texts.values()]
    for item in (none, was):
        assert (item.passage_id, item.source_text, item.quote, item.language) == ("", "", "", "en")


@pytest.mark.parametrize(
    ("text", "quotes", "marked"),
    [
        ("a b a b", ["a b"], ["a b"]),
        ("a b a b", ["b", "b"], ["b", "b"]),
        ("one  two\nthree", ["two three"], ["two\nthree"]),
        ("b a", ["a", "b"], ["a"]),
        ("a.c abc", ["a.c"], ["a.c"]),
        ("abc", [""], []),
        ("", ["a"], []),
    ],
)
def test_quotes_are_marked_in_their_order_however_they_are_spaced(
    text: str, quotes: list[str], marked: list[str]
) -> None:
    pieces = mark_quotes(text, *quotes)
    assert [piece for piece, is_quote in pieces if is_quote] == marked
    assert "".join(piece for piece, _ in pieces) == text
