"""A question that asks several things is taken apart, and no word of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.language.analysis import analyzer
from engine.retrieval.planning.parting import MOST_PARTS, parts, split_background
from engine.retrieval.planning.words import words_of
from tests.tables import table


@pytest.mark.parametrize(
    ("question", "expected"),
    table(__file__, "test_each_part_can_be_understood_alone"),
)
def test_each_part_can_be_understood_alone(question: str, expected: list[str]) -> None:
    assert parts(question, "en") == expected


@pytest.mark.parametrize(
    ("language", "question", "later"),
    table(__file__, "test_pronouns_of_other_languages"),
)
def test_pronouns_of_other_languages(language: str, question: str, later: str) -> None:
    found = parts(question, language)
    assert len(found) == 2
    assert found[1] == later


@pytest.mark.parametrize(
    ("language", "question"),
    table(__file__, "test_what_asks_one_thing_or_is_unsure_stays_whole"),
)
def test_what_asks_one_thing_or_is_unsure_stays_whole(language: str, question: str) -> None:
    assert parts(question, language) == []


def test_more_parts_than_five_stay_with_the_last() -> None:
    asked = [f"Who allocates berth number {n} of the northern harbour?" for n in "ABCDEFG"]
    found = parts(" ".join(asked), "en")
    assert found == [*asked[:4], " ".join(asked[4:])]


def test_what_is_told_and_what_is_asked() -> None:
    question = "The master holds a certificate. Must the vessel still take a pilot?"
    assert split_background(question, "en") == tuple(re.split(r"(?<=\.) ", question))
    assert split_background("Must the vessel take a pilot?", "en") is None
    assert split_background("The master holds a certificate.", "en") is None


def lost(question: str, found: list[str], language: str) -> set[str]:
    border = words_of(language).border
    joints = " ".join(match[0] for match in border.finditer(question)) if border else ""
    terms = analyzer(language).terms
    return set(terms(question)) - set(terms(" ".join(found))) - set(terms(joints))


WORDS = """who what when how which and , ? . ; is does may must the a of for it they this berth pilot Act
waive supersede exemption Order penalty “ ” ( ) if so as well compare differ"""
ENGLISH = st.sampled_from(WORDS.split())
QUESTIONS = st.lists(ENGLISH, max_size=40).map(" ".join) | st.text(max_size=200)


@given(QUESTIONS)
@example("Who published the Mooring Order and what does it supersede? When the port closes, nobody is told.")
def test_no_word_is_lost_and_a_part_is_not_taken_apart_again(question: str) -> None:
    found = parts(question, "en")
    assert len(found) <= MOST_PARTS
    assert len(found) != 1
    if found:
        assert not lost(question, found, "en")
