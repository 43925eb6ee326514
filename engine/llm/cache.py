"""A cache of answers on disk: the same prompt to the same model costs nothing the second time.

Each answer is a small JSON file, written next to its path and then renamed: several processes and threads may
share a folder without a lock, and a damaged file loses one answer, which is requested again. The alternative
was a database file, but it locks on network drives, and damage loses all of it. The name of a file is a hash
of everything that the answer depends on, except keys. Nothing of the prompt is stored.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from platformdirs import user_cache_path
from pydantic import BaseModel, ValidationError

from engine.files import make_private_folder
from engine.llm.base import Answer
from engine.operator_settings import OFF, operator_settings

# Increased when the same prompt would be sent differently: earlier answers are no longer found.
VERSION = 1
MOST_BYTES = 64_000_000
# Cleaning removes files down to this share of the limit, so that it does not run for every answer.
KEPT_PART = 0.8
WRITES_BETWEEN_LOOKS = 64


class AnswerCache:
    """A folder of answers of at most ``most_bytes``; the least recently used are removed first.

    If the disk fails, an answer is not cached; ``trouble`` then contains the reason.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.trouble = ""
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._writes = 0

    def get(self, key: str, schema: type[Answer]) -> Answer | None:
        """Return the answer cached for a key, None if there is none that fits the schema."""
        path = self._path(key)
        try:
            value = schema.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return value

    def put(self, key: str, value: BaseModel) -> None:
        """Store an answer."""
        path = self._path(key)
        try:
            make_private_folder(path.parent)
            # A temporary file is readable by its owner only.
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(value.model_dump_json().encode())
                os.replace(name, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            self.trouble = f"answers are not kept in {self.folder}: {error.strerror or error}"
            return
        with self._lock:
            self._writes += 1
            look = self._writes % WRITES_BETWEEN_LOOKS == 1
        if look:
            self._make_room()

    def clear(self) -> int:
        """Remove all answers and return their number."""
        return sum(_removed(path) for path in self._files())

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"

    def _files(self) -> list[Path]:
        return [path for path in self.folder.glob("??/*") if path.suffix in (".json", ".part")]

    def _make_room(self) -> None:
        """Remove the least recently used answers until there is room again."""
        found = []
        for path in self._files():
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        held = sum(size for _, size, _ in found)
        if held <= self._most_bytes:
            return
        for _, size, path in sorted(found, key=lambda item: item[0]):
            if held <= self._most_bytes * KEPT_PART:
                break
            held -= size * _removed(path)


def answer_key(parts: Mapping[str, Any]) -> str:
    """Return the key of an answer: a hash of everything that it depends on."""
    written = orjson.dumps({"version": VERSION, **parts}, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(written, digest_size=20).hexdigest()


def default_cache() -> AnswerCache | None:
    """Return the cache in REDSTRING_LLM_CACHE, else in REDSTRING_HOME or the user's cache folder.

    None if the variable is "off".
    """
    settings = operator_settings()
    named = settings.llm_cache
    if named.lower() == OFF:
        return None
    usual = (settings.home or user_cache_path("redstring")) / "answers"
    return AnswerCache(Path(named).expanduser() if named else usual)


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
