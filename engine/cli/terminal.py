"""Terminal output that cannot move the cursor, change the title or reverse text."""

from __future__ import annotations

import io
from typing import TextIO

from engine.language.characters import marked


class VisibleStream(io.TextIOBase):
    """A stream that shows hidden and control characters as their numbers: ``⟦U+001B⟧``.

    A document may contain control sequences of terminals (ECMA-48), and a name or an error may repeat them.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the visible form of a text; returns the number of characters given."""
        self._stream.write(marked(text))
        return len(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the file descriptor of the underlying stream."""
        return self._stream.fileno()
