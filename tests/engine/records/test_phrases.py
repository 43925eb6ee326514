from __future__ import annotations

from dataclasses import replace

import pytest

from engine.model import Completeness, Direction, GapQuery, Hop, Relation, Stop, StopReason
from engine.records.phrases import (
    STOP_WORDS,
    completeness_words,
    hop_quote,
    hop_words,
    ordinal,
    stop_words,
    trail_sentence,
)

LONG = "powers of an agent that nobody entered in the register and that bind the principal towards all others"
NAMES = {"a": "COBS 3.4.2", "b": "Art. 12"}
SCAN = Hop("a", None, "scan", Relation.MATCHES, Direction.OUT, 0, 0.9, rank=3)
CITED = Hop(
    "b", "a", "citations", Relation.CITES, Direction.OUT, 1, 0.8, "in accordance with Rule 6.2.1", "a"
)


def _name(passage_id: str) -> str:
    return NAMES.get(passage_id, passage_id)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (112, "112th"),
    ],
)
def test_ordinals(number: int, words: str) -> None:
    assert ordinal(number) == words


@pytest.mark.parametrize(
    ("trail", "sentence"),
    [
        ((), ""),
        ((SCAN,), "The scan ranked it 3rd."),
        ((SCAN, CITED), "Cited by COBS 3.4.2 (“in accordance with Rule 6.2.1”), which the scan ranked 3rd."),
        (
            (SCAN, CITED, Hop("c", "b", "citations", Relation.AMENDS, Direction.IN, 2, 0.5)),
            "Amends Art. 12, which is cited by COBS 3.4.2 (“in accordance with Rule 6.2.1”), "
            "which the scan ranked 3rd.",
        ),
        (
            (replace(SCAN, strategy="gaps", quote="entry in the register"),),
            "Found by a query for what is missing: “entry in the register”.",
        ),
        (
            (
                replace(SCAN, strategy="gaps", quote=LONG, query=GapQuery(LONG, "agency", "Agency")),
                replace(CITED, source_id=SCAN.target_id),
            ),
            f"Cited by COBS 3.4.2 (“in accordance with Rule 6.2.1”), which was found by a query for the area "
            f"Agency: “{LONG}”.",
        ),
        ((replace(SCAN, relation=Relation.CITES),), "The question names it."),
        ((replace(SCAN, strategy="person", rank=None),), "The person found it."),
    ],
)
def test_trails_in_one_sentence(trail: tuple[Hop, ...], sentence: str) -> None:
    assert trail_sentence(trail, _name) == sentence


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("direction", list(Direction))
def test_every_relation_has_words_both_ways(relation: Relation, direction: Direction) -> None:
    words = hop_words(replace(CITED, relation=relation, direction=direction), _name)
    assert "COBS 3.4.2" in words
    assert "{" not in words


@pytest.mark.parametrize(
    ("relation", "out", "back"),
    [
        (Relation.CITES, "cited by COBS 3.4.2", "cites COBS 3.4.2"),
        (Relation.DEFINES, "defines a term used in COBS 3.4.2", "uses a term that COBS 3.4.2 defines"),
        (Relation.BASED_ON, "the basis of COBS 3.4.2", "based on COBS 3.4.2"),
    ],
)
def test_the_direction_turns_the_words(relation: Relation, out: str, back: str) -> None:
    assert hop_words(replace(CITED, relation=relation), _name) == out
    assert hop_words(replace(CITED, relation=relation, direction=Direction.IN), _name) == back


@pytest.mark.parametrize(
    ("hop", "words"),
    [
        (SCAN, "scan, 3rd"),
        (replace(SCAN, rank=None), "scan"),
        (replace(SCAN, relation=Relation.CITES), "named in the question"),
        (replace(SCAN, relation=Relation.DEFINES), "defines a term of the question"),
        (replace(SCAN, relation=Relation.APPLIES_TO, detail="for ferries"), "for ferries"),
    ],
)
def test_a_hop_from_the_question_says_what_brought_it(hop: Hop, words: str) -> None:
    assert hop_words(hop, _name) == words


def test_a_way_into_another_language_is_named() -> None:
    detail = "across languages: from the German text into the English one"
    words = hop_words(replace(CITED, detail=detail), _name)
    assert words == f"cited by COBS 3.4.2, {detail}"


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("", ""),
        ("subject to\n Article 14", "“subject to Article 14”"),
        ("word " * 40, "“" + ("word " * 18).strip() + "…”"),
    ],
)
def test_quotes_are_cut_at_a_word(quote: str, words: str) -> None:
    assert hop_quote(replace(CITED, quote=quote)) == words


def test_every_stop_has_words() -> None:
    assert set(STOP_WORDS) == set(StopReason)
    assert stop_words(Stop(StopReason.COVERAGE)) == "Finished: coverage reached"
    assert stop_words(Stop(StopReason.TIME)) == "Stopped: time used up"
    assert stop_words(Stop(StopReason.PERSON)) == "Cancelled"
    joined = Stop(StopReason.CONDITION, {"rounds": 1, "passages": 41}, None, "rounds >= 1 and passages >= 30")
    assert stop_words(joined).endswith("rounds >= 1 and passages >= 30 (rounds 1, passages 41)")


def test_the_estimate_of_completeness() -> None:
    assert completeness_words(Stop(StopReason.ROUNDS)) == "completeness unknown"
    stop = Stop(StopReason.ROUNDS, completeness=Completeness(0.931, 0.88, 0.974))
    assert completeness_words(stop) == "estimated 93% of relevant passages found (88 to 97%)"
