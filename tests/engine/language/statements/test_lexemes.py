"""Forms of one word have one key; two parties never have."""

from __future__ import annotations

import pytest

from engine.language.statements.lexemes import lexemes

ONE = [
    ("en", "held", "hold"),
    ("en", "payment", "pays"),
    ("en", "withdrawn", "withdrawal"),
    ("de", "bestraft", "bestrafen"),
    ("de", "gekündigt", "Kündigung"),
    ("de", "Erteilung", "erteilt"),
    ("de", "anzuwenden", "anwenden"),
    ("fr", "reçoive", "recevoir"),
    ("fr", "notifie", "notification"),
    ("es", "notificará", "notificación"),
]
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


@pytest.mark.parametrize(("language", "one", "other"), ONE)
def test_forms_of_one_word(language: str, one: str, other: str) -> None:
    assert [lexeme.own for lexeme in lexemes(one, language)] == [
        lexeme.own for lexeme in lexemes(other, language)
    ]


@pytest.mark.parametrize(("language", "one", "other"), TWO)
def test_two_parties(language: str, one: str, other: str) -> None:
    assert {x.meaning for x in lexemes(one, language)}.isdisjoint(x.meaning for x in lexemes(other, language))


def test_a_function_word_has_no_key() -> None:
    assert lexemes("the", "en") == ()
