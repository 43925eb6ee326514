"""What was read is remembered: a generation never changes. Bounded, and safe for several threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Values by key, those that were asked last, as many as fit; those that are missing are fetched in one
    batch."""

    def __init__(
        self, fetch: Callable[[Sequence[K]], Mapping[K, V]], room: int, size: Callable[[V], int] | None = None
    ) -> None:
        """``fetch`` gives the values of distinct keys. ``room`` is a number of values, or with ``size`` the
        sum of what that says of them."""
        self._fetch, self._room, self._size = fetch, room, size
        self._held: OrderedDict[K, V] = OrderedDict()
        self._used = 0
        self._lock = Lock()

    def get(self, keys: Sequence[K]) -> list[V]:
        """The value of each key. Raises KeyError for one that is not fetched, and what ``fetch`` raises."""
        with self._lock:
            known = {key: self._held[key] for key in keys if key in self._held}
        missing = list(dict.fromkeys(key for key in keys if key not in known))
        if missing:
            known |= self._fetch(missing)
        with self._lock:
            for key in keys:
                if key not in self._held:
                    self._held[key] = known[key]
                    self._used += self._of(known[key])
                self._held.move_to_end(key)
            while self._used > self._room:
                self._used -= self._of(self._held.popitem(last=False)[1])
        return [known[key] for key in keys]

    def _of(self, value: V) -> int:
        return 1 if self._size is None else self._size(value)
