"""Append-only journals next to a corpus, with checksums, and names of reviewers."""

from __future__ import annotations

import errno
import fcntl
import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Protocol, TypeVar
from unicodedata import category

from pydantic import BaseModel, ValidationError
from xxhash import xxh3_64

from engine.errors import CorpusError, InputError, system_error
from engine.language.characters import hidden_marks

# Names and notes of users, who are not trusted.

LONGEST_NAME, LONGEST_NOTE = 100, 2000
# Line breaks and tabs become blanks in a name; other control characters are invalid.
_BLANKS = "\t\n\r"
# Invisible letters and symbols: Hangul fillers, Khmer vowels, the empty Braille pattern.
_INVISIBLE = "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800"
_VISIBLE = "LNPS"


def is_visible(text: str) -> bool:
    """Return whether a text contains a visible character."""
    return any(category(sign)[0] in _VISIBLE and sign not in _INVISIBLE for sign in text)


def check_name(text: str, what: str, longest: int = LONGEST_NAME) -> str:
    """Return a user's name for something on one line; ``what`` describes it in errors: "a matter".

    Raises InputError for a name that is empty, too long or invisible, or contains control characters or
    surrogates.
    """
    for sign in text:
        if category(sign) in ("Cc", "Cs") and sign not in _BLANKS:
            raise InputError(f"the name of {what} cannot contain U+{ord(sign):04X}: remove it")
    name = " ".join(text.split())
    if len(name) > longest or not is_visible(name):
        raise InputError(f"{what} needs a name of 1 to {longest} visible characters")
    return name


def signed_name(reviewer: str, longest: int = LONGEST_NAME) -> str:
    """Return the name of a reviewer without invisible characters; empty for none.

    Raises as ``check_name``.
    """
    if not reviewer.strip():
        return ""
    return signed_line(check_name(reviewer, "a reviewer", longest), longest, "name")


def signed_line(text: str, most: int, what: str) -> str:
    """Return a note on one line, without invisible characters.

    Raises InputError if it has more than ``most`` characters or is not valid text.
    """
    hidden = set(hidden_marks(text))
    line = " ".join("".join(sign for at, sign in enumerate(text) if at not in hidden).split())
    if len(line) > most:
        raise InputError(f"{what}: longer than {most:,} characters")
    try:
        line.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what}: not valid UTF-8 text") from None
    return line


# Journals contain users' decisions and models' readings, one per line. A line is valid once it has its line
# end: a remainder after the last line end comes from a crashed writer and is ignored. Each line ends with a
# tab and the XXH3 digest of the text before it, so that changes are detected. Lines without a digest, from
# earlier versions or written by hand, are valid. Removal of whole lines at the end cannot be detected.


class _Tail(Enum):
    """State of the bytes after the last line end: only the end missing, cut by a crash, or damaged."""

    WHOLE = 1
    CUT = 2
    DAMAGED = 3


class Journals(Protocol):
    """The journals of a corpus, by file name."""

    def lines(self, name: str) -> list[bytes]:
        """Return the complete lines in order, empty for a missing journal.

        Raises CorpusError, ResourceError.
        """

    def add(self, name: str, line: bytes) -> None:
        """Append a line (without line end); durable on return. Raises CorpusError, ResourceError."""

    def named(self, name: str) -> str:
        """Return the name of a journal for messages."""

    def stamp(self, name: str) -> tuple[int, ...]:
        """Return a value that changes with each added line; empty for a missing journal.

        Raises as ``lines``.
        """


@dataclass(frozen=True, slots=True)
class FolderJournals:
    """Journal files in a corpus folder."""

    folder: Path

    def lines(self, name: str) -> list[bytes]:
        """See ``Journals``."""
        return complete_lines(self.folder / name)

    def add(self, name: str, line: bytes) -> None:
        """See ``Journals``."""
        append_line(self.folder / name, line)

    def named(self, name: str) -> str:
        """See ``Journals``."""
        return str(self.folder / name)

    def stamp(self, name: str) -> tuple[int, ...]:
        """See ``Journals``."""
        try:
            status = (self.folder / name).stat()
        except OSError:
            return ()
        return status.st_mtime_ns, status.st_size


class InMemoryJournals:
    """Journals with changes in memory only.

    ``held`` are the lines of changed journals by name; others come from ``beneath``.
    """

    def __init__(self, beneath: Journals, held: Mapping[str, Iterable[bytes]]) -> None:
        self._beneath = beneath
        self._held = {name: list(lines) for name, lines in held.items()}

    def lines(self, name: str) -> list[bytes]:
        """See ``Journals``."""
        return list(self._held[name]) if name in self._held else self._beneath.lines(name)

    def add(self, name: str, line: bytes) -> None:
        """See ``Journals``; the line is lost with this object."""
        self._held.setdefault(name, self._beneath.lines(name)).append(line)

    def named(self, name: str) -> str:
        """See ``Journals``."""
        return self._beneath.named(name)

    def stamp(self, name: str) -> tuple[int, ...]:
        """See ``Journals``: the number of lines."""
        if name not in self._held:
            return self._beneath.stamp(name)
        return (len(self._held[name]),) if self._held[name] else ()


def journals_at(place: Path | str | Journals) -> Journals:
    """Return the journals of a corpus folder, or the given ones."""
    return FolderJournals(Path(place)) if isinstance(place, Path | str) else place


T = TypeVar("T")
Line = TypeVar("Line", bound=BaseModel)


def load_lines(place: Path | str | Journals, name: str, read: Callable[[bytes], T], what: str) -> list[T]:
    """Return all lines of a journal in order; an incomplete last line is ignored.

    ``what`` describes a line in errors: "a grade". Raises CorpusError with the line number for an
    invalid line.
    """
    journals, found = journals_at(place), []
    for number, line in enumerate(journals.lines(name), start=1):
        try:
            found.append(read(line))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            where = f"{journals.named(name)}:{number}"
            raise CorpusError(f"{where}: not {what} ({reason}); correct or remove the line") from error
    return found


def add_line(place: Path | str | Journals, name: str, line: Line) -> Line:
    """Append a line with the current time as ``when``; durable on return.

    Several processes may append concurrently. Raises CorpusError if it cannot be written.
    """
    dated = line.model_copy(update={"when": datetime.now(UTC).isoformat(timespec="seconds")})
    journals_at(place).add(name, dated.model_dump_json().encode())
    return dated


def complete_lines(path: Path) -> list[bytes]:
    """Return the complete lines of a file in order, without digests; empty for a missing file.

    Raises CorpusError with the line number if the file is damaged, or unreadable; ResourceError.
    """
    try:
        *lines, tail = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise system_error(f"read {path}", error) from error
    state = _state_of(tail)
    if state is _Tail.DAMAGED:
        raise _damaged(path, len(lines) + 1)
    if state is _Tail.WHOLE and tail:
        lines.append(tail)
    for number, line in enumerate(lines, start=1):
        if not _is_sound(line):
            raise _damaged(path, number)
    return [line.rpartition(b"\t")[0] or line for line in lines]


def append_line(path: Path, line: bytes) -> None:
    """Append a line (without line end); durable on return. Several processes may append concurrently.

    Raises CorpusError if the end of the file is damaged or it cannot be written; ResourceError if the disk is
    full, in which case the file is unchanged.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            _append(path, handle, line + b"\t" + _digest(line) + b"\n")
        finally:
            os.close(handle)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise system_error(f"write {path}", error) from error


def overwrite_lines(path: Path, change: Callable[[bytes], bytes]) -> int:
    """Change lines in place; return how many. A changed line keeps its length, so that concurrent appends are
    safe.

    Lines that do not match their digest are unchanged. Raises CorpusError if the file cannot be written;
    ResourceError.
    """
    try:
        handle = os.open(path, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            return _overwrite(handle, change)
        finally:
            os.close(handle)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise system_error(f"write {path}", error) from error


def _overwrite(handle: int, change: Callable[[bytes], bytes]) -> int:
    at = count = 0
    for line in os.pread(handle, os.fstat(handle).st_size, 0).split(b"\n")[:-1]:
        content, tab, _ = line.rpartition(b"\t")
        content = content if tab else line
        changed = change(content)
        if changed != content and _is_sound(line):
            assert len(changed) == len(content), "a changed line must keep its length"
            os.pwrite(handle, changed + (b"\t" + _digest(changed) if tab else b""), at)
            count += 1
        at += len(line) + 1
    os.fsync(handle)
    return count


def _append(path: Path, handle: int, line: bytes) -> None:
    size = os.fstat(handle).st_size
    end = _end_of_last_line(handle, size)
    state = _state_of(os.pread(handle, size - end, end))
    if state is _Tail.DAMAGED:
        raise CorpusError(f"damaged: the end of {path}; correct or remove its last line")
    if state is _Tail.CUT:
        os.ftruncate(handle, end)
        size = end
    elif size > end:
        line = b"\n" + line
    if os.write(handle, line) < len(line):
        os.ftruncate(handle, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(handle)


def _digest(line: bytes) -> bytes:
    return xxh3_64(line).hexdigest().encode()


def _is_sound(line: bytes) -> bool:
    content, tab, digest = line.rpartition(b"\t")
    return not tab or digest == _digest(content)


def _state_of(tail: bytes) -> _Tail:
    if not tail or (b"\t" in tail and _is_sound(tail)):
        return _Tail.WHOLE
    # No writer continues after a digest.
    goes_on = b"\t" in tail[:-1] and _is_sound(tail[:-1])
    return _Tail.DAMAGED if goes_on or not _is_beginning(tail) else _Tail.CUT


def _is_beginning(tail: bytes) -> bool:
    """Return whether bytes can be the beginning of a JSON object; after data loss they may be anything."""
    try:
        text = getincrementaldecoder("utf-8")().decode(tail)
    except UnicodeDecodeError:
        return False
    return text.startswith("{") and min(text) >= "\t"


def _damaged(path: Path, number: int) -> CorpusError:
    return CorpusError(f"damaged: {path}:{number} does not fit its checksum; correct or remove the line")


def _end_of_last_line(handle: int, size: int, block: int = 65536) -> int:
    """Return the offset after the last line end, reading backwards because the file may be long."""
    stop = size
    while stop > 0:
        start = max(0, stop - block)
        found = os.pread(handle, stop - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        stop = start
    return 0
