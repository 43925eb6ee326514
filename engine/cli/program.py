"""The command line as a program of its own: its signals, its streams, its exit code."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def run(prog: str, add_more: Callable[[Any], None] | None = None) -> int:
    """Run the command that ``sys.argv`` holds, under the name ``prog``; returns the exit code.

    ``add_more`` describes further commands to the parser. For the main thread of a process that has nothing
    else to do: it takes Ctrl-C over, and the streams.
    """
    # A signal that the parent process ignores stays ignored.
    interrupted = signal.getsignal(signal.SIGINT)
    is_ours = interrupted is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, _stop_early)
    from engine.cli.main import main
    from engine.cli.terminal import VisibleStream

    # What is imported stays: looking through it again and again takes a tenth of a command's start.
    gc.set_threshold(50_000, 20, 50)
    # A file or another program gets every character as it is; a terminal would obey some of them.
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
