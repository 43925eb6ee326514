"""One request to a server, and what came back. It can be called off, and its deadline is wall time.

Answers are not streamed: they are short and useless before they are whole, some servers refuse
``stream_options``, and without a stream every server tells its usage. A request that is called off is
cancelled as a task, which closes its connection at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from engine.llm.background import background_loop
from engine.llm.secret import Secret
from engine.llm.spec import ModelSpec

# Makes an httpx2.AsyncBaseTransport, which is not imported before something is sent.
Network = Callable[[], Any]
POLL_SECONDS = 0.05
# An answer of a hundred thousand tokens is half a megabyte.
LONGEST_BODY = 8_000_000
# The last one tells the openai package itself, when the response is there, to hand it over unread.
SENT_HEADERS = frozenset(
    {
        "host",
        "accept",
        "connection",
        "content-length",
        "content-type",
        "user-agent",
        "x-stainless-raw-response",
    }
)
# Statuses of our own for what has none.
TIMED_OUT, UNREACHABLE, OVERSIZED = 0, 1, 2


class OversizedError(Exception):
    """A body is longer than any answer."""


@dataclass(frozen=True, slots=True)
class Received:
    """Status, headers in lower case and body of a response; a status below 100 tells why there is none."""

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    milliseconds: float = 0.0

    @property
    def fine(self) -> bool:
        """The server answered."""
        return 200 <= self.status < 300


class Sender:
    """Sends to one server. ``network`` makes what opens connections, where not every one may be opened."""

    def __init__(self, spec: ModelSpec, key: Secret, network: Network | None = None) -> None:
        self._spec, self._key, self._network = spec, key, network
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def send(self, body: Mapping[str, Any], check: Callable[[], None]) -> Received:
        """Send, and wait; ``Received.status`` tells what came of it.

        ``check`` is called while the request waits; what it raises calls the request off.
        """
        # Imported here, where the caller waits, and not on the loop, where all requests would.
        import openai  # noqa: F401

        started = time.perf_counter()
        future = asyncio.run_coroutine_threadsafe(self._send(body), background_loop())
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
        return Received(received.status, self._key.redact(_plain(received.body)), received.headers, spent)

    async def _send(self, body: Mapping[str, Any]) -> Received:
        import httpx2
        import openai

        try:
            async with (
                asyncio.timeout(self._spec.timeout),
                self._opened().chat.completions.with_streaming_response.create(**body) as response,
            ):
                return await _read(response)
        except TimeoutError:
            return Received(TIMED_OUT, f"no answer within {self._spec.timeout:g} s")
        except openai.APIStatusError as error:
            return Received(error.status_code, error.response.text, _lowered(error.response.headers))
        except OversizedError:
            return Received(OVERSIZED, f"the answer is longer than {LONGEST_BODY} bytes")
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            # The last is what a name of a host gives that no network can look up.
            return Received(UNREACHABLE, _reason(error))

    def _opened(self) -> Any:
        """The client, made on the loop it is used on."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            import openai

            # Through a network of the caller's alone, where there is one: no proxy may lead around it.
            way: dict[str, Any] = (
                {} if self._network is None else {"transport": self._network(), "trust_env": False}
            )
            hooks: dict[str, list[Callable[..., Any]]] = {
                "request": [_dressing(self._key)],
                "response": [_limited],
            }
            _quiet()
            http = openai.DefaultAsyncHttpxClient(
                follow_redirects=False, timeout=None, event_hooks=hooks, **way
            )
            # The hook alone puts the key on; what the environment holds for OpenAI must not reach others.
            self._client = openai.AsyncOpenAI(
                api_key="none",
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                base_url=self._spec.url,
                max_retries=0,
                timeout=None,
                http_client=http,
            )
            self._loop = loop
            weakref.finalize(self, _close, http, loop)
        return self._client


def _quiet() -> None:
    """Keep headers out of logs: below INFO the transport writes those of each response, and a server may send
    the key back in one. Whoever sets its level on purpose gets what they ask for."""
    transport = logging.getLogger("httpcore2")
    if transport.level == logging.NOTSET:
        transport.setLevel(logging.INFO)


def _dressing(key: Secret) -> Callable[[Any], Awaitable[None]]:
    async def dressed(request: Any) -> None:
        """Keep the headers that a server needs, and add the key where there is one."""
        for name in [name for name in request.headers if name.lower() not in SENT_HEADERS]:
            del request.headers[name]
        if key:
            request.headers["Authorization"] = f"Bearer {key.reveal()}"
        # A few kilobytes that unpack to gigabytes would be no answer.
        request.headers["Accept-Encoding"] = "identity"

    return dressed


async def _limited(response: Any) -> None:
    """Read no more of a body, that of an error either, than an answer can have; unpack nothing."""
    from httpx2 import AsyncByteStream

    class Limited(AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            length = 0
            async for part in self._stream:
                length += len(part)
                if length > LONGEST_BODY:
                    raise OversizedError
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    response.headers.pop("Content-Encoding", None)
    response.stream = Limited(response.stream)


async def _read(response: Any) -> Received:
    body = b"".join([part async for part in response.iter_bytes()])
    return Received(response.status_code, body.decode("utf-8", "replace"), _lowered(response.headers))


def _plain(body: str) -> str:
    """JSON without needless escapes, so that a key in it is found."""
    try:
        return orjson.dumps(orjson.loads(body)).decode()
    except orjson.JSONDecodeError:
        return body


def _reason(error: BaseException) -> str:
    cause = error.__cause__ or error
    return str(cause) or type(cause).__name__


def _lowered(headers: Any) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in headers.items()}


def _close(http: Any, loop: asyncio.AbstractEventLoop) -> None:
    if loop.is_running():
        asyncio.run_coroutine_threadsafe(http.aclose(), loop)
