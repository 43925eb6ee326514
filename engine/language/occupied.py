"""Which stretches of a text are taken: asked in the logarithm of their number, however many there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class Occupied:
    """Stretches of a text; those that overlap become one."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.add(start, end)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any character from ``start`` to before ``end`` is taken."""
        first, last = self._between(start, end)
        return first < last

    def add(self, start: int, end: int) -> None:
        """Take a stretch."""
        first, last = self._between(start, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def _between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self._ends, start), bisect_left(self._starts, end)
