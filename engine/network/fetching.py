"""One request to a server, and what came back: bounded in time and size, no redirect followed, nothing
unpacked.

What is said of a failure is in our own words: a server's answer, its banner or its headers may be what only
this machine can read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from engine.errors import SettingsError

if TYPE_CHECKING:
    import ssl

    import httpx2

# Makes what opens the connections; httpx2 is not imported before something is sent.
Network = Callable[[], "httpx2.AsyncBaseTransport"]
# Statuses of our own for what has none.
TIMED_OUT, UNREACHABLE, OVERSIZED = 0, 1, 2
# A few kilobytes that unpack to gigabytes would be no answer.
_ALWAYS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "redstring"}


@dataclass(frozen=True, slots=True)
class Received:
    """Status, headers in lower case and body of a response; a status below 100 tells why there is none, and
    the body says so in words."""

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    milliseconds: float = 0.0

    @property
    def fine(self) -> bool:
        """The server answered."""
        return 200 <= self.status < 300


# What a status means to whoever asks a model.
_WORDS = {
    400: "it does not take this request",
    401: "it does not accept the key",
    403: "it does not accept the key",
    404: "it knows no such model or path",
    413: "the request is too long for it",
    422: "it does not take this request",
    429: "it takes no more requests for now, or the account has no credit",
}


def in_words(status: int) -> str:
    """What a server means by a status, where its own words are not to be repeated; empty where unclear."""
    return _WORDS.get(status, "it has a fault of its own" if status >= 500 else "")


@cache
def certificates(*, of_environment: bool) -> ssl.SSLContext:
    """Whose certificates are trusted: read once, 30 ms. ``of_environment``: also those that SSL_CERT_FILE and
    SSL_CERT_DIR name. Raises SettingsError where those cannot be read."""
    import httpx2

    try:
        return httpx2.create_ssl_context(trust_env=of_environment)
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError(f"SSL_CERT_FILE, SSL_CERT_DIR: no certificates can be read ({why})") from error


def opened_client(network: Network | None = None) -> httpx2.AsyncClient:
    """A client that opens its connections by ``network``; without one as this machine's owner set it up, the
    proxies of the environment included."""
    import httpx2

    _quiet()
    if network is None:
        trusted = certificates(of_environment=True)
        return httpx2.AsyncClient(timeout=None, follow_redirects=False, verify=trusted)
    return httpx2.AsyncClient(timeout=None, follow_redirects=False, transport=network(), trust_env=False)


async def fetched(
    client: httpx2.AsyncClient,
    method: str,
    url: str,
    *,
    key: str = "",
    content: bytes | None = None,
    seconds: float,
    longest: int,
) -> Received:
    """What came of a request; ``content`` is JSON, ``longest`` the bytes that are read of the answer."""
    import httpx2

    headers = dict(_ALWAYS)
    if content is not None:
        headers["Content-Type"] = "application/json"
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        # Made without the client, which would add the cookies that an earlier answer has set.
        request = httpx2.Request(method, url, headers=headers, content=content)
        async with asyncio.timeout(seconds):
            response = await client.send(request, stream=True, auth=None)
            try:
                body = bytearray()
                async for part in response.aiter_raw():
                    body += part
                    if len(body) > longest:
                        return Received(OVERSIZED, f"the answer is longer than {longest} bytes")
            finally:
                await response.aclose()
    except TimeoutError:
        return Received(TIMED_OUT, f"no answer within {seconds:g} s")
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
        # The last is what a name of a host gives that no network can look up.
        return Received(UNREACHABLE, _said(error))
    names = {name.lower(): value for name, value in response.headers.items()}
    return Received(response.status_code, body.decode("utf-8", "replace"), names)


def _said(error: Exception) -> str:
    """What a failure is called. Only what stood before anything was received is told in its own words."""
    import httpx2

    if isinstance(error, httpx2.ConnectError):
        return str(error) or "no connection"
    if isinstance(error, httpx2.ProtocolError):
        return "it does not answer in HTTP"
    if isinstance(error, (httpx2.ReadError, httpx2.WriteError, httpx2.CloseError)):
        return "the connection broke"
    if isinstance(error, httpx2.ProxyError):
        return "the proxy of this machine does not let it through"
    return "there can be no such server"


def _quiet() -> None:
    """Keep headers out of logs: below INFO the transport writes those of each response, and a server may send
    the key back in one. Whoever sets its level on purpose gets what they ask for."""
    transport = logging.getLogger("httpcore2")
    if transport.level == logging.NOTSET:
        transport.setLevel(logging.INFO)
