"""What people write next to what they make or judge: names, notes. Anybody may have sent it."""

from __future__ import annotations

from unicodedata import category

from engine.errors import InputError
from engine.language.characters import hidden_marks

LONGEST_NAME, LONGEST_NOTE = 100, 2000
# Line breaks and tabs are blanks of a name; no other control character belongs into one.
_BLANKS = "\t\n\r"
# Letters and symbols that look like nothing: fillers of Hangul, vowels of Khmer, the empty Braille pattern.
_INVISIBLE = "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800"
_VISIBLE = "LNPS"


def is_visible(text: str) -> bool:
    """Whether anything of a text can be seen."""
    return any(category(sign)[0] in _VISIBLE and sign not in _INVISIBLE for sign in text)


def check_name(text: str, what: str, longest: int = LONGEST_NAME) -> str:
    """The name that a person gives to something, as one line; ``what`` it names, in words: "a matter".

    Raises InputError for a name that is empty, too long or cannot be seen, or has control characters or half
    characters in it.
    """
    for sign in text:
        if category(sign) in ("Cc", "Cs") and sign not in _BLANKS:
            raise InputError(f"the name of {what} cannot contain U+{ord(sign):04X}: leave that out")
    name = " ".join(text.split())
    if len(name) > longest or not is_visible(name):
        raise InputError(f"{what} needs a name of 1 to {longest} characters that can be seen")
    return name


def signed_name(reviewer: str, longest: int = LONGEST_NAME) -> str:
    """The name of a person who judges something, without characters that nobody sees; empty for none. Raises
    as ``check_name``."""
    if not reviewer.strip():
        return ""
    return signed_line(check_name(reviewer, "a reviewer", longest), longest, "name")


def signed_line(text: str, most: int, what: str) -> str:
    """A note as one line, without characters that nobody sees.

    Raises InputError where it is longer than ``most`` characters, or no text that can be written down.
    """
    hidden = set(hidden_marks(text))
    line = " ".join("".join(sign for at, sign in enumerate(text) if at not in hidden).split())
    if len(line) > most:
        raise InputError(f"{what}: longer than the {most:,} characters taken here")
    try:
        line.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what}: no text in UTF-8") from None
    return line
