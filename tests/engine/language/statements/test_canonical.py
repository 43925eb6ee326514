"""One form for what is said in several ways."""

from __future__ import annotations

import pytest

from engine.language.statements import Sort, sequence

SAME = [
    ("en", "The fee may not exceed 10 crowns.", "The fee must be at most 10 crowns."),
    ("en", "The share is 10 % or more.", "The share is at least 10 %."),
    ("en", "It may act only if permitted.", "It may not act unless permitted."),
    (
        "de",
        "Die Frist darf acht Stunden nicht überschreiten.",
        "Die Frist darf höchstens acht Stunden betragen.",
    ),
    (
        "de",
        "Der Eigentümer ist berechtigt, die Sache zu verlangen.",
        "Der Eigentümer kann die Sache verlangen.",
    ),
    ("de", "Verwandte sind verpflichtet, Unterhalt zu gewähren.", "Verwandte müssen Unterhalt gewähren."),
    ("fr", "Le recours ne peut être formé que par écrit.", "Le recours peut seulement être formé par écrit."),
]


def keys(text: str, language: str) -> set[tuple[Sort, str]]:
    return {(token.sort, token.key) for token in sequence(text, language)}


@pytest.mark.parametrize(("language", "one", "other"), SAME, ids=[row[1] for row in SAME])
def test_the_same_in_another_form(language: str, one: str, other: str) -> None:
    assert keys(one, language) == keys(other, language)
