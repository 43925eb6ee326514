"""The one gate for opening files from untrusted sources.

A file is opened only if no part of its path is a symbolic link, and only if it contains data. Each part is
opened relative to the one above it without following links (POSIX ``openat`` with ``O_NOFOLLOW``), so that a
link inserted concurrently is refused, too. Paths from an operator may be links: ``named`` resolves them once.
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
# Sufficient to pass through a folder without permission to list it.
_ENTER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe that replaces the file at the last moment does not block the reader.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_SYSTEM = ("/proc", "/sys")


def named(path: Path) -> Path:
    """Return an operator's path with links resolved. Raises OSError if it does not exist."""
    return Path(os.path.realpath(path, strict=True))


def opened(path: Path) -> BufferedReader:
    """Open a file for reading. Raises FileRefusedError for a link or no data file, OSError as ``open``."""
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
    """Return the content of a file.

    Raises FileRefusedError if it is larger than ``largest``, else as ``opened``.
    """
    with opened(path) as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise FileRefusedError(f"larger than {largest:,} bytes: not read")
    return content


def read_named(path: Path, largest: int) -> bytes:
    """Return the content of an operator's file, which may be a link; as ``read``."""
    return read(named(path), largest)


def entries(folder: Path) -> list[tuple[str, int]]:
    """Return the names in a folder with their types (type bits of ``stat``; links are links).

    Raises as ``opened``.
    """
    with _folder(folder, _LIST) as handle:
        if os.fstat(handle).st_dev in _system_devices():
            raise FileRefusedError(NO_DATA)
        found = []
        with os.scandir(handle) as listed:
            for entry in listed:
                # Skip a name that disappears concurrently.
                try:
                    kind = stat.S_IFMT(os.stat(entry.name, dir_fd=handle, follow_symlinks=False).st_mode)
                except FileNotFoundError:
                    continue
                found.append((entry.name, kind))
        return found


def is_there(path: Path) -> bool:
    """Return whether a path without links exists."""
    try:
        with _folder(path.parent, _ENTER) as parent:
            return not stat.S_ISLNK(os.stat(path.name, dir_fd=parent, follow_symlinks=False).st_mode)
    except (OSError, ValueError, FileRefusedError):
        return False


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents with access for this account only, whatever the umask.

    An existing folder is unchanged. Raises OSError.
    """
    for one in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        with suppress(FileExistsError):
            one.mkdir(mode=stat.S_IRWXU)
            # A confined process must not change modes; its umask is private already.
            with suppress(PermissionError):
                one.chmod(stat.S_IRWXU)


def target(link: Path) -> Path | None:
    """Return the target of a link without accessing it; None if it is not a link."""
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
    """Yield a descriptor of a folder, reached from the root without following links."""
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
        # The error for a link is its own, or "not a directory" if a folder was expected.
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link(name, folder)):
            raise FileRefusedError(LINK) from None
        raise


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


@cache
def _system_devices() -> frozenset[int]:
    """Return the devices of pseudo file systems, whose files contain no data."""
    return frozenset(os.stat(path).st_dev for path in _SYSTEM if os.path.ismount(path))
