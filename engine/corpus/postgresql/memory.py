"""What was read is remembered: a generation never changes. Bounded, and safe for several threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Values by key, the ``places`` that were asked last; those that are missing are fetched in one batch."""

    def __init__(self, fetch: Callable[[Sequence[K]], Mapping[K, V]], places: int) -> None:
        """``fetch`` gives the values of distinct keys."""
        self._fetch, self._places = fetch, places
        self._held: OrderedDict[K, V] = OrderedDict()
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
                self._held[key] = known[key]
                self._held.move_to_end(key)
            while len(self._held) > self._places:
                self._held.popitem(last=False)
        return [known[key] for key in keys]
