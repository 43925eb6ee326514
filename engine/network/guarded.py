"""Connections to addresses that strangers named.

A name is looked up, all its addresses are judged, and one of those very addresses is connected to: a name
that means another machine a moment later (DNS rebinding) gains nothing. No connection serves two requests, so
that each request is judged, and no proxy of the environment is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.network.addresses import Lookup, resolved
from engine.network.fetching import certificates

if TYPE_CHECKING:
    import httpx2

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
