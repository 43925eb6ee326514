"""Who asks: the visitor's address behind the proxies that the operator names, and whether it is local.

What a proxy adds to a request (RFC 7239 and its predecessors) is believed of named proxies alone, and no
request carries it any further: nothing behind the door reads a name that a visitor has made up.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import InputError
from engine.operator_settings import is_loopback
from ui.door.refusing import HEARD, Heard

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# Where the answer is kept for what is behind the door.
VISITOR = "redstring.visitor"
# What proxies add to what they pass on: whoever asks through one may be anybody.
FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cf-connecting-ip")
# Read by frameworks and by Gradio to find out under which name they are reached, or what was meant.
BELIEVED = (
    *FORWARDING, "x-forwarded-proto", "x-forwarded-port", "x-forwarded-prefix", "x-forwarded-scheme",
    "x-forwarded-server", "x-gradio-server", "x-gradio-user", "x-original-url", "x-rewrite-url",
    "x-original-host", "x-host", "x-http-method-override", "x-http-method", "x-method-override",
    "x-client-ip", "true-client-ip", "front-end-https",
)  # fmt: skip
_DROPPED = frozenset(name.encode() for name in BELIEVED)
# Of IPv6 a customer gets 64 bits or more to choose from (RFC 6177).
V6_BITS = 64


@dataclass(frozen=True, slots=True)
class Visitor:
    """``address``: as given to limits, an IPv6 one cut to its network. ``local``: sits at this machine."""

    address: str
    local: bool


def networks(named: Iterable[str]) -> tuple[Network, ...]:
    """Proxies by address or network. Raises InputError naming what is neither."""
    found: list[Network] = []
    for name in named:
        try:
            found.append(ipaddress.ip_network(name, strict=False))
        except ValueError:
            raise InputError(f"{name!r} is no address and no network of a proxy") from None
    return tuple(found)


def parsed(text: str) -> Address | None:
    """An address, also with a port or in brackets; None for anything else."""
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
    """What limits count as one visitor: an IPv4 address, or the network of an IPv6 address."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, V6_BITS), strict=False))
    return str(address) if address is not None else "unknown"


def asked_locally(headers: Mapping[str, str], client: str) -> bool:
    """Whether the headers of a request (names in lower case) and its client's address are of this machine.

    A foreign page that lets its own name point to this machine is kept out by the names that it asks under.
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
    """Puts the visitor into the scope, and takes out of it what only a proxy may say."""

    def __init__(self, app: ASGIApp, proxies: Sequence[Network] = ()) -> None:
        self.app, self._proxies = app, tuple(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Settle who asks, and pass the request on."""
        if scope["type"] == "http":
            receive = Heard(scope, receive)
            scope = {**self._settled(scope), HEARD: receive}
        await self.app(scope, receive, send)

    def _settled(self, scope: Scope) -> Scope:
        headers = Headers(scope=scope)
        peer = parsed(scope["client"][0]) if scope.get("client") else None
        trusted = self._trusts(peer)
        address = self._behind(headers, peer) if trusted else peer
        local = asked_locally(headers, str(peer))
        kept = [(name, value) for name, value in scope["headers"] if name.lower() not in _DROPPED]
        settled = {**scope, "headers": kept, VISITOR: Visitor(group(address), local)}
        settled["client"] = (str(address or peer), 0)
        return self._public_name(settled, headers) if trusted else settled

    def _trusts(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._proxies)

    def _behind(self, headers: Headers, peer: Address | None) -> Address | None:
        """The last address of the chain that is no proxy: those before it anybody may have written."""
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
