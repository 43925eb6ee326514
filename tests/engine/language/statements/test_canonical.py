"""One form for what is said in several ways."""

from __future__ import annotations

import pytest

from engine.language.statements import Sort, sequence
from tests.tables import table

SAME = table(__file__, "SAME")


def keys(text: str, language: str) -> set[tuple[Sort, str]]:
    return {(token.sort, token.key) for token in sequence(text, language)}


@pytest.mark.parametrize(("language", "one", "other"), SAME, ids=[row[1] for row in SAME])
def test_the_same_in_another_form(language: str, one: str, other: str) -> None:
    assert keys(one, language) == keys(other, language)
