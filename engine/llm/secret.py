"""A key that cannot be shown: not by repr, a log, an exception, a copy or a saved file."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from engine.errors import SettingsError

REDACTED = "[key]"
# A shorter key is a word ("ollama", "none"): only the whole word is taken out, and none under four letters.
SHORT, SHORTEST = 8, 4
# Servers shorten a key in their errors ("sk-ab***wxyz"); so much of its start or end is already too much.
FEWEST_SHOWN = 12


def checked_key(text: str, whose: str = "the language model") -> Secret:
    """A key, or none where it is empty. Raises SettingsError, which repeats nothing of it."""
    text = text.strip()
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise SettingsError(f"the key of {whose} holds characters that no key has")
    return Secret(text)


class Secret:
    """A key. Only ``reveal`` gives it, and only the code that sends a request calls that."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value.strip()

    def __bool__(self) -> bool:
        return self._value != ""

    def __repr__(self) -> str:
        return "Secret()" if not self._value else "Secret(**********)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a key is not stored")

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self

    def reveal(self) -> str:
        """The key itself, for the header of a request."""
        return self._value

    def redact(self, text: str) -> str:
        """A text without the key, or the long beginnings and ends of it."""
        if len(self._value) < SHORTEST:
            return text
        if len(self._value) < SHORT:
            return re.sub(rf"(?<!\w){re.escape(self._value)}(?!\w)", REDACTED, text)
        text = text.replace(self._value, REDACTED)
        if len(self._value) > FEWEST_SHOWN:
            for part in (self._value[:FEWEST_SHOWN], self._value[-FEWEST_SHOWN:]):
                text = text.replace(part, REDACTED)
        return text
