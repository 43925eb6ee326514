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


# A secret key that does not appear in repr, logs, exceptions, copies or saved files.

REDACTED = "[key]"
# A shorter key is a word ("ollama", "none"): only whole words are redacted, and none under four letters.
SHORT, SHORTEST = 8, 4
# Servers shorten a key in their errors ("sk-ab***wxyz"); its first or last characters are redacted, too, from
# this length on.
FEWEST_SHOWN = 12


def checked_key(text: str, whose: str = "the language model") -> Secret:
    """Return the key, empty if the text is. Raises SettingsError without any part of the key."""
    text = text.strip()
    if not (text.isascii() and text.isprintable()) or " " in text:
        raise SettingsError(f"the key of {whose} holds characters that no key has")
    return Secret(text)


class Secret:
    """A key. Only ``reveal`` returns it, and only the code that sends a request calls that."""

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
        """Return the key itself, for the header of a request."""
        return self._value

    def redact(self, text: str) -> str:
        """Return a text without the key, and without long beginnings and ends of it."""
        if len(self._value) < SHORTEST:
            return text
        if len(self._value) < SHORT:
            return re.sub(rf"(?<!\w){re.escape(self._value)}(?!\w)", REDACTED, text)
        text = text.replace(self._value, REDACTED)
        if len(self._value) > FEWEST_SHOWN:
            for part in (self._value[:FEWEST_SHOWN], self._value[-FEWEST_SHOWN:]):
                text = text.replace(part, REDACTED)
        return text


# A request to a language model's server. It can be cancelled, and its deadline is wall time.
#
# Answers are not streamed: they are short and useless before they are complete, some servers refuse
# ``stream_options``, and without a stream every server reports its usage. A request is cancelled as
# a task, which closes its connection at once.

POLL_SECONDS = 0.05
# An answer of a hundred thousand tokens is half a megabyte.
LONGEST_BODY = 8_000_000


class Sender:
    """Sends requests to one server. ``network`` makes the transports if connections are restricted."""

    def __init__(self, spec: ModelSpec, key: Secret, network: Network | None = None) -> None:
        self._spec, self._key, self._network = spec, key, network
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def strange(self) -> bool:
        """True if a visitor named the server; its responses are then not quoted in messages."""
        return self._network is not None

    def send(self, body: Mapping[str, Any], check: Callable[[], None]) -> Received:
        """Send a request and wait; ``Received.status`` is the result.

        ``check`` is called while the request waits; an exception from it cancels the request.
        """
        # Imported in the calling thread: on the event loop the import would delay all requests.
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
        """Return the client, created on the event loop that uses it."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = open_client(self._network), loop
            weakref.finalize(self, _close, self._client, loop)
        return self._client


def _plain(body: str) -> str:
    """Return JSON without needless escapes, so that a key in it is found."""
    try:
        return orjson.dumps(orjson.loads(body)).decode()
    except orjson.JSONDecodeError:
        return body


def _close(client: httpx2.AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
    if loop.is_running():
        asyncio.run_coroutine_threadsafe(client.aclose(), loop)


# When a request is retried, and after which wait.

# The request itself was valid; 501 and 505 mean that the server will never support it.
PASSING = frozenset({TIMED_OUT, UNREACHABLE, 408, 409, 425, 429})
LASTING = frozenset({501, 505})
# OpenAI's error code with status 429 if waiting does not help.
NO_MONEY = "insufficient_quota"


@dataclass(frozen=True, slots=True)
class Patience:
    """The number of retries and the waits between them.

    Waits have full jitter: a random part of a time that doubles
    (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), or the time that the server
    requests, up to ``obeyed`` seconds. Tests can replace ``sleep`` and ``random``.
    """

    retries: int = 3
    first: float = 0.5
    longest: float = 8.0
    obeyed: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = field(default=random.random)

    def seconds(self, attempt: int, headers: Mapping[str, str]) -> float | None:
        """Return the seconds to wait after this attempt (from 0); None if the server requests too many."""
        asked = retry_seconds(headers)
        if asked is not None:
            return asked if asked <= self.obeyed else None
        return self.random() * min(self.longest, self.first * float(2**attempt))

    def wait(self, seconds: float, check: Callable[[], None]) -> None:
        """Wait; ``check`` is called before each slice, and an exception from it ends the wait."""
        left = seconds
        check()
        while left > 0:
            part = min(POLL_SECONDS, left)
            self.sleep(part)
            left -= part
            check()


def passing(received: Received) -> bool:
    """Return whether the same request may succeed later."""
    if received.status == 429 and NO_MONEY in received.body:
        return False
    return received.status in PASSING or (received.status >= 500 and received.status not in LASTING)


def retry_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the wait in ``Retry-After-Ms`` or ``Retry-After``: a number, or a date (RFC 9110, 10.2.3)."""
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
