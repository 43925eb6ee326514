"""How far an ingestion is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from tqdm import tqdm

# Called with the name of a step, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Tells nobody."""


class ProgressBar:
    """One bar on standard error, which each step fills in turn. Used as a context manager."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._step = ""

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show the state of a step."""
        if self._bar is None:
            self._bar = tqdm(total=total, desc=step, file=sys.stderr, mininterval=0.2, dynamic_ncols=True)
            self._step = step
        elif (step, total) != (self._step, self._bar.total):
            self._step = step
            self._bar.set_description_str(step, refresh=False)
            self._bar.reset(total)
        self._bar.update(done - self._bar.n)
