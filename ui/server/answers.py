"""Answers stored until a stream fetches them, and clients that disconnect."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import orjson
from gradio.context import LocalContext
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server.routes import POLICY

if TYPE_CHECKING:
    import gradio as gr


# Store answers until a stream fetches them.
#
# Gradio keeps the return values of its functions until a stream fetches them, for 2,000 page
# loads and without a size or time limit. Here only a marker goes through its queue. The answer is
# stored as JSON, within limits, and replaces the marker in the stream.

# Lifetime of an answer, s; number of answers of a visitor; bytes of all; overhead of each answer, bytes.
LONGEST_SECONDS, MOST_OF_VISITOR, BYTES, OVERHEAD = 600.0, 500, 64_000_000, 600
GONE = "the answer was not fetched within ten minutes, or too many others waited: make the call again"
_MARK = re.compile(rb'"redstring-answer-[0-9a-f]{32}"')


@dataclass(frozen=True, slots=True)
class _Answer:
    visitor: str
    content: bytes
    since: float


class Answers:
    """Answers by marker, oldest first. Not thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._waiting: OrderedDict[bytes, _Answer] = OrderedDict()
        self._numbers, self._bytes = Counter[str](), Counter[str]()

    def __len__(self) -> int:
        return len(self._waiting)

    def store(self, visitor: str, data: object) -> str:
        """Store an answer for a visitor; returns its marker.

        If there is no room, drops the oldest answer of the visitor, or of the visitor with the most bytes.
        """
        content = orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)
        size = len(content) + OVERHEAD
        if self._numbers[visitor] >= MOST_OF_VISITOR:
            self._drop_oldest(visitor)
        while self._waiting and self._bytes.total() + size > BYTES:
            self._drop_oldest(self._bytes.most_common(1)[0][0])
        mark = f"redstring-answer-{secrets.token_hex(16)}"
        self._waiting[f'"{mark}"'.encode()] = _Answer(visitor, content, self.clock())
        self._numbers[visitor] += 1
        self._bytes[visitor] += size
        return mark

    def restore(self, message: bytes) -> bytes:
        """Replace the marker in a message of a stream by its answer; by an error if the answer was
        dropped."""
        found = _MARK.search(message)
        if found is None:
            return message
        answer = self._take(found[0])
        if answer is None:
            return _failed(message)
        return message[: found.start()] + answer.content + message[found.end() :]

    def sweep(self) -> None:
        """Drop the answers that have waited too long."""
        while self._waiting:
            mark, answer = next(iter(self._waiting.items()))
            if self.clock() - answer.since < LONGEST_SECONDS:
                return
            self._take(mark)

    def _drop_oldest(self, visitor: str) -> None:
        self._take(next(mark for mark, answer in self._waiting.items() if answer.visitor == visitor))

    def _take(self, mark: bytes) -> _Answer | None:
        answer = self._waiting.pop(mark, None)
        if answer is not None:
            self._numbers[answer.visitor] -= 1
            self._bytes[answer.visitor] -= len(answer.content) + OVERHEAD
            if not self._numbers[answer.visitor]:
                del self._numbers[answer.visitor], self._bytes[answer.visitor]
        return answer


def _failed(message: bytes) -> bytes:
    """Turn a message of a stream into an error message, in the format of its route."""
    if message.startswith(b"event:"):
        return b"event: error\ndata: " + orjson.dumps(GONE) + b"\n\n"
    output = orjson.loads(message.removeprefix(b"data:"))
    return b"data: " + orjson.dumps({**output, "success": False, "output": {"error": GONE}}) + b"\n\n"


# Detect disconnected clients, so that their running cases can be cancelled.
#
# Three connections may wait for a case: the request itself (of a tool or a panel), the stream of
# one event of the queue, and the stream of all events of a session. A case is cancelled when one
# of them is closed. Streams of other visitors are refused before this (see ``ui.server.gate``).

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
