from __future__ import annotations

import pytest

from engine.language.entity_words import entity_words


@pytest.mark.parametrize("language", ["en", "de", "fr", "id", "es", "it", "nl", "pt", "ar", "zh"])
def test_each_language_knows_how_a_role_is_given(language: str) -> None:
    words = entity_words(language)
    assert words.leads
    assert all(word == word.strip() for part in (words.leads, words.articles, words.tails) for word in part)
    # They are compared with words in small letters.
    assert all(word == word.casefold() for word in words.documents | words.labels)
