"""Bounded caches with counted hits; the least recently used value is dropped first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_EVERY: WeakSet[Cache[Any, Any]] = WeakSet()
_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Use:
    """Statistics of a cache: size, capacity, hits and misses."""

    name: str
    held: int
    places: int
    hits: int
    misses: int


class Cache(Generic[K, V]):
    """Values by key. Threads may share it; two that miss at once both compute."""

    def __init__(self, name: str, places: int) -> None:
        """``name``: the content, for reports; ``places``: the capacity."""
        self.name, self.places = name, places
        self.hits = self.misses = 0
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        _EVERY.add(self)

    def __len__(self) -> int:
        return len(self._values)

    def put(self, key: K, value: V) -> None:
        """Store a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self.places:
                self._values.popitem(last=False)

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it is missing."""
        with self._lock:
            found: V | None = self._values.get(key)
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
                self._values.move_to_end(key)
            return found

    def made(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, computed if it is missing."""
        with self._lock:
            found: V = self._values.get(key, _MISSING)
            if found is not _MISSING:
                self.hits += 1
                self._values.move_to_end(key)
                return found
            self.misses += 1
        found = make()
        self.put(key, found)
        return found

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()


class Caches(Generic[K, V]):
    """A cache for each of some objects, stored on the object itself, to which its values may refer."""

    def __init__(self, name: str, places: int) -> None:
        """As for ``Cache``; ``places`` each."""
        self._name, self._places = name, places
        self._lock = Lock()

    def of(self, owner: object) -> Cache[K, V]:
        """Return the cache of an object."""
        with self._lock:
            own: dict[Caches[Any, Any], Cache[Any, Any]] = vars(owner).setdefault("_caches", {})
            found = own.get(self)
            if found is None:
                found = own[self] = Cache(self._name, self._places)
            return found


def uses() -> list[Use]:
    """Return the statistics of this process's caches, summed by name."""
    return sum_by_name([Use(one.name, len(one), one.places, one.hits, one.misses) for one in list(_EVERY)])


def sum_by_name(some: Iterable[Use]) -> list[Use]:
    """Return statistics summed by name."""
    by_name: dict[str, list[Use]] = {}
    for use in some:
        by_name.setdefault(use.name, []).append(use)
    return [
        Use(
            name,
            sum(one.held for one in same),
            sum(one.places for one in same),
            sum(one.hits for one in same),
            sum(one.misses for one in same),
        )
        for name, same in sorted(by_name.items())
    ]
