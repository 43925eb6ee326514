"""Requests to a server of language models: secrets, sending, retries."""

from __future__ import annotations

import asyncio
import email.utils
import random
import re
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from engine.errors import SettingsError
from engine.llm.spec import ModelSpec
from engine.network import TIMED_OUT, UNREACHABLE, Network, Received, background_loop, fetch, open_client

if TYPE_CHECKING:
    import httpx2


# A key that cannot be shown: not by repr, a log, an exception, a copy or a saved file.

REDACTED = "[key]"
# A shorter key is a word ("ollama", "none"): only the whole word is taken out, and none under four letters.
SHORT, SHORTEST = 8, 4
# Servers shorten a key in their errors ("sk-ab***wxyz"); so much of its start or end is already too much.
FEWEST_SHOWN = 12


def checked_key(text: str, whose: str = "the language model") -> Secret:
    """A key, or none where it is empty. Raises SettingsError, which repeats nothing of it."""
    text = text.strip()
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise SettingsError(f"the key of {whose} holds characters that no key has")
    return Secret(text)


class Secret:
    """A key. Only ``reveal`` gives it, and only the code that sends a request calls that."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value.strip()

    def __bool__(self) -> bool:
        return self._value != ""

    def __repr__(self) -> str:
        return "Secret()" if not self._value else "Secret(**********)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a key is not stored")

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self

    def reveal(self) -> str:
        """The key itself, for the header of a request."""
        return self._value

    def redact(self, text: str) -> str:
        """A text without the key, or the long beginnings and ends of it."""
        if len(self._value) < SHORTEST:
            return text
        if len(self._value) < SHORT:
            return re.sub(rf"(?<!\w){re.escape(self._value)}(?!\w)", REDACTED, text)
        text = text.replace(self._value, REDACTED)
        if len(self._value) > FEWEST_SHOWN:
            for part in (self._value[:FEWEST_SHOWN], self._value[-FEWEST_SHOWN:]):
                text = text.replace(part, REDACTED)
        return text


# One request to a language model's server. It can be called off, and its deadline is wall time.
#
# Answers are not streamed: they are short and useless before they are whole, some servers refuse
# ``stream_options``, and without a stream every server tells its usage. A request that is called
# off is cancelled as a task, which closes its connection at once.

POLL_SECONDS = 0.05
# An answer of a hundred thousand tokens is half a megabyte.
LONGEST_BODY = 8_000_000


class Sender:
    """Sends to one server. ``network`` makes what opens connections, where not every one may be opened."""

    def __init__(self, spec: ModelSpec, key: Secret, network: Network | None = None) -> None:
        self._spec, self._key, self._network = spec, key, network
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def strange(self) -> bool:
        """Whether the server was named by a stranger, so that what it says stays out of messages."""
        return self._network is not None

    def send(self, body: Mapping[str, Any], check: Callable[[], None]) -> Received:
        """Send, and wait; ``Received.status`` tells what came of it.

        ``check`` is called while the request waits; what it raises calls the request off.
        """
        # Imported here, where the caller waits, and not on the loop, where all requests would.
        import httpx2  # noqa: F401

        started = time.perf_counter()
        future = asyncio.run_coroutine_threadsafe(self._send(orjson.dumps(body)), background_loop())
        try:
            while True:
                try:
                    received = future.result(POLL_SECONDS)
                    break
                except TimeoutError:
                    check()
        finally:
            future.cancel()
        spent = (time.perf_counter() - started) * 1000
        return replace(received, body=self._key.redact(_plain(received.body)), milliseconds=spent)

    async def _send(self, content: bytes) -> Received:
        return await fetch(
            self._opened(),
            "POST",
            f"{self._spec.url}/chat/completions",
            key=self._key.reveal(),
            content=content,
            seconds=self._spec.timeout,
            longest=LONGEST_BODY,
        )

    def _opened(self) -> httpx2.AsyncClient:
        """The client, made on the loop it is used on."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = open_client(self._network), loop
            weakref.finalize(self, _close, self._client, loop)
        return self._client


def _plain(body: str) -> str:
    """JSON without needless escapes, so that a key in it is found."""
    try:
        return orjson.dumps(orjson.loads(body)).decode()
    except orjson.JSONDecodeError:
        return body


def _close(client: httpx2.AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
    if loop.is_running():
        asyncio.run_coroutine_threadsafe(client.aclose(), loop)


# When a request is sent again, and how long to wait before.

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
