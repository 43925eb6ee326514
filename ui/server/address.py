"""Check the addresses of visitors, their connections, and the host names of the server."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import h11
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.errors import InputError
from engine.operator_settings import OperatorSettings, is_loopback
from ui.server.routes import HEARD, Heard, refuse

if TYPE_CHECKING:
    import gradio as gr


# The visitor's address behind the proxies that the operator names, and whether it is local.
#
# Headers that a proxy adds (RFC 7239 and its predecessors) are trusted only from named proxies. They are
# removed from every request, so the application never reads a name that a visitor has made up.

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# The scope key that stores the result for the application.
VISITOR = "redstring.visitor"
# Headers that proxies add. A visitor can forge them.
FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cf-connecting-ip")
# Frameworks and Gradio read these headers to find the public URL or the original path.
BELIEVED = (
    *FORWARDING, "x-forwarded-proto", "x-forwarded-port", "x-forwarded-prefix", "x-forwarded-scheme",
    "x-forwarded-server", "x-gradio-server", "x-gradio-user", "x-original-url", "x-rewrite-url",
    "x-original-host", "x-host", "x-http-method-override", "x-http-method", "x-method-override",
    "x-client-ip", "true-client-ip", "front-end-https",
)  # fmt: skip
_DROPPED = frozenset(name.encode() for name in BELIEVED)
# An IPv6 customer gets a network of at least 64 bits (RFC 6177).
V6_BITS = 64


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request.

    ``address`` is the key for rate limits; an IPv6 address is cut to its network. ``local``: the request
    comes from this machine.
    """

    address: str
    local: bool


def networks(named: Iterable[str]) -> tuple[Network, ...]:
    """Parse proxies given as addresses or networks. Raises InputError for an invalid entry."""
    found: list[Network] = []
    for name in named:
        try:
            found.append(ipaddress.ip_network(name, strict=False))
        except ValueError:
            raise InputError(f"{name!r} is no address and no network of a proxy") from None
    return tuple(found)


def parsed(text: str) -> Address | None:
    """Parse an address, with or without a port or brackets. Returns None if it is invalid."""
    bare = text.strip().strip('"')
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def group(address: Address | None) -> str:
    """Return the rate limit key: an IPv4 address, or the network of an IPv6 address."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, V6_BITS), strict=False))
    return str(address) if address is not None else "unknown"


def is_local_request(headers: Mapping[str, str], client: str) -> bool:
    """Return whether the headers (names in lower case) and the client address of a request are local.

    The check of the host name stops a foreign page whose own name resolves to this machine.
    """
    if any(name in headers for name in FORWARDING) or not is_loopback(client):
        return False
    origin = headers.get("origin")
    if origin is not None and not is_loopback(_name(origin)):
        return False
    return is_loopback(_name(f"//{headers.get('host', '')}"))


def _name(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class Addressing:
    """Adds the visitor to the scope and removes the headers that only a proxy may set."""

    def __init__(self, app: ASGIApp, proxies: Sequence[Network] = ()) -> None:
        self.app, self._proxies = app, tuple(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Determine the visitor, and pass the request on."""
        if scope["type"] == "http":
            receive = Heard(scope, receive)
            scope = {**self._settled(scope), HEARD: receive}
        await self.app(scope, receive, send)

    def _settled(self, scope: Scope) -> Scope:
        headers = Headers(scope=scope)
        peer = parsed(scope["client"][0]) if scope.get("client") else None
        trusted = self._trusts(peer)
        address = self._behind(headers, peer) if trusted else peer
        local = is_local_request(headers, str(peer))
        kept = [(name, value) for name, value in scope["headers"] if name.lower() not in _DROPPED]
        settled = {**scope, "headers": kept, VISITOR: Visitor(group(address), local)}
        settled["client"] = (str(address or peer), 0)
        return self._public_name(settled, headers) if trusted else settled

    def _trusts(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._proxies)

    def _behind(self, headers: Headers, peer: Address | None) -> Address | None:
        """Return the last address of the chain that is not a proxy. Visitors can forge those before it."""
        found = peer
        for step in reversed(",".join(headers.getlist("x-forwarded-for")).split(",")):
            address = parsed(step)
            if address is None:
                break
            found = address
            if not self._trusts(address):
                break
        return found

    @staticmethod
    def _public_name(scope: Scope, headers: Headers) -> Scope:
        host = headers.get("x-forwarded-host", "").rpartition(",")[2].strip()
        if host:
            others = [(name, value) for name, value in scope["headers"] if name.lower() != b"host"]
            scope["headers"] = [*others, (b"host", host.encode("latin-1"))]
        scheme = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
        if scheme in ("http", "https"):
            scope["scheme"] = scheme
        return scope


# Limits on the number of connections of an address and on the time until a request is complete.
#
# A hundred slow connections could otherwise occupy the whole server (Slowloris). uvicorn limits the total
# number of connections and the size of headers, but not these two.

# An office behind one address may have several pages open. A named proxy forwards many visitors.
MOST_OF_ADDRESS = 100
HEADERS_SECONDS = 15.0


def bounded(proxies: Iterable[Network] = ()) -> type[H11Protocol]:
    """Return uvicorn's protocol class with both limits. Connections from ``proxies`` are not counted."""
    trusted, held = tuple(proxies), Counter[str]()

    class Bounded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.deadline: asyncio.TimerHandle | None = None
            address = parsed(self.client[0]) if self.client else None
            self.counted = group(address)
            held[self.counted] += 1
            proxy = address is not None and any(address in network for network in trusted)
            if held[self.counted] > MOST_OF_ADDRESS and not proxy:
                transport.close()
            else:
                self.hurry()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self.rest()
            held[self.counted] -= 1
            if held[self.counted] <= 0:
                del held[self.counted]

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            # The timeout continues until the headers are complete.
            if self.conn.their_state is h11.IDLE:
                self.hurry()
            else:
                self.rest()

        def hurry(self) -> None:
            if self.deadline is None:
                self.deadline = self.loop.call_later(HEADERS_SECONDS, self.transport.close)

        def rest(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

    return Bounded


# The host names of the server, and the origins that may call it.
#
# An attacker can point a host name at this machine (DNS rebinding), so that a browser treats the attacker's
# page as same-origin. Names that are not listed are refused. An IP address cannot be rebound.

# Host and port as in RFC 3986, without user names and other parts that browsers never send.
_AUTHORITY = re.compile(
    r"(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::\d{1,5})?"
)
WILDCARDS = ("0.0.0.0", "::", "")
HUGGING_FACE = "https://huggingface.co"
DEFAULT_PORTS = {"http": 80, "https": 443}
READING = ("GET", "HEAD")
# Paths that other pages may link to: the page, and the return from a login provider.
FOLLOWED = ("/", "/login/callback")


@dataclass(frozen=True, slots=True)
class Allowed:
    """The hosts and origins that the server accepts.

    ``hosts``: names in lower case, without ports. ``addresses``: any IP address is accepted, because the
    server listens on all of them. ``origins``: other pages that may call the server. ``frames``: pages that
    may frame it.
    """

    hosts: frozenset[str]
    addresses: bool = False
    origins: frozenset[str] = frozenset()
    frames: tuple[str, ...] = ()

    def host(self, authority: str) -> bool:
        """Return whether the server accepts the name in a Host header."""
        name = host_of(authority)
        return name is not None and (
            name in self.hosts or is_loopback(name) or (self.addresses and _is_address(name))
        )

    def origin(self, origin: str, authority: str) -> bool:
        """Return whether a page of this origin may call the server under the name ``authority``.

        True for the server's own page, and for a page that the operator names by origin or as a public host.
        """
        if origin in self.origins:
            return True
        parts = _split(origin)
        if parts is None:
            return False
        scheme, name, port = parts
        own = _split(f"{scheme}://{authority.lower()}")
        if own == parts:
            return True
        return name in self.hosts and not is_loopback(name) and port == DEFAULT_PORTS[scheme]


def allowed(settings: OperatorSettings) -> Allowed:
    """Build the lists of accepted hosts and origins from the settings.

    Raises InputError for an invalid host or origin.
    """
    names, pages = {_checked_host(name) for name in settings.hosts}, list(settings.frame_ancestors)
    everywhere = settings.host in WILDCARDS
    names.add(socket.gethostname().lower() if everywhere else settings.host.lower().strip("[]"))
    if settings.space:
        names.add(_checked_host(settings.space))
        pages += [HUGGING_FACE, f"https://{settings.space}"]
    return Allowed(
        frozenset(names),
        everywhere,
        frozenset(map(_checked_origin, settings.origins)),
        tuple(dict.fromkeys(map(_checked_origin, pages))),
    )


def host_of(authority: str) -> str | None:
    """Return the name in a Host header in lower case, or None if it is not a host and port."""
    found = _AUTHORITY.fullmatch(authority)
    return None if found is None else found["host"].strip("[]").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _split(origin: str) -> tuple[str, str, int] | None:
    scheme, separator, authority = origin.partition("://")
    name = host_of(authority) if separator else None
    if name is None or scheme not in DEFAULT_PORTS:
        return None
    return scheme, name, int(urlsplit(origin).port or DEFAULT_PORTS[scheme])


def _checked_host(name: str) -> str:
    host = host_of(name)
    if host is None:
        raise InputError(f"{name!r} is no name of a host: write it as law.example.org")
    return host


def _checked_origin(origin: str) -> str:
    if _split(origin.lower()) is None:
        raise InputError(f"{origin!r} is no origin: write it as https://portal.example.org")
    return origin.lower()


class HostGate:
    """Refuses requests for other host names (421), and requests without a valid one (400)."""

    def __init__(self, app: ASGIApp, names: Allowed) -> None:
        self.app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the host name, and pass the request on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        given = [value for name, value in scope["headers"] if name.lower() == b"host"]
        authority = given[0].decode("latin-1") if len(given) == 1 else ""
        if host_of(authority) is None:
            return await refuse(scope, receive, send, 400, "the request does not name one host")
        if not self._names.host(authority):
            words = "this server does not answer to that name; its operator can add it to REDSTRING_HOSTS"
            return await refuse(scope, receive, send, 421, words)
        return await self.app(scope, receive, send)


class OriginGate:
    """Refuses requests that a browser sends for a page of another site (403).

    The browser sets Origin and Fetch Metadata; a page cannot set them. A request without both comes from a
    browser over six years old or from another program, or is a plain navigation. Requests that change
    something also need a content type that no form of another page can send (see routes).
    """

    def __init__(self, app: ASGIApp, names: Allowed) -> None:
        self.app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the origin, and pass the request on."""
        if scope["type"] == "http" and not self._welcome(scope):
            words = "this request comes from a page of another site"
            return await refuse(scope, receive, send, 403, words)
        return await self.app(scope, receive, send)

    def _welcome(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        given = headers.getlist("origin")
        if given:
            return len(given) == 1 and self._names.origin(given[0], headers["host"])
        site = headers.get("sec-fetch-site", "none")
        if site in ("same-origin", "none"):
            return True
        # The user follows a link to the page, or an allowed page frames it.
        followed = headers.get("sec-fetch-mode") == "navigate" and scope["path"] in FOLLOWED
        return followed and scope["method"] in READING


# Distinguish local requests from remote ones, and return the addresses of remote ones.


def is_local(request: gr.Request | Request) -> bool:
    """Return whether a request comes directly from this machine; False without the middleware."""
    visitor = _visitor(request)
    return visitor is not None and visitor.local


def address_of(request: gr.Request | Request) -> str:
    """Return the address of a request as rate limits count it; empty if unknown."""
    visitor = _visitor(request)
    return "" if visitor is None else visitor.address


def visitor_of(request: gr.Request) -> str:
    """Return the visitor's key in the fair queue: the page load and its address."""
    return f"{address_of(request)} {getattr(request, 'session_hash', None) or ''}"


def _visitor(request: gr.Request | Request) -> Visitor | None:
    asked = request if isinstance(request, Request) else request.request
    visitor = asked.scope.get(VISITOR) if asked is not None else None
    return visitor if isinstance(visitor, Visitor) else None
