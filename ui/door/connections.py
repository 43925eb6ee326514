"""Connections: how many one address may hold, and how long a request may take to say what it wants.

A hundred connections that each send a byte now and then would otherwise hold all places of the server
(Slowloris). uvicorn bounds the connections of all and the size of headers, not these two.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ui.door.address import Network, group, parsed

# An office behind one address has some pages open; a named proxy speaks for everybody.
MOST_OF_ADDRESS = 100
HEADERS_SECONDS = 15.0


def bounded(proxies: Iterable[Network] = ()) -> type[H11Protocol]:
    """uvicorn's own protocol with both bounds; connections of ``proxies`` are not counted."""
    trusted, held = tuple(proxies), Counter[str]()

    class Bounded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.deadline: asyncio.TimerHandle | None = None
            address = parsed(self.client[0]) if self.client else None
            self.counted = group(address)
            held[self.counted] += 1
            proxy = address is not None and any(address in network for network in trusted)
            if held[self.counted] > MOST_OF_ADDRESS and not proxy:
                transport.close()
            else:
                self.hurry()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self.rest()
            held[self.counted] -= 1
            if held[self.counted] <= 0:
                del held[self.counted]

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            # Headers that are not whole yet keep the clock running.
            if self.conn.their_state is h11.IDLE:
                self.hurry()
            else:
                self.rest()

        def hurry(self) -> None:
            if self.deadline is None:
                self.deadline = self.loop.call_later(HEADERS_SECONDS, self.transport.close)

        def rest(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

    return Bounded
