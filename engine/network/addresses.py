"""Which servers somebody who does not run this machine may have it call.

A stranger's address is a request that the server sends in the stranger's name: without a guard it would reach
what only the server can reach (server-side request forgery, OWASP API7:2023). On a public page it must be
https, and every address that its name resolves to must be a public one.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from engine.errors import InputError

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
