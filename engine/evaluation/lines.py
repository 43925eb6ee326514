"""Text files read line by line, so that an error can name the line."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

from engine.errors import SourceError, UnpackingError
from engine.unpacking import LARGEST, open_gzip

# Characters of a line.
LONGEST = 1 << 24


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, from 1, of a UTF-8 file, gzipped or not. Raises SourceError."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = open_gzip(file, size, LARGEST) if path.suffix == ".gz" else file
            with io.TextIOWrapper(data, "utf-8-sig", newline="\n") as lines:
                for number, line in enumerate(iter(lambda: lines.readline(LONGEST), ""), 1):
                    if len(line) == LONGEST:
                        raise SourceError(f"{path}, line {number}: longer than {LONGEST:,} characters")
                    yield number, line
    except (OSError, UnpackingError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({error})") from error
