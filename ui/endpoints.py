"""Which servers a visitor may have this machine call.

A visitor's address is a request that the server sends in the visitor's name: without a guard it would reach
what only the server can reach (server-side request forgery, OWASP API7:2023). On a public page it must be
https, and every address that its name resolves to must be a public one. The check is made where the
connection is opened, and that very address is connected to: a name that means another machine a moment later
(DNS rebinding) gains nothing. Redirects are not followed, and proxies of the environment are not used.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from engine.errors import InputError

if TYPE_CHECKING:
    import httpx2

# Global unicast (RFC 4291, IANA registry): whatever lies outside is no public server, old notations
# that hold an IPv4 address among them.
_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
# Ways to write an IPv4 address inside an IPv6 one: 6to4, Teredo, and translation at a gateway (RFC 6052).
_TUNNELS = tuple(map(ipaddress.IPv6Network, ("2002::/16", "2001::/32")))
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
LONGEST_URL = 500
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_public(address: Address) -> bool:
    """Whether an address is that of a server on the open internet."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _TRANSLATED:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
        if address not in _PUBLIC_IPV6 or any(address in tunnel for tunnel in _TUNNELS):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def is_reachable(address: Address, *, private: bool) -> bool:
    """Whether a visitor may have this machine connect to an address.

    Link-local ones, where clouds keep their secrets, are refused to everybody.
    """
    if not private:
        return is_public(address)
    mapped = getattr(address, "ipv4_mapped", None)
    return not ((mapped or address).is_link_local or address.is_multicast)


def checked_url(url: str, *, private: bool) -> str:
    """A visitor's address of a server, as far as it can be judged without looking its name up.

    Raises InputError that says what is wrong. The text is never repeated: a key may have been put in it.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise InputError("the address cannot be read: write https://HOST/v1") from None
    if len(url) > LONGEST_URL or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise InputError("the address cannot be read: write https://HOST/v1")
    if parts.scheme not in ("https", "http") or not host or port == 0:
        raise InputError("the address begins with https://, then the name of the server")
    if parts.username is not None or parts.password is not None or "\\" in url:
        raise InputError("the address holds no name and no key: there is a field for the key")
    if parts.query or parts.fragment:
        raise InputError("the address ends with its path, as in https://HOST/v1")
    if not private and parts.scheme != "https":
        raise InputError("the address must begin with https:// here: the key would be sent in the open")
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return url.rstrip("/")
    if not is_reachable(literal, private=private):
        raise InputError(f"{literal} is not a public server; only those can be used on this page")
    return url.rstrip("/")


async def resolved(host: str, port: int, *, private: bool) -> list[str]:
    """The addresses of a name. Raises InputError where one of them may not be connected to.

    One refused address refuses the name: a public name that also means a private machine means harm.
    Raises OSError where the name cannot be resolved.
    """
    import anyio

    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(row[4][0]).partition("%")[0] for row in found))
    for address in addresses:
        if not is_reachable(ipaddress.ip_address(address), private=private):
            raise InputError(f"{host} is not a public server; only those can be used on this page")
    return addresses


def guarded_transport(*, private: bool) -> httpx2.AsyncHTTPTransport:
    """A transport for an HTTP client that connects to nothing a visitor may not reach."""
    import httpcore2
    import httpx2

    class Guarded(httpcore2.AnyIOBackend):
        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
        ) -> httpcore2.AsyncNetworkStream:
            try:
                addresses = await resolved(host, port, private=private)
            except (InputError, OSError) as error:
                raise httpcore2.ConnectError(str(error)) from error
            failure: Exception = httpcore2.ConnectError(f"{host} has no address")
            for address in addresses:
                try:
                    return await super().connect_tcp(address, port, timeout, local_address, socket_options)
                except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                    failure = error
            raise failure

    transport = httpx2.AsyncHTTPTransport(trust_env=False)
    # The client has no public way to choose how connections are opened; its pool has one. The name of the
    # certificate is still that of the server, as the pool asks for it after the connection stands.
    transport._pool = httpcore2.AsyncConnectionPool(
        ssl_context=httpx2.create_ssl_context(trust_env=False), network_backend=Guarded()
    )
    return transport
