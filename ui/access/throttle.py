"""How often a password may be tried: each name and each address has a few tries that come back slowly."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

MOST_KEYS = 10_000


class Throttle:
    """Tries by key: ``tries`` at once, then one every ``seconds``. Bounded; safe for several threads."""

    def __init__(self, tries: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._tries, self._seconds, self._clock = tries, seconds, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, key: str) -> float:
        """Use up a try; 0 where there was one, else the seconds to wait for the next."""
        with self._lock:
            now = self._clock()
            left = self._now(key, now)
            self._put(key, left - 1 if left >= 1 else left, now)
            return 0.0 if left >= 1 else (1 - left) * self._seconds

    def give_back(self, key: str) -> None:
        """A try that succeeded does not count."""
        with self._lock:
            now = self._clock()
            self._put(key, min(self._tries, self._now(key, now) + 1), now)

    def _now(self, key: str, now: float) -> float:
        left, since = self._left.get(key, (float(self._tries), now))
        return min(self._tries, left + (now - since) / self._seconds)

    def _put(self, key: str, left: float, now: float) -> None:
        self._left[key] = (left, now)
        self._left.move_to_end(key)
        while len(self._left) > MOST_KEYS:
            self._left.popitem(last=False)
