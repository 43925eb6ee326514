"""Logging without content: the route, the class of the error, and lines of code; never visitors' input.

Exception messages quote invalid input, which may be a visitor's question. The class and the lines of code are
enough to find a fault.
"""

from __future__ import annotations

import io
import logging
import re
import threading
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TextIO

_FORMAT = "redstring: %(message)s"
_BEGINS = "Traceback (most recent call last)"
_CLASS = re.compile(r"[\w.]+(?=:|$)", re.ASCII)
Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class WithoutContent(logging.Formatter):
    """Writes an exception as its class and the lines of code that led to it."""

    def __init__(self) -> None:
        super().__init__(_FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """Format a record.

        For records of the event loop, keep only the first line: the rest shows objects.
        """
        text = super().format(record)
        return text.partition("\n")[0] if record.name == "asyncio" else text

    def formatException(self, ei: Raised) -> str:  # noqa: N802
        """Return the class of the error and the lines of code that raised it, innermost last."""
        if ei[0] is None:
            return ""
        frames = traceback.extract_tb(ei[2])[-6:]
        return f"{ei[0].__name__} at " + " > ".join(f"{frame.filename}:{frame.lineno}" for frame in frames)


def uvicorn_logging() -> Mapping[str, Any]:
    """Return uvicorn's logging configuration: errors without content, no access log."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"()": WithoutContent}},
        "handlers": {
            "errors": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stderr"}
        },
        "loggers": {
            "uvicorn": {"handlers": ["errors"], "level": "WARNING", "propagate": False},
            "uvicorn.access": {"handlers": [], "level": "CRITICAL", "propagate": False},
        },
    }


def _is_frame(text: str) -> bool:
    """Return whether an item of a traceback is its header, a line of code, or the border of a group."""
    bare = text.strip(" |+-\n.").removeprefix("Exception Group ")
    known = bare == f"{_BEGINS}:" or bare.startswith(('File "', "[Previous line"))
    return known or not bare or bare.isdigit()


class QuietStream(io.TextIOBase):
    """Standard error without exception messages, because Gradio prints whole tracebacks there.

    ``traceback`` writes one item at a time. The first item of a traceback that is not a line of code is the
    exception itself; only its class is kept.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._inside = threading.local()

    def write(self, text: str) -> int:
        """Write everything except exception messages."""
        if self._belongs(text) and not _is_frame(text):
            # Within a traceback, an item that is not a frame is the source text of a SyntaxError.
            found = None if self._inside.kind == "one" else _CLASS.match(text.strip(" |+-\n"))
            self._stream.write(f"{found[0]}\n" if found else "")
        elif _BEGINS in text and text.strip().count("\n"):
            # A log record arrives in one piece; the text before the traceback is its own first line.
            self._stream.write(text.partition("\n")[0] + "\n")
        else:
            if _BEGINS in text:
                self._inside.kind = "group" if "Group" in text else getattr(self._inside, "kind", "") or "one"
            self._stream.write(text)
        return len(text)

    def _belongs(self, text: str) -> bool:
        """Return whether an item belongs to this thread's traceback; all items of a group are indented."""
        kind = getattr(self._inside, "kind", "")
        if kind == "group" and text and not text[0].isspace():
            kind = self._inside.kind = ""
        elif kind == "one" and not text[:1].isspace() and not _is_frame(text):
            self._inside.kind = ""
        return bool(kind)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._stream.flush()

    def fileno(self) -> int:
        """Return the file descriptor of the underlying stream."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """Return whether the underlying stream is a terminal."""
        return self._stream.isatty()

    def writable(self) -> bool:
        """Return True."""
        return True
