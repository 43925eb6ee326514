from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.quotes import matched_spans, question_terms
from tests.tables import table
from ui.investigate.passages import pieces_of


@pytest.mark.parametrize(
    ("language", "question", "text", "words"),
    table(__file__, "test_words_of_the_question_are_found"),
)
def test_words_of_the_question_are_found(language: str, question: str, text: str, words: list[str]) -> None:
    spans = matched_spans(text, language, question_terms(question, language))
    assert [text[span.start : span.end] for span in spans] == words


@given(st.text(max_size=80), st.text(max_size=40))
def test_marking_changes_no_character(text: str, question: str) -> None:
    assert "".join(piece for piece, _ in pieces_of(text, "en", question)) == text
