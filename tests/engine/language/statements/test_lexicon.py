from __future__ import annotations

import pytest

from engine import languages
from engine.language.statements.lexicon import CUES, FALLBACK, FILE, lexicon, units


def test_a_region_is_its_language_and_an_unknown_language_is_read_as_english() -> None:
    assert lexicon("de-CH") is lexicon("de")
    assert lexicon("xx") is lexicon(FALLBACK)


def test_every_language_has_what_statements_need(subtests: pytest.Subtests) -> None:
    for path in languages.files(FILE):
        with subtests.test(path.parent.name):
            words = lexicon(path.parent.name)
            assert words.language == path.parent.name
            assert words.cues.keys() == set(CUES)
            assert all(
                words.cues[name].pattern != "(?!)" for name in ("not", "only", "except", "condition", "all")
            )
            assert {group.split("__")[0] for group in words.modal.groupindex} == {
                "must_not",
                "need_not",
                "must",
                "may",
            }
            assert {group.split("__")[0] for group in words.bound.groupindex} == {
                "upper",
                "lower",
                "over",
                "under",
            }
            assert words.parted <= words.modal.groupindex.keys()
            assert {pair for places in words.sides.values() for pair in places}
            # The two sides of a pair have no word in common.
            assert all(
                len({side for _, side in places}) == 1 for places in words.sides.values() if len(places) == 1
            )
            assert words.meanings


def test_words_of_one_meaning_and_opposites_are_found_by_their_stems() -> None:
    words = lexicon("en")
    (pair, side), *_ = words.sides["valid"]
    assert (pair, 1 - side) in words.sides["invalid"]
    assert [value for pattern, value in words.fractions if pattern.fullmatch("three-quarters")] == [0.75]
    assert words.scale.fullmatch("Million") is not None
    assert words.scales["million"] == 1e6
    assert lexicon("ar").cardinals["خمسون"] == 50
    assert lexicon("ar").ones["شهرين"] == (2.0, "month")


def test_units_of_time_and_money_are_those_of_all_languages() -> None:
    made = units()
    assert (made.bases["week"], made.bases["year"]) == ((7.0, "day"), (12.0, "month"))
    for printed, code in (("$", "USD"), ("€", "EUR"), ("Euros", "EUR"), ("Rp", "IDR"), ("crowns", "crown")):
        assert made.currency.fullmatch(printed) is not None
        assert [name for pattern, name in made.currency_of if pattern.fullmatch(printed)] == [code]
    assert all(made.percent.fullmatch(printed) for printed in ("%", "per cent"))
