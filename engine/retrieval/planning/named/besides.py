"""What a question asks besides what it names."""

from __future__ import annotations

from collections.abc import Iterable

from engine import languages
from engine.language.analysis import analyzer

# A number alone is all that a question asks for where it has no more other words than this.
FEW_WORDS = 2
# The same in letters, for languages that write no blanks.
FEW_LETTERS = 8


def asks_for_nothing_else(text: str, language: str, words: Iterable[str]) -> bool:
    """Whether a question asks for what it names in these ``words`` and for nothing besides."""
    return asked_besides(text, language, words) == 0


def asked_besides(text: str, language: str, words: Iterable[str]) -> int:
    """How much a question asks besides what it names in these ``words``: the number of its other words, 0
    where they are so few that they only ask for it."""
    for one in words:
        text = text.replace(one, " ")
    if languages.words(language).without_blanks:
        # Two letters are a word, about.
        letters = sum(letter.isalpha() for letter in text)
        return 0 if letters <= FEW_LETTERS else letters // 2
    terms = len(set(analyzer(language).terms(text)))
    return 0 if terms <= FEW_WORDS else terms
