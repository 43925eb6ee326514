from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.characters import hidden_marks
from tests.tables import table
from ui.investigate.passages import marked, matched_spans, question_terms


@pytest.mark.parametrize(
    ("language", "question", "text", "words"),
    table(__file__, "test_words_of_the_question_are_found"),
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
