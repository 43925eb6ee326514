"""Folders of one server that go with it: for all that it writes for a while, and for its jobs.

Each is closed to other users and locked as long as its server lives. One that nobody holds was left behind by
a server that was killed: the next one removes it.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.files import make_private_folder

FOLDER = "work"
PREFIX, BEGINNING = "redstring-server-", "redstring-beginning-"


class ServerFolder:
    """A folder of this server below another one, in which those of dead servers are removed."""

    def __init__(self, above: Path) -> None:
        make_private_folder(above)
        remove_left(above)
        made = Path(tempfile.mkdtemp(prefix=BEGINNING, dir=above))
        self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # It gets the name that others look for when it is held: none can take it for a dead server's.
        self.path = made.rename(above / f"{PREFIX}{made.name.removeprefix(BEGINNING)}")

    def close(self) -> None:
        """Remove it with all that it holds."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_left(above: Path) -> None:
    """Remove what servers that no longer live have left in a folder."""
    for left in above.glob(f"{PREFIX}*"):
        # It is held by a server that lives, is removed by another, or is another user's.
        with suppress(OSError):
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder in which all temporary files are made meanwhile: uploads, files of libraries."""
    folder = ServerFolder(Path(tempfile.gettempdir()))
    before = tempfile.tempdir
    # Processes of the server inherit the variable, Gradio reads its own.
    variables = {name: os.environ.get(name) for name in ("TMPDIR", "GRADIO_TEMP_DIR")}
    try:
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder.path)
        os.environ["GRADIO_TEMP_DIR"] = str(folder.path / "uploads")
        yield folder.path
    finally:
        tempfile.tempdir = before
        for name, value in variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        folder.close()


class Workspaces:
    """The folders of one server's jobs, below its home, without one below the system's temporary folder."""

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._own: ServerFolder | None = None
        atexit.register(self.close)
        if home is not None:
            remove_left(home / FOLDER)

    def new(self) -> Path:
        """A new, empty folder for one job; whoever asked for it removes it."""
        if self._own is None:
            above = Path(tempfile.gettempdir()) if self._home is None else self._home / FOLDER
            self._own = ServerFolder(above)
        return Path(tempfile.mkdtemp(prefix="job-", dir=self._own.path))

    def close(self) -> None:
        """Remove all of them."""
        if self._own is not None:
            self._own.close()
            self._own = None
