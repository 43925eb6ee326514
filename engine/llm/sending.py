"""One request to a language model's server. It can be called off, and its deadline is wall time.

Answers are not streamed: they are short and useless before they are whole, some servers refuse
``stream_options``, and without a stream every server tells its usage. A request that is called off is
cancelled as a task, which closes its connection at once.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from engine.llm.secret import Secret
from engine.llm.spec import ModelSpec
from engine.network.background import background_loop
from engine.network.fetching import Network, Received, fetched, opened_client

if TYPE_CHECKING:
    import httpx2

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
        return await fetched(
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
            self._client, self._loop = opened_client(self._network), loop
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
