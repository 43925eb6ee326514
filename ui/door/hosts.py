"""Under which names the server answers, and whose pages may ask it.

A name of an attacker that is pointed at this machine (DNS rebinding) would make the attacker's page one of
ours in the eyes of a browser: names that are not listed are refused. An address cannot be rebound.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import InputError
from engine.operator_settings import OperatorSettings, is_loopback
from ui.door.refusing import refuse

# RFC 3986 host and port, without user names and without what a browser never sends.
_AUTHORITY = re.compile(
    r"(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::\d{1,5})?"
)
WILDCARDS = ("0.0.0.0", "::", "")
HUGGING_FACE = "https://huggingface.co"
DEFAULT_PORTS = {"http": 80, "https": 443}
READING = ("GET", "HEAD")
# Where links of other pages may lead: the page, and the way back from a provider of accounts.
FOLLOWED = ("/", "/login/callback")


@dataclass(frozen=True, slots=True)
class Allowed:
    """``hosts``: names in lower case, without ports. ``addresses``: any address will do, as the server is on
    all of them. ``origins``: of other pages that may ask. ``frames``: pages that may frame ours."""

    hosts: frozenset[str]
    addresses: bool = False
    origins: frozenset[str] = frozenset()
    frames: tuple[str, ...] = ()

    def host(self, authority: str) -> bool:
        """Whether the server answers under the name of a Host header."""
        name = host_of(authority)
        return name is not None and (
            name in self.hosts or is_loopback(name) or (self.addresses and _is_address(name))
        )

    def origin(self, origin: str, authority: str) -> bool:
        """Whether a page of this origin may ask a server that it calls ``authority``.

        It is the server's own page, or a page that the operator has named, by origin or as a public host.
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
    """The lists that hold for a server.

    Raises InputError naming a host or an origin that cannot be read.
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
    """The name in a Host header, in lower case; None for what is no host and port."""
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
    """Refuses requests for other names (421), and those that do not say which name they mean (400)."""

    def __init__(self, app: ASGIApp, names: Allowed) -> None:
        self.app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the name, and pass the request on."""
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
    """Refuses what a browser sends on behalf of a page of somebody else (403).

    Origin and Fetch Metadata are set by the browser and cannot be set by a page. A request that bears neither
    does not come from a browser of the last six years, or is a plain navigation; what changes something
    asks for content types, too, that no form of another page can send (see routes).
    """

    def __init__(self, app: ASGIApp, names: Allowed) -> None:
        self.app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check whose page asks, and pass the request on."""
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
        # Somebody follows a link to the page, or a page that may do so frames it.
        followed = headers.get("sec-fetch-mode") == "navigate" and scope["path"] in FOLLOWED
        return followed and scope["method"] in READING
