"""The seam between file formats and the engine: a reader turns a file into documents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Protocol

from engine import files
from engine.model import Document, Passage, Section, Span
from engine.unpacking import GZIP, open_gzip


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, at a ``path`` of which no part is a link.

    ``name`` is what reports and citations call it ("laws.zip/uu-6.pdf" for a member of an archive), the
    path where none is given. ``passwords`` are tried in turn on an encrypted file. ``mapping`` says which
    fields of a table or of JSON hold what; without one the reader makes its own guess. ``stem`` is what a
    document is called that does not name itself: the file's name up to its first dot, unless another file
    of the same sources is called so too. ``is_member``: it was unpacked from an archive. ``shares_id``:
    another file of the same sources states the same id, as versions of one text may, so that it cannot name
    either. ``url``: where the same bytes stand for others than this machine.
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
        """The file, for reading. Raises FileRefusedError for a link or a pipe, OSError."""
        return files.opened(self.path)

    @contextmanager
    def unpacked(self) -> Iterator[BufferedReader]:
        """The file, for reading, unpacked if it is a gzip; raises as ``opened`` and ``open_gzip``."""
        with self.opened() as file:
            yield open_gzip(file, self.size()) if file.peek(2)[:2] == GZIP else file

    def content(self) -> bytes:
        """All its bytes; raises as ``opened``."""
        with self.opened() as file:
            return file.read()

    def size(self) -> int:
        """How many bytes it has; raises as ``opened``."""
        with self.opened() as file:
            return os.fstat(file.fileno()).st_size


@dataclass(frozen=True, slots=True)
class StatedReference:
    """A link that the markup of a source makes: ``text`` at ``span`` of a passage points at ``target``.

    ``target`` is what the markup says: "#art_5" for an element of the same document, the URI of another
    document, with "#" and an element's id or without.
    """

    source_id: str
    span: Span
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """One document with its sections and passages, both in reading order, and the links it states."""

    document: Document
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]
    stated: tuple[StatedReference, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read: where it is, and why. ``line`` counts from 1.

    ``is_note``: everything was read, and this is to be known of it.
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
        """What the format is called."""
        ...

    def accepts(self, path: Path, head: bytes) -> bool:
        """Whether a file, by its name and its first bytes (unpacked), is of this format."""
        ...

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The documents of a file and what is wrong with it, in the order of the file.

        Never raises for what a file contains: that is a Problem. Raises OSError or FileRefusedError
        where it cannot be opened.
        """
        ...
