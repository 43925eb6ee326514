"""Files that nobody but the server's own account may read."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from engine.errors import InputError
from engine.files import make_private_folder

OWNER_ONLY = 0o600


def write_private(path: Path, content: bytes) -> None:
    """Put a file in place in one step, readable by its owner alone. Raises InputError naming the file."""
    waiting = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        make_private_folder(path.parent)
        with open(os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file:
            file.write(content)
        waiting.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            waiting.unlink()
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def read_private(path: Path) -> bytes:
    """The content of such a file. Raises InputError where others may read or change it, or nobody can."""
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise InputError(f"{path}: other users of this machine can open it; chmod 600 it")
            return file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def server_secret(home: Path) -> bytes:
    """32 bytes that this server alone knows, made at first need. Raises InputError."""
    path = home / "secret"
    if not path.exists():
        made = home / f".secret.{secrets.token_hex(4)}"
        write_private(made, secrets.token_bytes(32))
        # Of several processes that make one at the same time the first wins.
        with contextlib.suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
    found = read_private(path)
    if len(found) != 32:
        raise InputError(f"{path}: is not 32 bytes; delete it to have a new one (users lose their corpora)")
    return found
