from __future__ import annotations

from collections import Counter

from engine.language.names import LetterCase
from tests.engine.language.weighed import by_counts


def case(text: str, *words: str) -> LetterCase:
    counts = Counter(("en", word) for word in text.split())
    return LetterCase((("en", word) for word in words), by_counts(counts))


def test_a_word_that_was_not_asked_for_at_first_is_asked_for_then() -> None:
    told = case("Pulse pulse pulse Vessel")
    assert told.is_ordinary("en", "Pulse")
    assert told.is_always_name("en", "Vessel")
    assert not told.is_small_too("en", "Vessel")
