from __future__ import annotations

import pytest

from engine.language.entity_words import EntityWords, entity_words


@pytest.mark.parametrize("language", ["en", "de", "fr", "id", "es", "it", "nl", "pt", "ar", "zh"])
def test_each_language_knows_how_a_role_is_given(language: str) -> None:
    words = entity_words(language)
    assert words.leads
    assert all(word == word.strip() for part in (words.leads, words.articles, words.tails) for word in part)
    # They are compared with words in small letters.
    assert all(word == word.casefold() for word in words.documents | words.labels)


def test_regions_share_their_language_and_others_have_none() -> None:
    assert entity_words("en-GB") is entity_words("en")
    assert entity_words("xx") == EntityWords()
