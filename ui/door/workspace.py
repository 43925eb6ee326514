"""One private folder for all that the server writes for a while: uploads, workspaces, files of libraries.

It is removed when the server ends; what a killed server left is removed when the next one starts.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX, LOCK = "redstring-server-", "lock"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make the folder, readable for nobody else, and have all temporary files made inside it."""
    above = Path(tempfile.gettempdir())
    _remove_left(above)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above))
    before = tempfile.tempdir
    # Processes of the server inherit the variable, Gradio reads its own.
    variables = {name: os.environ.get(name) for name in ("TMPDIR", "GRADIO_TEMP_DIR")}
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
            os.environ["GRADIO_TEMP_DIR"] = str(folder / "uploads")
            yield folder
        finally:
            tempfile.tempdir = before
            for name, value in variables.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            shutil.rmtree(folder, ignore_errors=True)


def _remove_left(above: Path) -> None:
    """Remove folders whose server lives no more: it held the lock as long as it did."""
    for folder in above.glob(f"{PREFIX}*"):
        try:
            with (folder / LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            # It is held by a server that runs, is being made this moment, or is another user's.
            continue
