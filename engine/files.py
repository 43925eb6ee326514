"""The one gate through which a file is opened that others wrote, sent or named.

A file is opened only by a path of which no part is a symbolic link, and only if it is a file of data. Each
part is opened from the one above it, so that a link which is put in its place in between is refused too: the
system itself is told not to follow (POSIX ``openat`` with ``O_NOFOLLOW``). What an operator names may be a
link: it is resolved once, by ``named``, before anything below it is looked at.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from io import BufferedReader
from pathlib import Path

from engine.errors import FileRefusedError

LINK = "a link: not followed"
NO_DATA = "not a file of data (a pipe, a socket, a device or a file of the system)"
# Enough to enter a folder of which only the way through is allowed.
_ENTER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe that takes the place of a file at the last moment does not keep the reader waiting.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_SYSTEM = ("/proc", "/sys")


def named(path: Path) -> Path:
    """What an operator has named, free of links. Raises OSError where it is not there."""
    return Path(os.path.realpath(path, strict=True))


def opened(path: Path) -> BufferedReader:
    """A file, for reading. Raises FileRefusedError for a link or no file of data, OSError as ``open``."""
    with _folder(path.parent, _ENTER) as parent:
        before = os.stat(path.name, dir_fd=parent, follow_symlinks=False)
        _check(before)
        handle = _at(path.name, _READ, parent)
        try:
            _check(os.fstat(handle))
            os.set_blocking(handle, True)
            return os.fdopen(handle, "rb")
        except BaseException:
            os.close(handle)
            raise


def read(path: Path, largest: int) -> bytes:
    """The whole of a file of at most so many bytes. Raises FileRefusedError for a larger one, else as
    ``opened``."""
    with opened(path) as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise FileRefusedError(f"larger than {largest:,} bytes: not read")
    return content


def read_named(path: Path, largest: int) -> bytes:
    """``read`` of a file that an operator has named, which may be a link."""
    return read(named(path), largest)


def entries(folder: Path) -> list[tuple[str, int]]:
    """Names in a folder and what each is, as the type bits of ``stat``, a link as a link. Raises as
    ``opened``."""
    with _folder(folder, _LIST) as handle:
        if os.fstat(handle).st_dev in _system_devices():
            raise FileRefusedError(NO_DATA)
        found = []
        with os.scandir(handle) as listed:
            for entry in listed:
                # A name that goes away meanwhile is no file.
                try:
                    kind = stat.S_IFMT(os.stat(entry.name, dir_fd=handle, follow_symlinks=False).st_mode)
                except FileNotFoundError:
                    continue
                found.append((entry.name, kind))
        return found


def is_there(path: Path) -> bool:
    """Whether a file or folder stands at a path of which no part is a link."""
    try:
        with _folder(path.parent, _ENTER) as parent:
            return not stat.S_ISLNK(os.stat(path.name, dir_fd=parent, follow_symlinks=False).st_mode)
    except (OSError, ValueError, FileRefusedError):
        return False


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the account of this program alone, whatever its
    umask is. A folder that is there stays as it is. Raises OSError."""
    for one in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        with suppress(FileExistsError):
            one.mkdir(mode=stat.S_IRWXU)
            # A confined process may set no rights: its umask leaves those of the owner.
            with suppress(PermissionError):
                one.chmod(stat.S_IRWXU)


def target(link: Path) -> Path | None:
    """Where a link says that it leads: nothing there is looked at. None where it is no link."""
    try:
        return Path(os.path.normpath(link.parent / os.readlink(link)))
    except (OSError, ValueError):
        return None


def _check(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise FileRefusedError(LINK)
    if not stat.S_ISREG(status.st_mode) or status.st_dev in _system_devices():
        raise FileRefusedError(NO_DATA)


@contextmanager
def _folder(folder: Path, how: int) -> Iterator[int]:
    """A descriptor of a folder, reached from the root without following a link."""
    first, *parts = Path(os.path.abspath(folder)).parts
    handle = os.open(first, how if not parts else _ENTER)
    try:
        for number, part in enumerate(parts, 1):
            below = _at(part, how if number == len(parts) else _ENTER, handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _at(name: str, how: int, folder: int) -> int:
    try:
        return os.open(name, how, dir_fd=folder)
    except OSError as error:
        # A link is told as such, or as no folder where a folder was wanted.
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link(name, folder)):
            raise FileRefusedError(LINK) from None
        raise


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


@cache
def _system_devices() -> frozenset[int]:
    """The file systems whose files are no data: those that the system makes up as they are read."""
    return frozenset(os.stat(path).st_dev for path in _SYSTEM if os.path.ismount(path))
