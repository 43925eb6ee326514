"""Forms of one word have one key; two parties never have."""

from __future__ import annotations

import pytest

from engine.language.statements.lexicon import lexemes

# A stemmer has one stem for both of each.
TWO = [
    ("en", "employer", "employed"),
    ("en", "controller", "control"),
    ("de", "Mieter", "Miete"),
    ("de", "Besitzer", "Besitz"),
    ("fr", "expropriant", "exproprié"),
    ("fr", "mandant", "mandataire"),
    ("es", "demandante", "demandado"),
    ("es", "arrendador", "arrendatario"),
]


@pytest.mark.parametrize(("language", "one", "other"), TWO)
def test_two_parties(language: str, one: str, other: str) -> None:
    assert {x.meaning for x in lexemes(one, language)}.isdisjoint(x.meaning for x in lexemes(other, language))


def test_a_function_word_has_no_key() -> None:
    assert lexemes("the", "en") == ()
