"""Who is served next: places for all visitors, shared fairly between those who wait for one.

Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996), every case counting the same: a case is due one
case after its visitor's last one, or now. Ten cases of one visitor come after the first of another who asks
later, and nobody waits for ever.
"""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

from engine.errors import ResourceError

Place = TypeVar("Place")


class Ticket(Generic[Place]):
    """A visitor's claim to a place. ``place`` is None until it is served, and where the line was closed."""

    def __init__(self, visitor: str, due: float, number: int) -> None:
        self.visitor, self.due, self.number = visitor, due, number
        self.place: Place | None = None
        self.called = threading.Event()

    @property
    def order(self) -> tuple[float, int]:
        """What is lowest is served first."""
        return self.due, self.number


class Line(Generic[Place]):
    """Free places and those who wait for one, at most ``longest`` of them. Safe for several threads."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._free: list[Place] = []
        self._waiting: list[Ticket[Place]] = []
        # When the next case of a visitor is due; that of whoever is not behind need not be known.
        self._next_due: dict[str, float] = {}
        self._now, self._number, self._closed = 0.0, 0, False
        self._lock = threading.Lock()
        self.taken = self.served = self.refused = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def free(self) -> int:
        """Places that nobody has."""
        return len(self._free)

    def join(self, visitor: str) -> Ticket[Place]:
        """Take a ticket, which may be served at once. Raises ResourceError where too many wait."""
        with self._lock:
            if len(self._waiting) >= self._longest:
                self.refused += 1
                raise ResourceError(
                    f"{len(self._waiting)} cases wait for their turn already; ask again in a moment"
                )
            self._number += 1
            ticket = Ticket[Place](visitor, max(self._now, self._next_due.get(visitor, 0.0)), self._number)
            self._next_due[visitor] = ticket.due + 1
            self._waiting.append(ticket)
            self._serve()
        return ticket

    def ahead(self, ticket: Ticket[Place]) -> int:
        """How many are served before a ticket that waits, as things stand."""
        with self._lock:
            return sum(other.order < ticket.order for other in self._waiting)

    def add(self, place: Place) -> None:
        """There is one place more."""
        with self._lock:
            self._free.append(place)
            self._serve()

    def give_back(self, place: Place | None) -> None:
        """A place that a ticket had is free; None: it is there no more."""
        with self._lock:
            self.taken -= 1
        if place is not None:
            self.add(place)

    def leave(self, ticket: Ticket[Place]) -> None:
        """Wait no more. A place that was given meanwhile is free for others."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
            place, ticket.place = ticket.place, None
        if place is not None:
            self.give_back(place)

    def close(self) -> None:
        """There will be no place any more: whoever waits, or comes, is called without one."""
        with self._lock:
            self._closed = True
            self._serve()

    def _serve(self) -> None:
        while self._waiting and (self._free or self._closed):
            ticket = min(self._waiting, key=lambda one: one.order)
            self._waiting.remove(ticket)
            self._now = max(self._now, ticket.due)
            self._next_due = {name: due for name, due in self._next_due.items() if due > self._now}
            ticket.place = None if self._closed else self._free.pop()
            self.served += 1
            self.taken += not self._closed
            ticket.called.set()
