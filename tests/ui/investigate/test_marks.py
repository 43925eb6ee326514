from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.characters import hidden_marks
from ui.investigate.passages import marked, matched_spans, question_terms


@pytest.mark.parametrize(
    ("language", "question", "text", "words"),
    [
        (
            "en",
            "Which powers may a manager grant?",
            "A managers' power is granted by law.",
            ["managers", "power", "granted"],
        ),
        ("en", "What is the deadline?", "It is the end.", []),
        ("en", "Rule 4.3.2", "see 4 and five", ["4"]),
        (
            "de",
            "Wann endet die Einspruchsfrist?",
            "Die Einspruchsfristen enden.",
            ["Einspruchsfristen", "enden"],
        ),
        ("ar", "هل يجوز للوكيل أن يوكل غيره؟", "لا يَجُوزُ ذلك للوكيل", ["يَجُوزُ", "للوكيل"]),
        ("zh", "代理权限", "经理的代理权消灭", ["代理权"]),
        ("en", "", "anything", []),
    ],
)
def test_words_of_the_question_are_found(language: str, question: str, text: str, words: list[str]) -> None:
    spans = matched_spans(text, language, question_terms(question, language))
    assert [text[span.start : span.end] for span in spans] == words


@given(st.text(max_size=80).filter(lambda text: not hidden_marks(text)), st.text(max_size=40))
def test_marking_changes_no_character(text: str, question: str) -> None:
    from html import unescape

    plain = marked(text, "en", question).replace("<mark>", "").replace("</mark>", "")
    assert "<" not in plain
    assert unescape(plain) == unescape(text.replace("&", "&amp;"))
