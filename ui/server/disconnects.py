"""Detect disconnected clients, so that their running cases can be cancelled.

Three connections may wait for a case: the request itself (of a tool or a panel), the stream of one event of
the queue, and the stream of all events of a session. A case is cancelled when one of them is closed. Streams
of other visitors are refused before this (see ``ui.access.owners``).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from threading import Lock
from typing import TYPE_CHECKING

from gradio.context import LocalContext
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server.routes import POLICY

if TYPE_CHECKING:
    import gradio as gr

CALLERS, CONNECTION = "redstring.callers", "redstring.connection"
Cancel = Callable[[], None]
# Context manager factory: calls its argument, which cancels a case, when the client disconnects.
Waited = Callable[[Cancel], AbstractContextManager[None]]


class Callers:
    """Cancel functions by the connections that wait for them. Thread-safe."""

    def __init__(self) -> None:
        self._cancels: dict[str, list[Cancel]] = {}
        # Connections that were closed before a case started for them.
        self._early: set[str] = set()
        self._lock = Lock()

    @contextmanager
    def waiting(self, names: set[str], cancel: Cancel) -> Iterator[None]:
        """Call ``cancel`` if one of these connections is closed within this context, or already was."""
        with self._lock:
            early = not names.isdisjoint(self._early)
            for name in names:
                self._cancels.setdefault(name, []).append(cancel)
        if early:
            cancel()
        try:
            yield
        finally:
            with self._lock:
                for name in names:
                    self._cancels[name].remove(cancel)
                    if not self._cancels[name]:
                        del self._cancels[name]

    def closed(self, name: str, *, early: bool = False) -> None:
        """Report a closed connection. ``early``: a case that starts for it later is cancelled, too."""
        with self._lock:
            cancels = list(self._cancels.get(name, ()))
            if early:
                self._early.add(name)
        for cancel in cancels:
            cancel()

    def forget(self, name: str) -> None:
        """Forget a connection: no more cases start for it."""
        with self._lock:
            self._early.discard(name)


class HangUps:
    """Watches the connections that wait for cases."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self._callers = app, Callers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and watch for its disconnection."""
        kind = scope[POLICY].name if scope["type"] == "http" else ""
        own = kind in ("mcp", "panel")
        name = secrets.token_hex(8) if own else _stream(kind, scope)
        if own or kind in ("call", "join"):
            scope = {**scope, CALLERS: self._callers, CONNECTION: name}
        if not name:
            return await self.app(scope, receive, send)
        watching: asyncio.Task[None] | None = None

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                continue
            self._callers.closed(name, early=own)

        async def receive_and_watch() -> Message:
            nonlocal watching
            message = await receive()
            if watching is None and not message.get("more_body", False):
                watching = asyncio.create_task(watch())
            return message

        if not own:
            # A request for a stream has no body.
            await receive_and_watch()
        try:
            await self.app(scope, receive_and_watch, send)
        finally:
            if watching is not None:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching
            self._callers.forget(name)


def waited_for(request: gr.Request | Request | None, cancel: Cancel) -> AbstractContextManager[None]:
    """Return a context in which ``cancel`` is called once the sender of a request disconnects."""
    asked = request if request is None or isinstance(request, Request) else request.request
    scope = {} if asked is None else asked.scope
    callers: Callers | None = scope.get(CALLERS)
    if request is None or callers is None:
        # Without the middleware, disconnections are not detected.
        return nullcontext()
    if scope[CONNECTION]:
        return callers.waiting({scope[CONNECTION]}, cancel)
    named = {"event": LocalContext.event_id.get(None), "session": getattr(request, "session_hash", None)}
    return callers.waiting({f"{kind} {name}" for kind, name in named.items() if name}, cancel)


def _stream(kind: str, scope: Scope) -> str:
    """Return the name of the connection of a stream of events."""
    if kind == "result":
        return f"event {scope['path'].rsplit('/', 1)[-1]}"
    if kind == "queue data":
        return f"session {Request(scope).query_params.get('session_hash', '')}"
    return ""
