"""When a request is sent again, and how long to wait before."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.llm.sending import POLL_SECONDS
from engine.network.fetching import TIMED_OUT, UNREACHABLE, Received

# Nothing was wrong with the request itself; 501 and 505 say that the server will never do it.
PASSING = frozenset({TIMED_OUT, UNREACHABLE, 408, 409, 425, 429})
LASTING = frozenset({501, 505})
# What OpenAI says with status 429 where waiting does not help.
NO_MONEY = "insufficient_quota"


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long. Waits have full jitter: a random part of a time that doubles
    (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), or what the server asks for,
    up to ``obeyed`` seconds. ``sleep`` and ``random`` can be put in by tests."""

    retries: int = 3
    first: float = 0.5
    longest: float = 8.0
    obeyed: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = field(default=random.random)

    def seconds(self, attempt: int, headers: Mapping[str, str]) -> float | None:
        """Seconds to wait after this attempt, counted from 0; None where the server asks for too many."""
        asked = asked_seconds(headers)
        if asked is not None:
            return asked if asked <= self.obeyed else None
        return self.random() * min(self.longest, self.first * float(2**attempt))

    def wait(self, seconds: float, check: Callable[[], None]) -> None:
        """Wait; ``check`` is called before each slice, and what it raises ends the wait."""
        left = seconds
        check()
        while left > 0:
            part = min(POLL_SECONDS, left)
            self.sleep(part)
            left -= part
            check()


def passing(received: Received) -> bool:
    """Whether the same request may succeed later."""
    if received.status == 429 and NO_MONEY in received.body:
        return False
    return received.status in PASSING or (received.status >= 500 and received.status not in LASTING)


def asked_seconds(headers: Mapping[str, str]) -> float | None:
    """What ``Retry-After-Ms`` or ``Retry-After`` ask for: a number, or a date (RFC 9110, 10.2.3)."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "")
        try:
            seconds = float(text) / unit
        except ValueError:
            continue
        if seconds >= 0:
            return seconds
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
