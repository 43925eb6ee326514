from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.characters import pieces, right_to_left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("(5)", False),
        ("Article 5", False),
        ("المادة 22، الفقرة (5)", True),
        ("חוק החוזים", True),
    ],
)
def test_most_letters_decide(text: str, expected: bool) -> None:
    assert right_to_left(text) is expected


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        # The number of a paragraph belongs to the name before it; what is in Latin letters does not.
        ("المادة 22، الفقرة (5) (in force) limits المادة 3.", ["المادة 22، الفقرة (5)", "المادة 3"]),
        ("قانون (13 of 2011)", ["قانون"]),
        ("Article 5", []),
        ("“هل يجوز؟”, asked", ["هل يجوز؟"]),
    ],
)
def test_pieces_of_a_sentence(text: str, turned: list[str]) -> None:
    assert [piece for piece, is_turned in pieces(text) if is_turned] == turned


@given(st.text(max_size=80))
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(piece for piece, _ in pieces(text)) == text
