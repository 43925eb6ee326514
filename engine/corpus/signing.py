"""What people write beside a verdict: their name, a note. Anybody may have sent it."""

from __future__ import annotations

from engine.errors import InputError
from engine.language.hidden_marks import hidden_marks

LONGEST_NAME, LONGEST_NOTE = 100, 2000


def signed_line(text: str, most: int, what: str) -> str:
    """A name or a note as one line, without characters that nobody sees.

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
