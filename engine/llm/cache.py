"""Answers kept on disk, so that the same prompt to the same model costs nothing the second time.

One small JSON file an answer, written beside its place and then put there in one step: several processes and
threads may share a folder without a lock, and a damaged file loses one answer, which is asked for again. A
database file was the other choice; on network drives it locks, and damage loses all of it. The name of a file
is a hash of all that the answer depends on. No key is part of it, and of a prompt nothing is kept but its
answer.
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

# Changed when the same prompt would be sent differently: what was kept before is not found any more.
VERSION = 1
MOST_BYTES = 64_000_000
# Room is made down to this part of the limit, so that it is not made at every answer.
KEPT_PART = 0.8
WRITES_BETWEEN_LOOKS = 64


class AnswerCache:
    """A folder of answers that holds ``most_bytes`` at most; the longest unused are removed first.

    Whatever goes wrong with the disk, an answer is merely not kept: ``trouble`` then says why.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.trouble = ""
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._writes = 0

    def get(self, key: str, schema: type[Answer]) -> Answer | None:
        """The answer kept under a key, None where there is none that fits the schema."""
        path = self._path(key)
        try:
            value = schema.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return value

    def put(self, key: str, value: BaseModel) -> None:
        """Keep an answer."""
        path = self._path(key)
        try:
            make_private_folder(path.parent)
            # A temporary file is made readable for its owner alone.
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
        """Remove all answers; returns how many."""
        return sum(_removed(path) for path in self._files())

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"

    def _files(self) -> list[Path]:
        return [path for path in self.folder.glob("??/*") if path.suffix in (".json", ".part")]

    def _make_room(self) -> None:
        """Remove what was not used for longest, until there is room again."""
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
    """The key of an answer: a hash of all that it depends on."""
    written = orjson.dumps({"version": VERSION, **parts}, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(written, digest_size=20).hexdigest()


def default_cache() -> AnswerCache | None:
    """The cache in the folder that REDSTRING_LLM_CACHE names, else in REDSTRING_HOME or the user's cache
    folder; None where the variable says "off"."""
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
