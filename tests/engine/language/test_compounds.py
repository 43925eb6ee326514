"""Names and nouns that are put together from others."""

from __future__ import annotations

import pytest

from engine.language.clustering import compounds_in
from tests.engine.language.weighed import by_counts

WRITTEN = {("de", word): 3 for word in ("Anfechtung", "Klage", "Abfall", "Schrift")}


@pytest.mark.parametrize(
    ("word", "is_compound"),
    [("Anfechtungsklage", True), ("Klagschrift", True), ("Voraussetzungen", False), ("Abfallart", False)],
)
def test_a_compound_is_of_two_nouns_of_the_corpus(word: str, is_compound: bool) -> None:
    assert compounds_in([("de", word)], by_counts(WRITTEN)) == [is_compound]
