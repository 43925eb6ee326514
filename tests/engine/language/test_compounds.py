"""Names and nouns that are put together from others."""

from __future__ import annotations

import pytest

from engine.language.compounds import compounds_in, is_composed
from tests.engine.language.weighed import by_counts

WRITTEN = {("de", word): 3 for word in ("Anfechtung", "Klage", "Abfall", "Schrift")}


@pytest.mark.parametrize(
    ("word", "is_compound"),
    [("Anfechtungsklage", True), ("Klagschrift", True), ("Voraussetzungen", False), ("Abfallart", False)],
)
def test_a_compound_is_of_two_nouns_of_the_corpus(word: str, is_compound: bool) -> None:
    assert compounds_in([("de", word)], by_counts(WRITTEN)) == [is_compound]


@pytest.mark.parametrize(
    ("name", "joints", "composed"),
    [
        ("authoris person and recognis bodi", 0, True),
        ("govern bodi of the fund manag", 0, True),
        ("govern bodi fund manag", 0, False),
        ("govern bodi of south harbour", 0, False),
        ("of the and", 0, False),
    ],
)
def test_a_name_that_only_joins_terms_is_composed(name: str, joints: int, composed: bool) -> None:
    terms = {("authoris", "person"), ("recognis", "bodi"), ("govern", "bodi"), ("fund", "manag")}
    assert is_composed(tuple(name.split()), terms.__contains__, {"of", "the", "and"}, joints) is composed
