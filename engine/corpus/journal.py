"""Journals beside a corpus: appended lines, signed if there is a key."""

from __future__ import annotations

import errno
import fcntl
import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol
from unicodedata import category

from xxhash import xxh3_64

from engine.errors import CorpusError, InputError, system_error
from engine.language.characters import hidden_marks

# What people write next to what they make or judge: names, notes. Anybody may have sent it.

LONGEST_NAME, LONGEST_NOTE = 100, 2000
# Line breaks and tabs are blanks of a name; no other control character belongs into one.
_BLANKS = "\t\n\r"
# Letters and symbols that look like nothing: fillers of Hangul, vowels of Khmer, the empty Braille pattern.
_INVISIBLE = "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800"
_VISIBLE = "LNPS"


def is_visible(text: str) -> bool:
    """Whether anything of a text can be seen."""
    return any(category(sign)[0] in _VISIBLE and sign not in _INVISIBLE for sign in text)


def check_name(text: str, what: str, longest: int = LONGEST_NAME) -> str:
    """The name that a person gives to something, as one line; ``what`` it names, in words: "a matter".

    Raises InputError for a name that is empty, too long or cannot be seen, or has control characters or half
    characters in it.
    """
    for sign in text:
        if category(sign) in ("Cc", "Cs") and sign not in _BLANKS:
            raise InputError(f"the name of {what} cannot contain U+{ord(sign):04X}: leave that out")
    name = " ".join(text.split())
    if len(name) > longest or not is_visible(name):
        raise InputError(f"{what} needs a name of 1 to {longest} characters that can be seen")
    return name


def signed_name(reviewer: str, longest: int = LONGEST_NAME) -> str:
    """The name of a person who judges something, without characters that nobody sees; empty for none. Raises
    as ``check_name``."""
    if not reviewer.strip():
        return ""
    return signed_line(check_name(reviewer, "a reviewer", longest), longest, "name")


def signed_line(text: str, most: int, what: str) -> str:
    """A note as one line, without characters that nobody sees.

    Raises InputError where it is longer than ``most`` characters, or no text that can be written down.
    """
    hidden = set(hidden_marks(text))
    line = " ".join("".join(sign for at, sign in enumerate(text) if at not in hidden).split())
    if len(line) > most:
        raise InputError(f"{what}: longer than the {most:,} characters taken here")
    try:
        line.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what}: no text in UTF-8") from None
    return line


# Files that are only ever added to, a line at a time: what people decide, and what models read.
#
# A line is there once it ends: what a killed writer left behind the last end of a line is
# nobody's word. Each line ends with a tab and the XXH3 digest of what stands before it, so that
# changed words are nobody's either. A line without a digest, as earlier versions wrote them and
# people may, stands as it is. Where whole lines are cut off the end, a journal is what it was
# before them, and nothing here can tell.


class _Tail(Enum):
    """What stands behind the last end of a line: a line but for its end, one cut by a crash, or damage."""

    WHOLE = 1
    CUT = 2
    DAMAGED = 3


class Journals(Protocol):
    """The journals of one corpus, by the names of their files, wherever it lives."""

    def lines(self, name: str) -> list[bytes]:
        """The lines that were written, in order; none where nobody has said anything. Raises CorpusError,
        ResourceError."""
        ...

    def add(self, name: str, line: bytes) -> None:
        """Add a line, without its end; durable once this returns. Raises CorpusError, ResourceError."""
        ...

    def named(self, name: str) -> str:
        """How a journal is called in a message."""
        ...

    def stamp(self, name: str) -> tuple[int, ...]:
        """Changes whenever a line is added; empty where there is none. Raises as ``lines``."""
        ...


@dataclass(frozen=True, slots=True)
class FolderJournals:
    """Files beside the data in a corpus folder."""

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


class SupposedJournals:
    """Journals that say something else in memory: nothing that is added to them is kept. ``held`` are the
    lines of those that differ, by name; the others say what those ``beneath`` say."""

    def __init__(self, beneath: Journals, held: Mapping[str, Iterable[bytes]]) -> None:
        self._beneath = beneath
        self._held = {name: list(lines) for name, lines in held.items()}

    def lines(self, name: str) -> list[bytes]:
        """See ``Journals``."""
        return list(self._held[name]) if name in self._held else self._beneath.lines(name)

    def add(self, name: str, line: bytes) -> None:
        """See ``Journals``; gone with this object."""
        self._held.setdefault(name, self._beneath.lines(name)).append(line)

    def named(self, name: str) -> str:
        """See ``Journals``."""
        return self._beneath.named(name)

    def stamp(self, name: str) -> tuple[int, ...]:
        """See ``Journals``: how many lines there are."""
        if name not in self._held:
            return self._beneath.stamp(name)
        return (len(self._held[name]),) if self._held[name] else ()


def journals_at(place: Path | str | Journals) -> Journals:
    """The journals of a corpus folder, or those given."""
    return FolderJournals(Path(place)) if isinstance(place, Path | str) else place


def complete_lines(path: Path) -> list[bytes]:
    """The lines that were written to their end, in order, without their digests; none where there is no file.

    Raises CorpusError where the file is damaged, naming the line, or cannot be read; ResourceError.
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
    """Add a line, without its end; durable once this returns. Several processes may add at once.

    Raises CorpusError where the end of the file is damaged, or it cannot be written; ResourceError where the
    disk is full: then the file is as it was.
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
    """Change lines where they stand; returns how many were changed. A changed line is as long as it was, so
    that whoever adds one at the same time loses nothing. Lines that do not fit their digest stay as they are.

    Raises CorpusError where the file cannot be written; ResourceError.
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
            assert len(changed) == len(content), "a changed line is as long as it was"
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
        raise CorpusError(f"damaged: the end of {path}; mend or remove its last line")
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
    # No writer goes on behind a digest.
    goes_on = b"\t" in tail[:-1] and _is_sound(tail[:-1])
    return _Tail.DAMAGED if goes_on or not _is_beginning(tail) else _Tail.CUT


def _is_beginning(tail: bytes) -> bool:
    """Whether bytes can be the beginning of a JSON object; a disk that lost some has anything there."""
    try:
        text = getincrementaldecoder("utf-8")().decode(tail)
    except UnicodeDecodeError:
        return False
    return text.startswith("{") and min(text) >= "\t"


def _damaged(path: Path, number: int) -> CorpusError:
    return CorpusError(f"damaged: {path}:{number} does not fit its checksum; mend or remove the line")


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
