"""Requests to other hosts: addresses that are allowed, guarded fetching, downloads in the background."""

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


# Requests to other servers: which addresses may be called, and how much of a request's time and
# answer is waited for. Nothing else in the engine opens a connection but the loading of a model
# from its hub.


# Which servers somebody who does not run this machine may have it call.
#
# A stranger's address is a request that the server sends in the stranger's name: without a guard
# it would reach what only the server can reach (server-side request forgery, OWASP API7:2023). On
# a public page it must be https, and every address that its name resolves to must be a public
# one.

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# As ``anyio.getaddrinfo``.
Lookup = Callable[..., Awaitable[Sequence[tuple[Any, ...]]]]

LONGEST_URL = 500
_REFUSED = "this is not a public server; only those can be used on this page"
# Servers stand on these or above 1023; below them are mail, files and logins.
WEB_PORTS = (80, 443)
FIRST_FREE_PORT = 1024
# Global unicast (RFC 4291, IANA registry): whatever lies outside is no public server, old notations
# that hold an IPv4 address among them.
_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
# Inside it: 6to4 and Teredo, which hold an IPv4 address, and the second documentation prefix (RFC 9637).
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        # The IPv4 ones: protocol assignments (RFC 6890), 6to4 relays (RFC 7526).
        ("2002::/16", "2001::/32", "3fff::/20", "192.0.0.0/24", "192.88.99.0/24"),
    )
)
# Translation at a gateway (RFC 6052).
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
# Where clouds tell a machine its secrets, beside the link-local addresses: Azure (a public number), Alibaba,
# Oracle, Amazon, Google.
_SECRETS = frozenset(
    map(
        ipaddress.ip_address,
        ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    )
)


def is_public(address: Address) -> bool:
    """Whether an address is that of a server on the open internet."""
    plain = _unwrapped(address)
    if plain in _SECRETS or any(plain in network for network in _NOT_PUBLIC):
        return False
    if isinstance(plain, ipaddress.IPv6Address) and plain not in _PUBLIC_IPV6:
        return False
    return plain.is_global and not plain.is_multicast and not plain.is_reserved


def is_reachable(address: Address, *, private: bool) -> bool:
    """Whether a stranger may have this machine connect to an address.

    Those where clouds keep their secrets are refused to everybody.
    """
    if not private:
        return is_public(address)
    plain = _unwrapped(address)
    return not (plain in _SECRETS or plain.is_link_local or plain.is_multicast)


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, where it stands for one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _TRANSLATED:
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def checked_url(url: str, *, private: bool) -> str:
    """The address of a server, as far as it can be judged without looking its name up; no slash at its end.

    ``private``: servers of the private network too, and plain http. Raises InputError that says what is
    wrong. The text is never repeated: a key may have been put in it.
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
        raise InputError("the address begins with https://, then the name of the server")
    if "@" in parts.netloc or "\\" in url:
        raise InputError("the address holds no name and no key: there is a field for the key")
    if "?" in url or "#" in url:
        raise InputError("the address ends with its path, as in https://HOST/v1")
    if not private and parts.scheme != "https":
        raise InputError("the address must begin with https:// here: the key would be sent in the open")
    if not private and port is not None and port not in WEB_PORTS and port < FIRST_FREE_PORT:
        raise InputError(f"port {port} is not one that servers of models have: 443, or above 1023")
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return url.rstrip("/")
    if not is_reachable(literal, private=private):
        raise InputError(_REFUSED)
    return url.rstrip("/")


async def resolved(host: str, port: int, *, private: bool, lookup: Lookup | None = None) -> list[str]:
    """The addresses of a name, all of them judged. Raises InputError where one may not be connected to.

    One refused address refuses the name: a public name that also means a private machine means harm.
    Raises OSError or ValueError where the name cannot be resolved.
    """
    import anyio

    found = await (lookup or anyio.getaddrinfo)(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(row[4][0]).partition("%")[0] for row in found))
    for address in addresses:
        if not is_reachable(ipaddress.ip_address(address), private=private):
            raise InputError(_REFUSED)
    return addresses


# One request to a server, and what came back: bounded in time and size, no redirect followed,
# nothing unpacked.
#
# What is said of a failure is in our own words: a server's answer, its banner or its headers may
# be what only this machine can read.

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


# Connections to addresses that strangers named.
#
# A name is looked up, all its addresses are judged, and one of those very addresses is connected
# to: a name that means another machine a moment later (DNS rebinding) gains nothing. No
# connection serves two requests, so that each request is judged, and no proxy of the environment
# is used.

PORTS = {"https": 443, "http": 80}


def guarded_transport(*, private: bool, lookup: Lookup | None = None) -> httpx2.AsyncBaseTransport:
    """A transport for an HTTP client that connects to nothing a stranger may not reach (``private``: to the
    private network, but never to where clouds keep their secrets)."""
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
                    # Nothing was sent yet.
                    failure = error
            raise failure

        async def _judged(self, request: httpx2.Request) -> list[str]:
            url = request.url
            if url.scheme not in PORTS:
                raise httpx2.UnsupportedProtocol("only http and https are spoken")
            host, port = url.raw_host.decode("ascii"), url.port or PORTS[url.scheme]
            try:
                return await resolved(host, port, private=private, lookup=lookup)
            except InputError as error:
                raise httpx2.ConnectError(str(error)) from error
            except (OSError, ValueError) as error:
                raise httpx2.ConnectError("the name of the server cannot be looked up") from error

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Guarded()


def _aimed(request: httpx2.Request, address: str) -> httpx2.Request:
    """The same request to one address of its server; the certificate must still be that of the name."""
    import httpx2

    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )


# One event loop in a thread of its own, on which requests run, so that each can be ended at any
# moment.
#
# A blocking read of a socket cannot be called off from another thread; a task can.

SECONDS_TO_FINISH = 1.0
_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, started at the first call. A forked process gets one of its own."""
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
    """Let connections close, and end what still runs."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=SECONDS_TO_FINISH / 2)
        for task in left:
            task.cancel()
