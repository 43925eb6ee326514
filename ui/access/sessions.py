"""Who is logged in, in memory alone: a restart logs everybody out."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

# Sessions of all names and of one name; the oldest are ended first.
MOST, MOST_OF_NAME = 10_000, 20


@dataclass(frozen=True, slots=True)
class Session:
    """A login. ``credential`` is the one that it was opened with, ``until`` when it ends, s of the clock."""

    name: str
    credential: str = field(repr=False)
    until: float


class Sessions:
    """Sessions by secret. Only hashes of the secrets are kept. Safe for several threads."""

    def __init__(self, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = hours * 3600, clock
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def open(self, name: str, credential: str = "") -> str:
        """Begin a session; returns its secret."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._open[_hash(secret)] = Session(name, credential, self._clock() + self._seconds)
            mine = [key for key, session in self._open.items() if session.name == name]
            for key in mine[:-MOST_OF_NAME]:
                del self._open[key]
            while len(self._open) > MOST:
                self._open.popitem(last=False)
        return secret

    def find(self, secret: str) -> Session | None:
        """Return the session of a secret, None if there is none (any more)."""
        with self._lock:
            session = self._open.get(_hash(secret))
            if session is None:
                return None
            if session.until <= self._clock():
                del self._open[_hash(secret)]
                return None
            return session

    def close(self, secret: str) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(_hash(secret), None)

    def end(self, name: str, valid: str | None) -> None:
        """End the sessions of a name that were not opened with the credential that is valid now."""
        with self._lock:
            for key, session in [*self._open.items()]:
                if session.name == name and session.credential != valid:
                    del self._open[key]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
