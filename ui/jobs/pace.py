"""Estimate the remaining time of a job from its recent pace."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

# Number of recent reports that the pace is computed from, so that a fast start is soon forgotten.
LOOKED_AT = 6


class Pace:
    """Estimates the remaining time of a step from progress reports. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._step, self._total = "", 0
        self._heard: deque[tuple[float, int]] = deque(maxlen=LOOKED_AT)

    def hear(self, step: str, done: int, total: int) -> None:
        """Record the progress of a step."""
        if (step, total) != (self._step, self._total):
            self._step, self._total = step, total
            self._heard.clear()
        if not self._heard or done > self._heard[-1][1]:
            self._heard.append((self._clock(), done))

    @property
    def seconds_left(self) -> float | None:
        """Return the time until the end of the step, s; None without an estimate."""
        if len(self._heard) < 2:
            return None
        (began, first), (at, last) = self._heard[0], self._heard[-1]
        if at <= began:
            return None
        left = (self._total - last) * (at - began) / (last - first)
        return max(0.0, left - (self._clock() - at))
