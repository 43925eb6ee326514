from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.pdf.paragraphs import Vocabulary

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
    [
        ("the author-", "ity may", "the authority may"),
        ("consectetuer adip-", "iscing elit", "consectetuer adipiscing elit"),
        # a hyphen of the word's own
        ("a safety-", "related matter", "a safety-related matter"),
        ("Soekarno-", "Hatta", "Soekarno-Hatta"),
        # a word said twice, and one built on it
        ("segala hak-", "hak kewargaan", "segala hak-hak kewargaan"),
        ("ketentuan Perundang-", "undangan di Indonesia", "ketentuan Perundang-undangan di Indonesia"),
        # numbers, addresses, dashes
        ("AD 2018–", "23–51", "AD 2018–23–51"),
        ("and –", "as it seems –", "and – as it seems –"),
        ("第十四条 人民法院应当", "依法公开。", "第十四条 人民法院应当依法公开。"),
        ("", "two", "two"),
    ],
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
