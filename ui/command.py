"""The command ``redstring``: the verbs of ``python -m engine``, and ``serve``, which opens the page."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from engine.errors import InputError

NAME, SERVE = "redstring", "serve"


def main() -> int:
    """Run the command in ``sys.argv``; returns the exit code."""
    if sys.argv[1:2] == [SERVE]:
        # This sets the number of threads of libraries, so it must be imported before them.
        from ui.serve import run as serve

        return serve(f"{NAME} {SERVE}", sys.argv[2:])
    from engine.cli.terminal import run

    return run(NAME, add_serve)


def add_serve(commands: Any) -> None:
    """Add ``serve`` to the list of commands; ``ui.serve`` parses its flags."""
    command = commands.add_parser(SERVE, help="the page, in the browser", add_help=False)
    command.set_defaults(command=_named_late)


def _named_late(options: argparse.Namespace) -> None:
    raise InputError(f"{SERVE} comes first: {NAME} {SERVE} [FLAGS]")
