"""How the door says no: one line of JSON in words, the same form for every gate."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

HEARD = "redstring.heard"
# A body that is read in vain: files for as long as their sender may need to notice, in bytes and seconds; of
# anything else what a page may send. To read and throw away takes a millisecond a megabyte.
MOST_OF_FILES, MOST_DRAINED, DRAINED_SECONDS = 150_000_000, 2_000_000, 2.0


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    words: str,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Answer a request without letting it in, and close its connection.

    Some of its body is read and thrown away first: a browser that is still sending reads no answer.
    """
    await _drained(scope)
    body = json.dumps({"detail": words, "error": words}).encode()
    # A body of which nobody knows where it ends must not be taken for the next request.
    told = {"cache-control": "no-store", "connection": "close", **(headers or {})}
    await Response(body, status, told, "application/json")(scope, receive, send)


class Heard:
    """The messages of a request, and whether its body has come to its end."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self._receive = receive
        self.out = "content-length" not in headers and "transfer-encoding" not in headers

    async def __call__(self) -> Message:
        """The next message."""
        message = await self._receive()
        self.out = self.out or not message.get("more_body", False)
        return message


async def _drained(scope: Scope) -> None:
    heard = scope.get(HEARD)
    is_form = Headers(scope=scope).get("content-type", "").startswith("multipart/form-data")
    left = MOST_OF_FILES if is_form else MOST_DRAINED
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAINED_SECONDS):
            while left > 0 and isinstance(heard, Heard) and not heard.out:
                left -= len((await heard()).get("body", b""))


async def refuse_for(
    scope: Scope, receive: Receive, send: Send, status: int, words: str, seconds: float
) -> None:
    """The same, with when to come again."""
    await refuse(scope, receive, send, status, words, {"retry-after": str(max(1, round(seconds + 0.5)))})
