"""The connection to a server of language models: its spec, secrets, sending, retries.

The short spec of a model is ``openai:MODEL@URL?context=8192&input=0.15&output=0.60``.
``URL`` is the base URL of an OpenAI-compatible API (``http://127.0.0.1:11434/v1``); by default
api.openai.com.

===============  ======================================================================  =========
``context``      limit of tokens of a prompt with its answer                             8192
``input``        price of a million prompt tokens                                        not known
``output``       price of a million completion tokens                                    not known
``cached``       price of a million prompt tokens that the provider had cached           as input
``written``      price of a million prompt tokens that it writes to its cache            as input
``currency``     of these prices                                                         USD
``concurrency``  limit of concurrent requests                                            4
``timeout``      limit of seconds of a request                                           60
``thinking``     limit of tokens that a reasoning model uses before its answer           0
``marks``        1 if the server accepts ``cache_control`` in messages, 0 if not         see below
===============  ======================================================================  =========

Anthropic's models cache only what a request marks. OpenRouter passes the marks on, so requests for these
models there contain some. Other servers get none, as they may refuse unknown fields, unless ``marks=1``
declares that they accept them (a gateway such as LiteLLM).
"""

from __future__ import annotations

import asyncio
import email.utils
import ipaddress
import math
import random
import re
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import parse_qs, urlsplit

import orjson

from engine.errors import SettingsError
from engine.llm.base import Counted
from engine.network import TIMED_OUT, UNREACHABLE, Network, Received, background_loop, fetch, open_client

if TYPE_CHECKING:
    import httpx2


NO_MODEL = "none"
OPENAI_URL = "https://api.openai.com/v1"
USAGE = "none or openai:MODEL@URL?context=8192&input=0.15&output=0.60"
OPTIONS = (
    *("context", "input", "output", "cached", "written", "currency", "concurrency", "timeout", "thinking"),
    "marks",
)
# https://openrouter.ai/docs/guides/best-practices/prompt-caching
MARKING_HOST, MARKED_MODELS = "openrouter.ai", ("anthropic/", "~anthropic/")
# https://platform.openai.com/docs/guides/prompt-caching: a schema is a prefix to the system message.
SCHEMA_FIRST = ("api.openai.com", MARKING_HOST)
MILLION = 1_000_000
LONGEST_OPTION = 16


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens."""

    input: float
    output: float
    cached: float
    written: float
    currency: str = "USD"

    def money(self, counted: Counted) -> float:
        """Return the price of a request."""
        fresh = counted.prompt - counted.cached - counted.written
        prompt = fresh * self.input + counted.cached * self.cached + counted.written * self.written
        return (prompt + counted.completion * self.output) / MILLION

    def most(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the maximum price of a request: no tokens cached, and all of them written to the cache."""
        dearest = max(self.input, self.written, self.cached)
        return (prompt_tokens * dearest + completion_tokens * self.output) / MILLION

    def saved(self, counted: Counted) -> float:
        """Return the money that the provider's cache saved; negative if writing to it cost more."""
        without = Counted(counted.prompt, completion=counted.completion)
        return self.money(without) - self.money(counted)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A parsed spec. ``text`` is the spec itself."""

    text: str
    model: str
    url: str = OPENAI_URL
    own_url: bool = False
    context: int = 8192
    prices: Prices | None = None
    concurrency: int = 4
    timeout: float = 60.0
    thinking: int = 0
    marks: bool = False

    @property
    def host(self) -> str:
        """Name of the server, for messages."""
        return urlsplit(self.url).netloc

    @property
    def local(self) -> bool:
        """True if the server is on this machine or its private network, judged by its name."""
        name = urlsplit(self.url).hostname or ""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return (
                name == "localhost" or "." not in name or name.endswith((".local", ".internal", ".localhost"))
            )
        return address.is_private or address.is_loopback

    @property
    def one_schema(self) -> bool:
        """True if the tasks of a case share one schema, as the server caches a schema as part of the prompt.

        This applies to OpenAI, and to gateways to it and to Anthropic.
        """
        return self.marks or urlsplit(self.url).hostname in SCHEMA_FIRST

    @property
    def where(self) -> str:
        """Model and server, for messages."""
        return f"{self.model} at {self.host}"


def read_spec(text: str) -> ModelSpec:
    """Parse a spec. Raises SettingsError without any value, which could be a misplaced key."""
    text = text.strip()
    scheme, _, rest = text.partition(":")
    name, _, query = rest.partition("?")
    if scheme != "openai" or not name:
        raise SettingsError(f"a language model is named {USAGE}")
    model, at, url = re.split(r"(@)(?=https?://)", name, maxsplit=1) if "@http" in name else (name, "", "")
    if not model or "@http" in model or re.search(r"[\s\x00-\x1f]", name):
        raise SettingsError(f"the language model has no name; it is named {USAGE}")
    if "@" in model and "//" in model:
        raise SettingsError("the address of a language model begins with http:// or https://")
    options = _options(query)
    return ModelSpec(
        text=text,
        model=model,
        url=_address(url) if at else OPENAI_URL,
        own_url=bool(at),
        context=int(_number(options, "context", 8192, least=256, whole=True)),
        prices=_prices(options),
        concurrency=int(_number(options, "concurrency", 4, least=1, whole=True)),
        timeout=_number(options, "timeout", 60.0, least=0.05),
        thinking=int(_number(options, "thinking", 0, whole=True)),
        marks=_marks(options, model, url),
    )


def _marks(options: dict[str, str], model: str, url: str) -> bool:
    """Return whether requests mark what the server caches."""
    if "marks" not in options:
        return urlsplit(url).hostname == MARKING_HOST and model.startswith(MARKED_MODELS)
    if options["marks"] not in ("0", "1"):
        raise SettingsError("marks of a language model is 0 or 1")
    return options["marks"] == "1"


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise SettingsError(
            "the address of the language model cannot be read; write http(s)://HOST[:PORT]/v1"
        )
    if parts.username is not None or parts.password is not None:
        raise SettingsError("the address of a language model holds no key; give it in REDSTRING_LLM_KEY")
    if parts.fragment:
        raise SettingsError("the address of a language model has no # part")
    return url.rstrip("/")


def _options(query: str) -> dict[str, str]:
    options = {key: values[-1] for key, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - set(OPTIONS)):
        # Anything but a plain word may be a misplaced key.
        word = unknown[0]
        told = f" {word!r}" if word.isalpha() and len(word) <= LONGEST_OPTION else ""
        raise SettingsError(
            f"unknown option{told} of a language model; known: {', '.join(OPTIONS)}. "
            "A key is no option: give it in REDSTRING_LLM_KEY"
        )
    return options


def _number(
    options: dict[str, str], name: str, default: float, *, least: float = 0.0, whole: bool = False
) -> float:
    if name not in options:
        return default
    try:
        value = float(int(options[name])) if whole else float(options[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < least:
        kind = "whole number" if whole else "number"
        raise SettingsError(f"{name} of a language model is a {kind} of at least {least:g}")
    return value


def _prices(options: dict[str, str]) -> Prices | None:
    given = [name for name in ("input", "output", "cached", "written") if name in options]
    if not given:
        return None
    if "input" not in given or "output" not in given:
        raise SettingsError("prices of a language model: give both input and output, per million tokens")
    per_input = _number(options, "input", 0.0)
    currency = options.get("currency", "USD")
    if not re.fullmatch(r"[A-Za-z]{3}", currency):
        raise SettingsError("currency of a language model is a code of three letters, such as USD")
    return Prices(
        per_input,
        _number(options, "output", 0.0),
        _number(options, "cached", per_input),
        _number(options, "written", per_input),
        currency.upper(),
    )


# Requests to a server of language models: secrets, sending, retries.

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
