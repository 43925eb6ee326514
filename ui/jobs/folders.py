"""Corpora that are being changed: by one job at a time, of whatever kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from engine.errors import InputError


class Folders:
    """The folders that somebody of this server changes. Safe for several threads."""

    def __init__(self) -> None:
        self._taken: set[Path] = set()
        self._lock = Lock()

    def take(self, folder: Path, name: str) -> None:
        """Keep others off. Raises InputError where somebody has it; ``name`` is what visitors call it."""
        with self._lock:
            if folder in self._taken:
                raise InputError(f"{name!r} is being changed; wait until that is done")
            self._taken.add(folder)

    def give_back(self, folder: Path) -> None:
        """Let others change it."""
        with self._lock:
            self._taken.discard(folder)

    @contextmanager
    def taken(self, folder: Path, name: str) -> Iterator[None]:
        """Keep others off for a while. Raises InputError where somebody has it."""
        self.take(folder, name)
        try:
            yield
        finally:
            self.give_back(folder)
