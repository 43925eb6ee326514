"""The command line as a program: its start, its output, its end."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, TextIO

from engine.language.characters import marked

# Terminal output that cannot move the cursor, change the title or reverse text.


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


# The command line as a separate process: its signals, its streams, its exit code.


def run(prog: str, add_more: Callable[[Any], None] | None = None) -> int:
    """Run the command in ``sys.argv`` under the name ``prog``; returns the exit code.

    ``add_more`` adds further commands to the parser. Call it in the main thread of a process with no other
    task: it takes over Ctrl-C and the streams.
    """
    # A signal that the parent process ignores stays ignored.
    interrupted = signal.getsignal(signal.SIGINT)
    is_ours = interrupted is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, _stop_early)
    from engine.cli.main import main

    # Imported objects stay alive: scanning them repeatedly takes a tenth of a command's start.
    gc.set_threshold(50_000, 20, 50)
    # Files and other programs get every character unchanged; a terminal would interpret some of them.
    sys.stdout, sys.stderr = (
        VisibleStream(stream) if stream is not None and stream.isatty() else stream
        for stream in (sys.stdout, sys.stderr)
    )
    if is_ours:
        signal.signal(signal.SIGINT, interrupted)
    code = main(prog=prog, add_more=add_more)
    if is_ours:
        # All output is written: a second Ctrl-C may end the process.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return code


def _stop_early(number: int, frame: object) -> None:
    os.write(2, b"redstring: stopped\n")
    os._exit(130)
