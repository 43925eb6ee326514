"""What goes to a terminal: text that cannot move its cursor, change its title or turn words round."""

from __future__ import annotations

import io
from typing import TextIO

from engine.language.characters import marked


class VisibleStream(io.TextIOBase):
    """A stream in which hidden and controlling characters are shown as their numbers: ``⟦U+001B⟧``.

    A document may hold sequences that a terminal obeys (ECMA-48), and a name or an error may repeat them.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be seen of a text; returns how many characters were given."""
        self._stream.write(marked(text))
        return len(text)

    def flush(self) -> None:
        """Send what waits."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """As the stream has it."""
        return self._stream.fileno()
