from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.pdf.paragraphs import Vocabulary
from tests.tables import table

KNOWN = Vocabulary()
KNOWN.learn(
    [
        "the obligation of the authority is a safety-related one",
        "of the safety and of all related matters it may be said",
        "a public authority",
    ]
)


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    table(__file__, "test_lines_are_joined"),
)
def test_lines_are_joined(first: str, second: str, joined: str) -> None:
    assert KNOWN.join(first, second) == joined


@given(st.lists(st.text("abcDE -–/'12", max_size=12), max_size=8))
def test_nothing_is_lost_but_white_space_and_hyphens(lines: list[str]) -> None:
    vocabulary = Vocabulary()
    vocabulary.learn(lines)
    text = ""
    for line in lines:
        text = vocabulary.join(text, line)

    def kept(some: str) -> str:
        return "".join(letter for letter in some if letter not in " -")

    assert kept(text) == kept("".join(lines))
