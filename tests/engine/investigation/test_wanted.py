"""The kind of quantity that a question asks for."""

from __future__ import annotations

import pytest

from engine.investigation.evidence import KINDS, NONE, expected_kinds

TIME, MONEY = KINDS["time"], KINDS["money"]
QUESTIONS = [
    ("en", "When does the objection period end?", TIME),
    ("en", "How long must records be kept?", TIME),
    ("en", "What is the deadline for an appeal?", TIME),
    ("en", "How much is the fee?", MONEY),
    ("en", "Who may appeal?", NONE),
    ("en", "Whenever it rains, who pays?", NONE),
    ("de", "Bis wann ist Widerspruch einzulegen?", TIME),
    ("de", "Wie hoch ist die Geldbuße?", MONEY),
    ("id", "Berapa lama jangka waktu keberatan?", TIME),
    ("fr", "Dans quel délai faut-il former un recours ?", TIME),
    ("ar", "متى ينتهي ميعاد الاعتراض؟", TIME),
    ("zh", "何时?", TIME),
]


@pytest.mark.parametrize(("language", "question", "wanted"), QUESTIONS, ids=[row[1] for row in QUESTIONS])
def test_what_is_asked_for(language: str, question: str, wanted: frozenset[object]) -> None:
    assert expected_kinds(question, language) == wanted
