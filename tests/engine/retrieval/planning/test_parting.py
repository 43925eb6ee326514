"""A question that asks several things is taken apart, and no word of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.language.analysis import analyzer
from engine.retrieval.planning.parting import MOST_PARTS, parts, split_background
from engine.retrieval.planning.words import words_of


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Who published the Mooring Order and what does it supersede?",
            ["Who published the Mooring Order", "what does it (the Mooring Order) supersede?"],
        ),
        (
            "What is the penalty for late filing, and who may waive it?",
            ["What is the penalty for late filing", "who may waive it (the penalty for late filing)?"],
        ),
        (
            "What are the conditions for a pilot exemption and how long is it valid?",
            ["What are the conditions for a pilot exemption", "how long is it (a pilot exemption) valid?"],
        ),
        (
            "How do a lease and a licence differ, and which of them ends at death?",
            ["How do a lease and a licence differ", "which of them (a lease / a licence) ends at death?"],
        ),
        (
            "If the agent dies, who takes over the goods and when must the principal be told?",
            [
                "If the agent dies, who takes over the goods",
                "If the agent dies, when must the principal be told?",
            ],
        ),
        (
            "Our agent signed too much. Are we bound, and until when must we answer?",
            [
                "Our agent signed too much. Are we bound",
                "Our agent signed too much. Until when must we answer?",
            ],
        ),
        (
            "What are the requirements for a licence, and what exceptions apply?",
            [
                "What are the requirements for a licence",
                "what exceptions (the requirements for a licence) apply?",
            ],
        ),
        (
            "If the licence lapses, who decides on it, and what consequences follow?",
            ["If the licence lapses, who decides on it", "If the licence lapses, what consequences follow?"],
        ),
        (
            "What is a Relevant Person, and what is a Fund Manager?",
            ["What is a Relevant Person", "what is a Fund Manager?"],
        ),
    ],
)
def test_each_part_can_be_understood_alone(question: str, expected: list[str]) -> None:
    assert parts(question, "en") == expected


@pytest.mark.parametrize(
    ("language", "question", "later"),
    [
        (
            "de",
            "Was sind die Voraussetzungen für eine Lotsbefreiung und wie lange ist sie gültig?",
            "wie lange ist sie (eine Lotsbefreiung) gültig?",
        ),
        (
            "de",
            "Wer hat die Hafenordnung erlassen und was ersetzt sie?",
            "was ersetzt sie (die Hafenordnung)?",
        ),
        (
            "fr",
            "Quelle est la sanction en cas de retard et qui peut la lever ?",
            "qui peut la lever (la sanction en cas de retard) ?",
        ),
        (
            "fr",
            "Qui a publié l'arrêté d'amarrage et que remplace-t-il ?",
            "que remplace-t-il (l'arrêté d'amarrage) ?",
        ),
        (
            "id",
            "Apa syarat pengecualian pandu dan berapa lama masa berlakunya?",
            "berapa lama masa berlakunya (pengecualian pandu)?",
        ),
        ("ar", "ما شروط الإعفاء من الإرشاد وكم مدته؟", "كم مدته (الإعفاء من الإرشاد)؟"),
        ("ar", "ما الفرق بين الوكيل والسمسار وأيهما يخضع للقيد؟", "أيهما (الوكيل / السمسار) يخضع للقيد؟"),
        ("zh", "谁发布了港口条例，它取代了什么？", "它（港口条例）取代了什么？"),
        ("zh", "引航豁免的条件是什么，有效期多长？", "有效期多长（引航豁免）？"),
    ],
)
def test_pronouns_of_other_languages(language: str, question: str, later: str) -> None:
    found = parts(question, language)
    assert len(found) == 2
    assert found[1] == later


@pytest.mark.parametrize(
    ("language", "question"),
    [
        # What a pronoun stands for is open.
        ("en", "When may the master withdraw a berth, and how long does an objection suspend it?"),
        (
            "en",
            "Can the Regulator decide that a token is a Security, and how does this relate to its review?",
        ),
        ("en", "Who may end the contract, and how is that done by the heirs?"),
        ("en", "How does the Regulator define a low-risk customer, and what are the key differences?"),
        # A clause, and no question of its own.
        ("en", "Which firms are there which hold client money and which lend it to others?"),
        ("en", "Can an entity that operates a platform and is seeking recognition apply?"),
        ("en", "When was the singer born who is known for her voice and who made three records?"),
        ("en", "What must a firm report when it opens a branch and when it closes one?"),
        ("de", "Wer ist zuständig und kann Auskunft geben?"),
        ("zh", "航空公司超售机票导致旅客无法按时登机的，是否承担相应责任？"),
        # A question word alone, or one too short.
        ("en", "How and when must the register be corrected?"),
        ("en", "In what circumstances and to what extent must the register be corrected?"),
        ("en", "What does the Registrar use to determine when and which branches must be heard?"),
        ("en", "May the berth be withdrawn by the harbour master, and why?"),
        # One thing is asked of what is told.
        ("en", "The master holds a certificate. Must the vessel still take a pilot?"),
        # Points that end no sentence, and marks of titles.
        ("en", "Which film is older, What Will You Do? or School On Fire?"),
        ("en", "Does the Order (who may moor, and who must pay the dues of the port?) apply?"),
        ("en", ""),
    ],
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
