"""The reader interface: a reader turns a file into documents. Also list numerals, and tables as text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol

from engine import files
from engine.bounded import GZIP, open_gzip
from engine.model import Document, Passage, Section, Span

# The reader interface


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. No part of ``path`` is a symbolic link.

    ``name``: for reports and citations ("laws.zip/uu-6.pdf" for a member of an archive); default: the path.
    ``passwords`` are tried in turn on an encrypted file. ``mapping``: meanings of the fields of tables and
    JSON; otherwise the reader guesses. ``stem``: name of a document without its own; the file's name up to
    its first dot, made distinct among the sources. ``is_member``: unpacked from an archive. ``shares_id``:
    another file of the sources states the same id (versions of one text), so the id cannot be used. ``url``:
    public address of the same bytes.
    """

    path: Path
    name: str = ""
    passwords: tuple[str, ...] = ()
    mapping: Mapping[str, Any] | None = None
    stem: str = ""
    is_member: bool = False
    shares_id: bool = False
    url: str | None = None

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", str(self.path))
        if not self.stem:
            object.__setattr__(self, "stem", Path(self.name).name.split(".")[0])

    def opened(self) -> BufferedReader:
        """Open the file for reading. Raises FileRefusedError for a link or a pipe, OSError."""
        return files.opened(self.path)

    @contextmanager
    def unpacked(self) -> Iterator[BufferedReader]:
        """Open the file for reading, unpacked if it is gzip; raises like ``opened`` and ``open_gzip``."""
        with self.opened() as file:
            yield open_gzip(file, self.size()) if file.peek(2)[:2] == GZIP else file

    def content(self) -> bytes:
        """Return all bytes; raises like ``opened``."""
        with self.opened() as file:
            return file.read()

    def size(self) -> int:
        """Return the number of bytes; raises like ``opened``."""
        with self.opened() as file:
            return os.fstat(file.fileno()).st_size


@dataclass(frozen=True, slots=True)
class StatedReference:
    """A reference in the markup of a source: ``text`` at ``span`` of a passage points at ``target``.

    ``target``: as in the markup: "#art_5" for an element of the same document, or the URI of another
    document, optionally with "#" and an element's id.
    """

    source_id: str
    span: Span
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document with its sections and passages in reading order, and the references in its markup."""

    document: Document
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]
    stated: tuple[StatedReference, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read: where, and why. ``line`` counts from 1.

    ``is_note``: everything was read, and the reason is information for the user.
    """

    path: str
    reason: str
    line: int | None = None
    id: str | None = None
    is_note: bool = False

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}" if self.id is None else f"{place}: {self.id}: {self.reason}"


class Reader(Protocol):
    """Reads one format."""

    @property
    def name(self) -> str:
        """Name of the format."""
        ...

    def accepts(self, path: Path, head: bytes) -> bool:
        """Return True if a file has this format, by its name and its first (unpacked) bytes."""
        ...

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the documents and problems of a file in order.

        Invalid content gives a Problem and never raises. Raises OSError or FileRefusedError if the file
        cannot be opened.
        """
        ...


# List numerals: 3, iii, c, 三; formats of Word and HTML

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_HAN = "〇一二三四五六七八九"
_ARABIC_LETTERS = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_ABJAD = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"


def numeral(value: int, form: str) -> str:
    """Format a number in one of Word's formats; unknown formats give decimals."""
    if value < 1 or value > 99_999:
        return str(value)
    if form in ("lowerRoman", "upperRoman"):
        roman = _roman(value)
        return roman if form == "lowerRoman" else roman.upper()
    if form in ("lowerLetter", "upperLetter"):
        # z is followed by aa, bb, cc.
        letter = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    if form == "decimalZero":
        return f"{value:02d}"
    if form == "decimalEnclosedParen":
        return f"({value})"
    if form in ("arabicAlpha", "arabicAbjad"):
        letters = _ARABIC_LETTERS if form == "arabicAlpha" else _ABJAD
        return letters[(value - 1) % len(letters)]
    if form in ("chineseCounting", "chineseCountingThousand", "japaneseCounting", "ideographDigital"):
        return _han(value)
    return str(value)


def _roman(value: int) -> str:
    digits = ""
    for worth, letters in _ROMAN:
        while value >= worth:
            digits, value = digits + letters, value - worth
    return digits


def _han(value: int) -> str:
    if value >= 10_000:
        return str(value)
    text, gap = "", False
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, worth)
        if digit:
            text += ("〇" if gap and text else "") + _HAN[digit] + unit
            gap = False
        else:
            gap = True
    return text.removeprefix("一") if text.startswith("一十") else text


# Tables as text: one line per row, cells separated by " | "

# A longer table is split between rows; each part repeats the header.
LONGEST_TABLE = 1600


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of a row's cells; a cell merged with the one before it is empty or missing."""

    cells: tuple[str, ...]
    is_header: bool = False

    def __str__(self) -> str:
        texts = [" ".join(cell.replace("|", "/").split()) for cell in self.cells]
        if not any(texts):
            return ""
        while texts and not texts[-1]:
            texts.pop()
        return " ".join(" | ".join(texts).split())


def table_text(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the text of a table, in parts if it is long."""
    header = [str(row) for row in takewhile(lambda row: row.is_header, rows)]
    head = [line for line in header if line]
    part, size, has_rows = list(head), sum(map(len, head)), False
    for row in rows[len(header) :]:
        line = str(row)
        if not line:
            continue
        if has_rows and size + len(line) > LONGEST_TABLE:
            yield "\n".join(part)
            part, size = list(head), sum(map(len, head))
        part.append(line)
        size, has_rows = size + len(line) + 1, True
    if part:
        yield "\n".join(part)
