"""What can be a name, wherever a person gives one."""

from __future__ import annotations

import pytest

from engine.corpus.journal import check_name
from engine.errors import InputError

# Control characters, halves of characters, what is empty or cannot be seen, what is too long.
BAD_NAMES = (
    *("\x00", "a\x00b", "\x01", "a\x07", "\x08a", "a\x0bb", "\x0c", "a\x1b[31mb", "a\x1cb", "\x1f", "\x7f"),
    *("a\x80", "\x85", "a\x9f", "\ud800", "a\udfffb", "", " ", "\t", "\n\r\n", "\u00a0", "\u2003\u3000"),
    *("\u200b", "\u200b\u200d", "\ufeff", "\u2060", "\u202e", "\u202a\u202c", "\u2066\u2069", "\u00ad"),
    *("\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u180e", "\ufe0f", "\U000e0041", "\u034f", "\u17b5"),
    *("\u2028", "\u061c", " \u200f ", "\u0301", "x" * 201, "a " * 101),
)


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(InputError, match="a matter"):
        check_name(name, "a matter", 200)


def test_an_error_shows_the_number_of_a_character_and_not_the_character() -> None:
    with pytest.raises(InputError, match=r"cannot contain U\+001B: remove it") as told:
        check_name("a\x1b[31m", "a matter")
    assert "\x1b" not in str(told.value)
