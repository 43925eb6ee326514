"""What commands print."""

from __future__ import annotations

import sys
from typing import Any, TextIO

import orjson


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(orjson.dumps(value, default=dict, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_lines(lines: Any, file: TextIO | None = None) -> None:
    """Lines on standard output, or in another file."""
    for line in lines:
        print(line, file=file)
