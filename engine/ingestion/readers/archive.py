"""Archives: the members of a zip, or what a gzip holds, as files in a temporary folder.

Nothing of an archive's own names reaches the disk but the last part of a member's name, under a folder
made for that member; so no name can lead out of the folder. What is unpacked is counted as it is
written: sizes that an archive declares are not believed.
"""

from __future__ import annotations

import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from engine import files
from engine.errors import FileRefusedError, UnpackingError, in_words
from engine.ingestion.readers.base import Problem, SourceFile
from engine.unpacking import (
    LARGEST_MEMBER,
    TooLargeError,
    UnknownMethodError,
    open_gzip,
    open_member,
    open_zip,
)

# More is no bundle of documents.
MOST_MEMBERS = 5000
# All archives of one ingestion together.
MOST_FILES = 20_000
LARGEST_TOTAL = 1024 * 1024 * 1024
# An archive in an archive is unpacked, one inside that is not.
DEEPEST = 2

_CHUNK = 1 << 20
_NOT_IN_NAMES = re.compile(r"[^\w.() -]+")


@dataclass(slots=True)
class Unpacked:
    """A temporary folder with what archives held; ``total`` bytes were written so far."""

    folder: Path
    total: int = 0
    _count: int = field(default=0)

    @property
    def is_full(self) -> bool:
        """Whether no further file may be unpacked."""
        return self._count >= MOST_FILES

    def place(self, name: str) -> Path:
        """A free path for a member, in a folder of its own."""
        self._count += 1
        folder = self.folder / str(self._count)
        folder.mkdir()
        own = _NOT_IN_NAMES.sub("_", re.split(r"[/\\]", name)[-1]).strip(" .") or "member"
        stem, dot, suffix = own.rpartition(".")
        return folder / (f"{stem[:80]}{dot}{suffix[:10]}" if stem else own[:90])

    def write(self, data: IO[bytes], path: Path) -> None:
        """Copy a bounded stream to a file. Raises UnpackingError, OSError, and then leaves no file."""
        written = 0
        try:
            with open(path, "wb") as file:
                while chunk := data.read(_CHUNK):
                    written += len(chunk)
                    if self.total + written > LARGEST_TOTAL:
                        raise TooLargeError(f"all archives unpack to more than {LARGEST_TOTAL >> 20} MiB")
                    file.write(chunk)
        except (UnpackingError, OSError):
            path.unlink(missing_ok=True)
            raise
        self.total += written


def members(path: Path) -> frozenset[str]:
    """The names in a zip; empty where it cannot be opened."""
    try:
        with files.opened(path) as file, open_zip(file) as archive:
            return frozenset(archive.namelist())
    except (FileRefusedError, UnpackingError, OSError):
        return frozenset()


def unzipped(source: SourceFile, unpacked: Unpacked) -> Iterator[SourceFile | Problem]:
    """The members of a zip as files named "<archive>/<member>", and what cannot be unpacked of it."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(open_zip(stack.enter_context(source.opened())))
        except (FileRefusedError, UnpackingError, OSError) as error:
            yield Problem(source.name, f"a zip that cannot be opened ({in_words(error)})")
            return
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_MEMBERS:
            yield Problem(
                source.name, f"a zip of {len(entries)} members; only the first {MOST_MEMBERS} are read"
            )
        names: set[str] = set()
        for entry in entries[:MOST_MEMBERS]:
            shown = name = f"{source.name}/{_name(entry)}"
            while shown in names:
                shown += "~"
            names.add(shown)
            if unpacked.is_full:
                yield Problem(
                    source.name, f"archives hold more than {MOST_FILES} files: the rest is not read"
                )
                return
            reason = _refusal(entry)
            if reason is not None:
                yield Problem(name, reason)
                continue
            yield _member(archive, entry, shown, source, unpacked)


def gunzipped(source: SourceFile, unpacked: Unpacked) -> SourceFile | Problem:
    """What a gzip holds, as a file that is called as the gzip without ".gz"."""
    path = unpacked.place(source.path.name.removesuffix(".gz"))
    try:
        with source.opened() as file, open_gzip(file, source.size(), LARGEST_MEMBER) as data:
            unpacked.write(data, path)
    except TooLargeError as error:
        return Problem(source.name, f"{error}: not read")
    except (FileRefusedError, UnpackingError, OSError) as error:
        return Problem(source.name, f"a broken gzip ({in_words(error)})")
    return replace(source, path=path)


def _member(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, source: SourceFile, unpacked: Unpacked
) -> SourceFile | Problem:
    path = unpacked.place(_name(entry))
    locked = bool(entry.flag_bits & 0x1)
    attempts = [word.encode() for word in source.passwords] if locked else [None]
    reason = "encrypted; give its password"
    for password in attempts:
        try:
            with open_member(archive, entry, LARGEST_MEMBER, password) as data:
                unpacked.write(data, path)
            return SourceFile(path, name, source.passwords, source.mapping, is_member=True)
        except TooLargeError as error:
            return Problem(name, f"{error}: not read")
        except UnknownMethodError as error:
            return Problem(name, f"packed in a way that is not read ({error}); unpack it first")
        except (UnpackingError, OSError) as error:
            # A wrong password is told by the program, or by data that make no sense.
            reason = "encrypted; none of the passwords opens it" if locked else f"broken ({in_words(error)})"
    return Problem(name, reason)


def _refusal(entry: zipfile.ZipInfo) -> str | None:
    name = _name(entry)
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or ".." in re.split(r"[/\\]", name):
        return "its name leads out of the archive: not read"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a link: not followed"
    return None


def _name(entry: zipfile.ZipInfo) -> str:
    """A member's name; old programs wrote UTF-8 without saying so."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
