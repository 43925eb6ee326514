"""Requests to other hosts: allowed addresses, guarded requests, an event loop in the background."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import ipaddress
import logging
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from engine.errors import InputError, SettingsError

if TYPE_CHECKING:
    import ssl

    import httpx2


# All connections of the engine are opened here, except for downloads of models from their hub.


# Addresses that visitors may make the server call. Without a guard such a request could reach hosts that only
# the server can reach (server-side request forgery, OWASP API7:2023). On a public page the URL must be https,
# and every address of its host must be public.

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# As ``anyio.getaddrinfo``.
Lookup = Callable[..., Awaitable[Sequence[tuple[Any, ...]]]]

LONGEST_URL = 500
_REFUSED = "this is not a public server; only those can be used on this page"
# Web servers use these ports or those above 1023; the others belong to mail, files and logins.
WEB_PORTS = (80, 443)
FIRST_FREE_PORT = 1024
# Global unicast (RFC 4291, IANA registry); everything else is not public, including old notations that
# contain an IPv4 address.
_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
# Exceptions: 6to4 and Teredo, which contain an IPv4 address, and the second documentation prefix (RFC 9637).
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        # IPv4: protocol assignments (RFC 6890), 6to4 relays (RFC 7526).
        ("2002::/16", "2001::/32", "3fff::/20", "192.0.0.0/24", "192.88.99.0/24"),
    )
)
# Translation at a gateway (RFC 6052).
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
# Metadata services of clouds, in addition to link-local addresses: Azure (a public address), Alibaba, Oracle,
# Amazon, Google.
_METADATA_ADDRESSES = frozenset(
    map(
        ipaddress.ip_address,
        ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    )
)


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public internet."""
    plain = _unwrapped(address)
    if plain in _METADATA_ADDRESSES or any(plain in network for network in _NOT_PUBLIC):
        return False
    if isinstance(plain, ipaddress.IPv6Address) and plain not in _PUBLIC_IPV6:
        return False
    return plain.is_global and not plain.is_multicast and not plain.is_reserved


def is_reachable(address: Address, *, private: bool) -> bool:
    """Return whether a visitor may make this machine connect to an address.

    Never to metadata services of clouds.
    """
    if not private:
        return is_public(address)
    plain = _unwrapped(address)
    return not (plain in _METADATA_ADDRESSES or plain.is_link_local or plain.is_multicast)


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address contained in an IPv6 address, if any."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _TRANSLATED:
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def checked_url(url: str, *, private: bool) -> str:
    """Return the URL of a server without a slash at its end, checked without a lookup of its name.

    ``private`` allows servers of the private network and plain http. Raises InputError with the problem,
    without the text, which may contain a key.
    """
    url = url.strip(" ")
    if len(url) > LONGEST_URL or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise InputError("the address cannot be read: write https://HOST/v1")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise InputError("the address cannot be read: write https://HOST/v1") from None
    if parts.scheme not in ("https", "http") or not host or port == 0:
        raise InputError("write a full address, such as https://HOST/v1 (http:// in your own network)")
    if "@" in parts.netloc or "\\" in url:
        raise InputError("the address must not contain a user name or key: there is a field for the key")
    if "?" in url or "#" in url:
        raise InputError("the address must end with its path, as in https://HOST/v1")
    if not private and parts.scheme != "https":
        raise InputError("the address must begin with https:// here: the key would be sent unencrypted")
    if not private and port is not None and port not in WEB_PORTS and port < FIRST_FREE_PORT:
        raise InputError(f"port {port} is not allowed: use 443, or one above 1023")
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return url.rstrip("/")
    if not is_reachable(literal, private=private):
        raise InputError(_REFUSED)
    return url.rstrip("/")


async def resolve(host: str, port: int, *, private: bool, lookup: Lookup | None = None) -> list[str]:
    """Return the addresses of a host name. Raises InputError if any of them must not be connected to.

    A public name with a private address is treated as an attack. Raises OSError or ValueError if the name
    cannot be resolved.
    """
    import anyio

    found = await (lookup or anyio.getaddrinfo)(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(row[4][0]).partition("%")[0] for row in found))
    for address in addresses:
        if not is_reachable(ipaddress.ip_address(address), private=private):
            raise InputError(_REFUSED)
    return addresses


# A request to a server: bounded in time and size, without redirects and compression. Messages about failures
# are our own words: a server's answer or headers may be readable by this machine only.

# Makes transports; httpx2 is imported on first use only.
Network = Callable[[], "httpx2.AsyncBaseTransport"]
# Statuses for requests without a response.
TIMED_OUT, UNREACHABLE, OVERSIZED = 0, 1, 2
# Compressed answers could expand to gigabytes.
_ALWAYS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "redstring"}


@dataclass(frozen=True, slots=True)
class Received:
    """Status, headers in lower case and body of a response.

    A status below 100 means that there is none; the body is the reason.
    """

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    milliseconds: float = 0.0

    @property
    def fine(self) -> bool:
        """True if the server responded successfully."""
        return 200 <= self.status < 300


# The meaning of statuses of a language model's server.
_WORDS = {
    400: "it does not accept this request",
    401: "it does not accept the key",
    403: "it does not accept the key",
    404: "the model or path is unknown to it",
    413: "the request is too long for it",
    422: "it does not accept this request",
    429: "it accepts no more requests for now, or the account has no credit",
}


def in_words(status: int) -> str:
    """Return the meaning of a status, for servers whose own words are not repeated; empty if unclear."""
    return _WORDS.get(status, "it has an internal error" if status >= 500 else "")


@cache
def certificates(*, of_environment: bool) -> ssl.SSLContext:
    """Return the trusted certificates, cached because reading takes 30 ms.

    ``of_environment`` includes those named by SSL_CERT_FILE and SSL_CERT_DIR. Raises SettingsError if they
    cannot be read.
    """
    import httpx2

    try:
        return httpx2.create_ssl_context(trust_env=of_environment)
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError(f"SSL_CERT_FILE, SSL_CERT_DIR: no certificates can be read ({why})") from error


def open_client(network: Network | None = None) -> httpx2.AsyncClient:
    """Return a client with transports by ``network``, by default with the proxies of this machine."""
    import httpx2

    _quiet()
    if network is None:
        trusted = certificates(of_environment=True)
        return httpx2.AsyncClient(timeout=None, follow_redirects=False, verify=trusted)
    return httpx2.AsyncClient(timeout=None, follow_redirects=False, transport=network(), trust_env=False)


async def fetch(
    client: httpx2.AsyncClient,
    method: str,
    url: str,
    *,
    key: str = "",
    content: bytes | None = None,
    seconds: float,
    longest: int,
) -> Received:
    """Send a request and return the response.

    ``content`` is JSON, ``longest`` the limit of the body in bytes.
    """
    import httpx2

    headers = dict(_ALWAYS)
    if content is not None:
        headers["Content-Type"] = "application/json"
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        # Made without the client, which would add cookies set by earlier responses.
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
        # The last is raised for host names that no resolver accepts.
        return Received(UNREACHABLE, _failure_words(error))
    names = {name.lower(): value for name, value in response.headers.items()}
    return Received(response.status_code, body.decode("utf-8", "replace"), names)


def _failure_words(error: Exception) -> str:
    """Return the name of a failure. Only errors before the first byte received are described in detail."""
    import httpx2

    if isinstance(error, httpx2.ConnectError):
        return str(error) or "no connection"
    if isinstance(error, httpx2.ProtocolError):
        return "it does not answer in HTTP"
    if isinstance(error, (httpx2.ReadError, httpx2.WriteError, httpx2.CloseError)):
        return "the connection broke"
    if isinstance(error, httpx2.ProxyError):
        return "the proxy of this machine refuses it"
    return "the name of the server is invalid"


def _quiet() -> None:
    """Keep headers out of logs: below INFO the transport logs those of responses, which may repeat the key.

    A level set explicitly is respected.
    """
    transport = logging.getLogger("httpcore2")
    if transport.level == logging.NOTSET:
        transport.setLevel(logging.INFO)


# Connections to addresses named by visitors. A name is resolved, all its addresses are checked, and the
# connection goes to one of exactly these, so that DNS rebinding gains nothing. Connections are not reused, so
# that each request is checked, and proxies of the environment are not used.

PORTS = {"https": 443, "http": 80}


def guarded_transport(*, private: bool, lookup: Lookup | None = None) -> httpx2.AsyncBaseTransport:
    """Return a transport for an HTTP client that connects only to addresses allowed for visitors.

    ``private`` allows the private network, but never metadata services of clouds.
    """
    import httpx2

    class Guarded(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            self._inner = httpx2.AsyncHTTPTransport(
                verify=certificates(of_environment=False),
                trust_env=False,
                limits=httpx2.Limits(max_keepalive_connections=0),
            )

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            failure: httpx2.TransportError = httpx2.ConnectError("the name has no address")
            for address in await self._judged(request):
                try:
                    return await self._inner.handle_async_request(_aimed(request, address))
                except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                    # Nothing has been sent yet.
                    failure = error
            raise failure

        async def _judged(self, request: httpx2.Request) -> list[str]:
            url = request.url
            if url.scheme not in PORTS:
                raise httpx2.UnsupportedProtocol("only http and https are supported")
            host, port = url.raw_host.decode("ascii"), url.port or PORTS[url.scheme]
            try:
                return await resolve(host, port, private=private, lookup=lookup)
            except InputError as error:
                raise httpx2.ConnectError(str(error)) from error
            except (OSError, ValueError) as error:
                raise httpx2.ConnectError("the name of the server cannot be looked up") from error

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Guarded()


def _aimed(request: httpx2.Request, address: str) -> httpx2.Request:
    """Return the request for an address of its host; the certificate must still match the name."""
    import httpx2

    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )


# An event loop in a thread of its own, in which requests run: unlike a blocking read, a task can be cancelled
# at any moment.

SECONDS_TO_FINISH = 1.0
_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def background_loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this process, started on the first call. A forked process gets its own."""
    global _running
    with _lock:
        if _running is None or _running[0] != os.getpid():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="requests", daemon=True)
            thread.start()
            _running = (os.getpid(), loop, thread)
        return _running[1]


@atexit.register
def _stop() -> None:
    if _running is None or _running[0] != os.getpid():
        return
    _, loop, thread = _running
    with contextlib.suppress(TimeoutError):
        asyncio.run_coroutine_threadsafe(_finish(), loop).result(SECONDS_TO_FINISH)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(1.0)
    if not loop.is_running():
        loop.close()


async def _finish() -> None:
    """Close connections and cancel running tasks."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=SECONDS_TO_FINISH / 2)
        for task in left:
            task.cancel()
