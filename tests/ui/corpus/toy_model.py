"""An endpoint of the operator's that gives vectors, as many as a test lets it."""

from __future__ import annotations

import time
from threading import Event, Semaphore

from tests.engine.endpoint import Answer, EmbeddingServer, vectors
from ui.corpus.orders import PAUSE

LONGEST = 60.0


class Toy:
    """The operator's endpoint, which answers when it is let."""

    def __init__(self, server: EmbeddingServer) -> None:
        self.server, self.spec = server, f"{server.spec}?languages=en"
        self._go, self._some = Event(), Semaphore(0)
        server.usual = Answer(200, self._answer)

    def let(self, requests: int = 0) -> None:
        """Let it answer so many requests; none: all from now on."""
        if requests:
            self._some.release(requests)
        else:
            self._go.set()

    def _answer(self, texts: list[str]) -> object:
        until = time.monotonic() + LONGEST
        while not self._go.is_set() and not self._some.acquire(timeout=0.01) and time.monotonic() < until:
            pass
        if not self._go.is_set():
            # A step is told no more often than this.
            time.sleep(1.2 * PAUSE)
        return vectors(texts)
