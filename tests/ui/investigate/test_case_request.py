from __future__ import annotations

import json
from typing import Any

import pytest

from engine.errors import InputError, SettingsError
from engine.settings import InvestigationSettings
from ui.investigate.controls import shown
from ui.investigate.plan import LONGEST, CaseRequest, case_request


def sent(**values: Any) -> str:
    return json.dumps({"question": "who pays?", "held": shown(InvestigationSettings()), **values})


def test_what_the_page_sends_is_read_back() -> None:
    request = case_request(sent(corpus="Harbour", held={"rounds": 4, "must_include": "a, b\nc"}))
    assert (request.question, request.corpus) == ("who pays?", "Harbour")
    assert request.settings() == InvestigationSettings(rounds=4, must_include=("a, b", "c"))
    assert case_request(sent()).settings() == InvestigationSettings()


def test_half_a_value_is_named() -> None:
    with pytest.raises(SettingsError, match=r"^as_of: the value is incomplete"):
        case_request(sent(unfinished=["as_of"])).settings()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("[]", "valid dictionary"),
        ("x" * (LONGEST + 1), "too long"),
        (sent(question="x" * 4001), "question: "),
        (sent(edited="x" * 80_001), "edited: "),
        (sent(corpus="x" * 201), "corpus: "),
        (sent(held={"must_include": "x" * 10_001}), "held.must_include: "),
        (sent(held={"documents": ["x"] * 1001}), "held.documents: "),
        (sent(held={"documents": ["x" * 1001]}), "held.documents: "),
        (sent(held={str(number): 1 for number in range(201)}), "held: "),
        (sent(held={"rounds": {"a": 1}}), "held.rounds: "),
        (sent(other=1), "other: "),
    ],
)
def test_what_the_page_does_not_send_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        case_request(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_secret_names_are_not_told() -> None:
    assert "hidden" not in repr(CaseRequest(session="hidden", visitor="hidden"))
