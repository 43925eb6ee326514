"""Files that are only ever added to, a line at a time: what people decide, and what models read.

A line is there once it ends: what a killed writer left behind the last end of a line is nobody's word.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from engine.errors import CorpusError


def complete_lines(path: Path) -> list[bytes]:
    """The lines that were written to their end, in order; none where there is no file.

    Raises CorpusError where the file cannot be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error})") from error
    return content.split(b"\n")[:-1]


def append_line(path: Path, line: bytes) -> None:
    """Add a line, without its end; durable once this returns. Several processes may add at once.

    Raises OSError where the file cannot be written.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            # A writer was killed within its line: what it left counts for nothing.
            os.ftruncate(handle, _end_of_last_line(handle, size))
        os.write(handle, line + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _end_of_last_line(handle: int, size: int, block: int = 65536) -> int:
    """The place behind the last end of a line; the file is read backwards, it may be long."""
    stop = size
    while stop > 0:
        start = max(0, stop - block)
        found = os.pread(handle, stop - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        stop = start
    return 0
