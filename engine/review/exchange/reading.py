"""Files of other programs, opened and bounded before anything in them is looked at."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

from engine import files
from engine.errors import FileRefusedError, SourceError, in_words

LARGEST: Final = 64_000_000
MOST: Final = 200_000
# How files of ZIP and gzip begin.
_PACKED: Final = (b"PK\x03\x04", b"\x1f\x8b")


def text_of(path: Path) -> str:
    """A file in UTF-8, of at most ``LARGEST`` bytes, as text. Raises SourceError."""
    try:
        data = files.read_named(path, LARGEST)
        if data.startswith(_PACKED):
            raise SourceError(f"{path}: a packed file; unpack it first")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not in UTF-8, at byte {error.start}; save it as UTF-8") from error
    except (OSError, FileRefusedError) as error:
        raise SourceError(f"{path}: cannot be read ({in_words(error)})") from error


def json_lines(path: Path, most: int = MOST) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file with one in each line, each with its place for errors; empty lines are passed
    over. Raises SourceError for a line that is no object, and where there are more than ``most``."""
    for number, line in enumerate(io.StringIO(text_of(path)), 1):
        where = f"{path}, line {number}"
        bounded(number, path, most)
        if line.strip():
            value = _value(line, where)
            if not isinstance(value, dict):
                raise SourceError(f"{where}: no JSON object")
            yield where, value


def bounded(number: int, path: Path, most: int) -> None:
    """Raises SourceError where a file has more verdicts than ``most``; ``number`` counts them from 1."""
    if number > most:
        raise SourceError(f"{path}: more than {most:,} verdicts; split the file")


def _value(text: str, where: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{where}: no JSON ({error})") from error
