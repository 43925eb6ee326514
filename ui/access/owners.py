"""Bind page loads and calls to their owners.

Gradio serves both to every visitor who knows their names: ``session_hash``, which the browser chooses, and
``event_id``.

The owner is the person who has logged in; without a login it is the browser, identified by a cookie, or by
its address if it has no cookie, as in programs. Behind this gate the name of a page load includes its owner,
so that the same name of another visitor is another page load. The gate remembers the owner of each call.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

import orjson
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.access.entrance import counted_as, logged_in
from ui.server.answers import Answers
from ui.server.bodies import READ
from ui.server.routes import POLICY, refuse

# Calls, and page loads with calls, that are remembered; the oldest are forgotten first.
MOST_OWNERS = 50_000
NAME, BROWSER_COOKIE = "session_hash", "redstring-browser"
HEARTBEAT, ENDS = "/heartbeat/", (b"event: complete", b"event: error")
UNKNOWN = "you have no such call; make it again, and fetch its answer with the same login, browser or address"


class OwnerGate:
    """Answers 404 to a request for the call of another visitor, as for a call that does not exist.

    Runs after the login and the check of bodies. Puts ``answers`` into the streams that fetch them.
    """

    def __init__(self, app: ASGIApp, answers: Answers) -> None:
        self.app, self._answers = app, answers
        self._secret = secrets.token_bytes(32)
        self._owners: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rename the page load of a request, check who owns its call, and pass it on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        kind, owner = scope[POLICY].name, _owner(Request(scope))
        scope, loads = self._renamed(scope, owner)
        if not all(self._owners.get(name) == owner for name in _fetched(kind, scope, loads)):
            return await refuse(scope, receive, send, 404, UNKNOWN)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.body":
                body = message.get("body", b"")
                if kind in ("call", "join"):
                    self._remember(owner, _event(body), loads)
                elif kind in ("result", "queue data"):
                    message = {**message, "body": self._answers.restore(body)}
                if kind == "result" and body.startswith(ENDS):
                    # Gradio has no second answer for it, and would leave the client waiting.
                    self._owners.pop(scope["path"].rsplit("/", 1)[-1], None)
            elif kind == "page" and owner.startswith("address "):
                cookie = f"{BROWSER_COOKIE}={secrets.token_urlsafe(32)}; HttpOnly; Path=/; SameSite=lax"
                secure = "; Secure" if scope["scheme"] == "https" else ""
                MutableHeaders(scope=message).append("set-cookie", cookie + secure)
            await send(message)

        return await self.app(scope, receive, answer)

    def _renamed(self, scope: Scope, owner: str) -> tuple[Scope, list[str]]:
        """Return the request with its page loads renamed, wherever it names them, and their new names."""
        loads: list[str] = []

        def rename(name: str) -> str:
            both = repr((owner, name)).encode()
            loads.append(hashlib.blake2b(both, key=self._secret, digest_size=16).hexdigest())
            return loads[-1]

        body, query = scope.get(READ), scope["query_string"].decode("latin-1")
        if isinstance(body, dict) and isinstance(body.get(NAME), str):
            body[NAME] = rename(body[NAME])
        if NAME in dict(pairs := parse_qsl(query, keep_blank_values=True)):
            query = urlencode([(name, rename(value) if name == NAME else value) for name, value in pairs])
            scope = {**scope, "query_string": query.encode()}
        before, heartbeat, name = scope["path"].partition(HEARTBEAT)
        if heartbeat:
            path = before + heartbeat + rename(name)
            scope = {**scope, "path": path, "raw_path": path.encode()}
        return scope, loads

    def _remember(self, owner: str, event: str, loads: Iterable[str]) -> None:
        for name in (event, *loads) if event else ():
            self._owners.setdefault(name, owner)
            self._owners.move_to_end(name)
        while len(self._owners) > MOST_OWNERS:
            self._owners.popitem(last=False)


def _owner(request: Request) -> str:
    browser = request.cookies.get(BROWSER_COOKIE, "")
    if logged_in(request) is not None:
        return f"person {counted_as(request)}"
    return f"browser {browser}" if browser else f"address {counted_as(request)}"


def _fetched(kind: str, scope: Scope, loads: Iterable[str]) -> Iterable[str]:
    """Return the names of the calls that a request is for, or of the page loads whose calls it is for."""
    if kind == "result":
        return [scope["path"].rsplit("/", 1)[-1]]
    if kind in ("cancel", "reset"):
        # An empty name cancels by the page load alone.
        return [scope[READ]["event_id"] or next(iter(loads), "")]
    return loads if kind == "queue data" else ()


def _event(body: bytes) -> str:
    """Return the id of the call that an answer announces, empty if it announces none."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    event = answer.get("event_id") if isinstance(answer, dict) else None
    return event if isinstance(event, str) else ""
