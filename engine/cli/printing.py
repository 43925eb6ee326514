"""What commands print."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

import orjson

if TYPE_CHECKING:
    from engine.investigation.events import Event


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(orjson.dumps(value, default=dict, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_lines(lines: Any, file: TextIO | None = None) -> None:
    """Lines on standard output, or in another file."""
    for line in lines:
        print(line, file=file)


def print_event(event: Event) -> None:
    """Print the line of an event of a case, if it has one, to standard error."""
    from engine.records.text import event_line

    line = event_line(event)
    if line is not None:
        print(line, file=sys.stderr, flush=True)
