"""What was computed and may be asked for again: bounded, the longest unused goes first, hits are counted."""

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
    """How a cache was used: entries that it holds and may hold, how often something was or was not there."""

    name: str
    held: int
    places: int
    hits: int
    misses: int


class Cache(Generic[K, V]):
    """Values by key. Several threads may use it; two that miss at once both compute."""

    def __init__(self, name: str, places: int) -> None:
        """``name``: what it holds, as it is reported; ``places``: how many values at most."""
        self.name, self.places = name, places
        self.hits = self.misses = 0
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        _EVERY.add(self)

    def __len__(self) -> int:
        return len(self._values)

    def put(self, key: K, value: V) -> None:
        """Keep a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self.places:
                self._values.popitem(last=False)

    def get(self, key: K) -> V | None:
        """The value of a key, None where it is not there."""
        with self._lock:
            found: V | None = self._values.get(key)
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
                self._values.move_to_end(key)
            return found

    def made(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, made where it is not there."""
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
        """Forget everything."""
        with self._lock:
            self._values.clear()


class Caches(Generic[K, V]):
    """A cache for each of some objects, kept on the object itself: what it holds may refer to the object, and
    goes with it."""

    def __init__(self, name: str, places: int) -> None:
        """As of ``Cache``; ``places`` of each."""
        self._name, self._places = name, places
        self._lock = Lock()

    def of(self, owner: object) -> Cache[K, V]:
        """The cache of an object."""
        with self._lock:
            own: dict[Caches[Any, Any], Cache[Any, Any]] = vars(owner).setdefault("_caches", {})
            found = own.get(self)
            if found is None:
                found = own[self] = Cache(self._name, self._places)
            return found


def uses() -> list[Use]:
    """How the caches of this process are used, those of one name together, by name."""
    return together([Use(one.name, len(one), one.places, one.hits, one.misses) for one in list(_EVERY)])


def together(some: Iterable[Use]) -> list[Use]:
    """Uses of caches of one name as one, by name."""
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
