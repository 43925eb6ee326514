"""Who is logged in, in memory alone: a restart logs everybody out."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

# Of everybody and of one name; the oldest go first.
MOST, MOST_OF_NAME = 10_000, 20


@dataclass(frozen=True, slots=True)
class _Session:
    name: str
    until: float


class Sessions:
    """Names by secret. Only hashes of the secrets are kept. Safe for several threads."""

    def __init__(self, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = hours * 3600, clock
        self._open: OrderedDict[str, _Session] = OrderedDict()
        self._lock = Lock()

    def open(self, name: str) -> str:
        """Begin a session; returns its secret."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._open[_hash(secret)] = _Session(name, self._clock() + self._seconds)
            mine = [key for key, session in self._open.items() if session.name == name]
            for key in mine[:-MOST_OF_NAME]:
                del self._open[key]
            while len(self._open) > MOST:
                self._open.popitem(last=False)
        return secret

    def name(self, secret: str) -> str | None:
        """Whose session it is; None where there is none (any more)."""
        with self._lock:
            session = self._open.get(_hash(secret))
            if session is None:
                return None
            if session.until <= self._clock():
                del self._open[_hash(secret)]
                return None
            return session.name

    def close(self, secret: str) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(_hash(secret), None)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
