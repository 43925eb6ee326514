"""A passage as safe HTML, the words that the question asked for marked."""

from __future__ import annotations

from engine.language.characters import escape
from engine.language.quotes import matched_spans, question_terms

__all__ = ["marked", "matched_spans", "question_terms"]


def marked(text: str, language: str, question: str) -> str:
    """The text HTML-escaped, the words of the question inside ``<mark>``."""
    pieces: list[str] = []
    position = 0
    for span in matched_spans(text, language, question_terms(question, language)):
        pieces += (escape(text[position : span.start]), f"<mark>{escape(text[span.start : span.end])}</mark>")
        position = span.end
    pieces.append(escape(text[position:]))
    return "".join(pieces)
