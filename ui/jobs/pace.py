"""How long work will take, by how fast it went lately."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

# So many steps say how fast it goes: what was quick at the beginning is soon forgotten.
LOOKED_AT = 6


class Pace:
    """Hears how much of a step is done. ``clock``: seconds from anywhere."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._step, self._total = "", 0
        self._heard: deque[tuple[float, int]] = deque(maxlen=LOOKED_AT)

    def hear(self, step: str, done: int, total: int) -> None:
        """So much of a step is done."""
        if (step, total) != (self._step, self._total):
            self._step, self._total = step, total
            self._heard.clear()
        if not self._heard or done > self._heard[-1][1]:
            self._heard.append((self._clock(), done))

    @property
    def seconds_left(self) -> float | None:
        """Until the end of the step, s; None where nothing can be said yet."""
        if len(self._heard) < 2:
            return None
        (began, first), (at, last) = self._heard[0], self._heard[-1]
        if at <= began:
            return None
        left = (self._total - last) * (at - began) / (last - first)
        return max(0.0, left - (self._clock() - at))
