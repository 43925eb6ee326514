"""What stands in the blocks of a corpus, by number and by id, made block by block when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Index
from engine.corpus.embedded.block import hashed


class IdPlaces(Mapping[str, int]):
    """Where the ids of a corpus stand: those that were ``learnt``, as whatever has them was looked at, are in
    a table, all others are looked for by their hashes."""

    def __init__(self, hashes: NDArray[np.uint64], id_of: Callable[[int], str]) -> None:
        self._order = np.argsort(hashes, kind="stable")
        self._hashes, self._id_of = hashes[self._order], id_of
        self._learnt: dict[str, int] = {}

    def learn(self, ids: Iterable[str], first: int) -> None:
        """Take in some ids that stand one after the other from ``first`` on."""
        self._learnt.update(zip(ids, count(first)))

    def forget(self) -> None:
        """Let go of the ids that were learnt."""
        self._learnt.clear()

    def __getitem__(self, name: str) -> int:
        learnt = self._learnt.get(name)
        if learnt is not None:
            return learnt
        wanted = np.uint64(hashed(name))
        place = int(np.searchsorted(self._hashes, wanted))
        while place < len(self._hashes) and self._hashes[place] == wanted:
            found = int(self._order[place])
            if self._id_of(found) == name:
                return found
            place += 1
        raise KeyError(name)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        return map(self._id_of, range(len(self)))

    def of(self, names: Iterable[str]) -> dict[str, int]:
        """Where some ids stand, by id, those that are nowhere left out: many are looked for at once."""
        wanted = list(dict.fromkeys(names))
        keys = np.fromiter(map(hashed, wanted), np.uint64, len(wanted))
        places = np.searchsorted(self._hashes, keys)
        there = np.flatnonzero(np.append(self._hashes, np.uint64(0))[places] == keys)
        there = there[places[there] < len(self._hashes)]
        found: dict[str, int] = {}
        for name, number in zip(
            (wanted[one] for one in there.tolist()), self._order[places[there]].tolist(), strict=True
        ):
            # Another id with the same hash may stand in front of it.
            own = number if self._id_of(number) == name else self.get(name)
            if own is not None:
                found[name] = own
        return found


class HasId(Protocol):
    """Something with an id of its own."""

    @property
    def id(self) -> str:
        """The id."""
        ...


T = TypeVar("T", bound=HasId)


class InBlocks(Sequence[T], Generic[T]):
    """What stands in the blocks of a view, by number in the corpus; a block's part is made when it is asked
    for. ``first``: the first number of each block, shape (blocks + 1,); ``places`` learn the ids of what is
    made. ``made``: how many are held."""

    def __init__(self, first: Index, load: Callable[[int], list[T]], places: IdPlaces) -> None:
        self._first, self._load, self._places = first, load, places
        self._held: list[T | None] = [None] * int(first[-1])
        self.made = 0

    def forget(self) -> None:
        """Let go of all that was made."""
        self._held = [None] * len(self._held)
        self.made = 0

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...
    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        return self._held[number] or self._made(range(len(self))[number])

    def place(self, number: int) -> slice:
        """Where a block's part stands."""
        return slice(int(self._first[number]), int(self._first[number + 1]))

    def _made(self, number: int) -> T:
        block = int(np.searchsorted(self._first, number, side="right")) - 1
        place = self.place(block)
        loaded: list[T] = self._load(block)
        self._hold(place, loaded)
        made: T = loaded[number - place.start]
        return made

    def _hold(self, place: slice, loaded: Sequence[T]) -> None:
        self._held[place] = loaded
        self._places.learn((one.id for one in loaded), place.start)
        self.made += len(loaded)
