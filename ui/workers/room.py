"""Where a piece of work is done: the corpora that are open there, and whether it is to stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.corpus.protocol import Corpus


class Room:
    """What a piece of work finds around it. ``opened`` gives the corpus of a folder as it stands now."""

    def __init__(self, opened: Callable[[Path], Corpus]) -> None:
        self.opened = opened
        self._stop: Callable[[], None] | None = None
        self._stopped = False

    def stoppable(self, stop: Callable[[], None]) -> None:
        """From now on ``stop`` ends the work early; it is called from another thread, at once where the work
        was to stop already."""
        self._stop = stop
        if self._stopped:
            stop()

    def stop(self) -> None:
        """The work is wanted no more."""
        self._stopped = True
        if self._stop is not None:
            self._stop()
