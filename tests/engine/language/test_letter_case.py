from __future__ import annotations

from collections import Counter

from engine.language.letter_case import LetterCase
from tests.engine.language.weighed import by_counts


def case(text: str, *words: str) -> LetterCase:
    counts = Counter(("en", word) for word in text.split())
    return LetterCase((("en", word) for word in words), by_counts(counts))


def test_capitals_and_small_letters_are_told_apart() -> None:
    told = case("Pulse PULSE pulse Pulse", "Pulse")
    assert told.is_small_too("en", "Pulse")
    assert told.is_always_name("en", "Pulse")
    told = case("Pulse pulse", "Pulse")
    assert not told.is_ordinary("en", "Pulse")
    assert not told.is_always_name("en", "Pulse")


def test_a_word_that_was_not_asked_for_at_first_is_asked_for_then() -> None:
    told = case("Pulse pulse pulse Vessel")
    assert told.is_ordinary("en", "Pulse")
    assert told.is_always_name("en", "Vessel")
    assert not told.is_small_too("en", "Vessel")


def test_an_ordinary_word_is_mostly_in_small_letters() -> None:
    told = case("Farewell farewell farewell McDonald McDonald", "Farewell", "McDonald")
    assert told.is_ordinary("en", "Farewell")
    assert not told.is_ordinary("en", "McDonald")
    assert told.is_always_name("en", "McDonald")


def test_a_script_without_capitals_has_no_names_of_one_word() -> None:
    assert case("نظام", "نظام").is_ordinary("en", "نظام")


def test_a_word_nobody_writes_is_no_name_and_no_ordinary_word() -> None:
    told = case("", "Nobody")
    assert not told.is_ordinary("en", "Nobody")
    assert told.is_always_name("en", "Nobody")
