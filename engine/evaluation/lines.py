"""Text files read line by line, so that an error can name the line."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path

from engine.errors import SourceError


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, from 1, of a UTF-8 file, gzipped or not. Raises SourceError."""
    try:
        raw = path.read_bytes()
        data = gzip.decompress(raw) if path.suffix == ".gz" else raw
        text = data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({error})") from error
    yield from enumerate(io.StringIO(text), 1)
