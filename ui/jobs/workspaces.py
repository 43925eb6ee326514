"""Folders that jobs work in: below the server's own home, closed to other users, gone when it ends.

Each server has a folder of its own with a lock that it holds as long as it lives. One that nobody holds was
left behind by a server that was killed: the next one removes it.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

FOLDER = "work"
_LOCK = ".lock"


class Workspaces:
    """The folders of one server. ``home`` None: it has none, and a folder of the system's is taken."""

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._own: Path | None = None
        self._lock: int | None = None
        atexit.register(self.close)
        if home is not None:
            sweep(home / FOLDER)

    def new(self) -> Path:
        """A new, empty folder for one job; whoever asked for it removes it."""
        if self._own is None:
            self._own = self._begin()
        return Path(tempfile.mkdtemp(prefix="job-", dir=self._own))

    def close(self) -> None:
        """Remove all of them."""
        if self._own is not None and self._lock is not None:
            shutil.rmtree(self._own, ignore_errors=True)
            os.close(self._lock)
            self._own = self._lock = None

    def _begin(self) -> Path:
        parent = None if self._home is None else self._home / FOLDER
        if parent is not None:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = Path(tempfile.mkdtemp(prefix="redstring-server-", dir=parent))
        self._lock = os.open(own / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        return own


def sweep(folder: Path) -> None:
    """Remove what servers that no longer live have left in a folder."""
    for left in folder.glob("redstring-server-*"):
        try:
            lock = os.open(left / _LOCK, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            # A server that begins at this moment has not made its lock yet; one that died then left nothing.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(lock)
