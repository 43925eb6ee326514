"""The routes that are open, refusals, and scripts of others that a page loads."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

import plotly
import pyvis
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# How the door says no: one line of JSON in words, the same form for every gate.

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


# Scripts of others that a page loads when it needs them, under names that tell nothing of this
# machine.

PREFIX = "/libraries/"
VIS_NETWORK = Path(pyvis.__file__).resolve().parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
PLOTLY = Path(plotly.__file__).resolve().parent / "package_data" / "plotly.min.js"
LIBRARIES = {"vis-network.js": VIS_NETWORK, "plotly.js": PLOTLY}
# What stays true of an answer that is packed.
PACKED_KEEPS = {"content-type", "last-modified", "cache-control", "vary"}


class LibraryRoute:
    """Gives these scripts by their names; the route's pattern lets no other name come so far."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a script, or that it has not changed."""
        path = LIBRARIES[scope["path"].removeprefix(PREFIX)]
        folder = StaticFiles(directory=path.parent, follow_symlink=True)
        response = await folder.get_response(path.name, scope)
        # The frame's policy names the very script of today: no browser may keep one of yesterday unasked.
        response.headers["cache-control"] = "no-cache"
        response.headers["vary"] = "Accept-Encoding"
        if response.status_code == 200 and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            response = await _in_gzip(path, response)
        await response(scope, receive, send)


async def _in_gzip(path: Path, plain: Response) -> Response:
    """The same answer, packed: a quarter of the bytes."""
    told = {name: value for name, value in plain.headers.items() if name in PACKED_KEEPS}
    told |= {"etag": f"W/{plain.headers['etag']}", "content-encoding": "gzip"}
    return Response(await run_in_threadpool(_packed, path), headers=told)


@cache
def _packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


# The routes that are open, and what each takes. What is not listed here is shut: a route that a
# new release of Gradio brings is refused until somebody has thought about it (a test lists all of
# them).

API = "/gradio_api"
POLICY = "redstring.policy"
# Names of the policies of what a supervisor asks, see ``ui.workers.watching``.
HEALTH, METRICS = "health", "metrics"
KILOBYTE, MEGABYTE = 1000, 1_000_000
LONGEST_QUERY, MOST_PARAMETERS = 2000, 20
# Of what a path may be made; a page of ours never asks for anything else.
_PATH = re.compile(r"/[\w\-.~/=+@() ]*", re.ASCII)
_ENCODED = re.compile(rb"%(?!20|28|29|40|3[dD]|2[bB])")
# Looks that a request is worth which goes through all of the page, 25 ms of the processor, and one that may
# begin a session.
WHOLE_PAGE, SESSION = 5.0, 3.0
# Of ``own`` bodies the one who reads them takes care.
Kind = Literal["none", "json", "form", "own"]
# Fields of Gradio's file objects. Gradio opens, copies or fetches what they name before it calls a function.
# No component of the page takes one: files are sent to the upload route and named by their keys.
FILE_KEYS = frozenset({"path", "url", "_type"})
# What a request costs, see rates: a file of the page, a look at something, bytes that are stored or work.
Cost = Literal["file", "look"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What a route takes. ``bytes``: largest body; ``longest``: longest text in it, in characters; ``model``:
    its form; ``file_keys``: names of fields that it refuses at any depth; ``case``: whether a body asks for
    work; ``at_once``: requests of all visitors that are worked on at the same time, others wait. ``tokens``:
    what a request takes of its address's stock of ``cost``; ``deposit``: what work takes of the stock of
    cases before it begins."""

    name: str
    path: re.Pattern[str]
    methods: tuple[str, ...] = ("GET", "HEAD")
    body: Kind = "none"
    bytes: int = 0
    longest: int = 1000
    model: type[BaseModel] | None = None
    file_keys: frozenset[str] = FILE_KEYS
    cost: Cost = "file"
    case: Callable[[Any], bool] | None = None
    at_once: int | None = None
    tokens: float = 1.0
    deposit: float = 1.0

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        return self.body != "none"


def opened(pattern: str, name: str, **more: Any) -> Policy:
    """A policy for the paths that match a pattern whole."""
    return Policy(name, re.compile(pattern, re.ASCII), **more)


@dataclass(frozen=True, slots=True)
class Table:
    """All policies. The first that matches a path holds."""

    policies: Sequence[Policy] = field(default_factory=tuple)

    def find(self, path: str) -> Policy | None:
        """The policy of a path; None where nothing is open."""
        return next((policy for policy in self.policies if policy.path.fullmatch(path)), None)


def reading_routes() -> tuple[Policy, ...]:
    """What only gives: the page and its parts."""
    listed = "|".join(re.escape(name) for name in LIBRARIES)
    return (
        opened("/", "page", cost="look", tokens=WHOLE_PAGE),
        opened("/config/?", "config", cost="look", tokens=WHOLE_PAGE),
        opened(rf"{API}/info/?", "info", cost="look", tokens=WHOLE_PAGE),
        opened(rf"{API}/openapi\.json", "openapi", cost="look", tokens=WHOLE_PAGE),
        opened(r"/theme\.css", "theme"),
        opened(rf"{API}/theme\.css", "theme"),
        opened(r"/(?:assets|static|svelte)/[\w\-.~/@+()]+", "assets"),
        opened(r"/(?:favicon\.ico|robots\.txt|manifest\.json)", "assets"),
        opened(f"{PREFIX}(?:{listed})", "library"),
        opened(rf"{API}/app_id/?", "app"),
        opened("/health", HEALTH, cost="look"),
        opened("/metrics", METRICS, cost="look"),
        opened(rf"{API}/heartbeat/[\w-]{{1,64}}", "heartbeat", methods=("GET",), cost="look"),
        opened(rf"{API}/queue/data", "queue data", methods=("GET",), cost="look"),
    )


class RouteGate:
    """Lets a request in that has a policy, and puts the policy into the scope; refuses every other.

    ``preflight`` answers browsers that ask what a page of another origin may send.
    """

    def __init__(self, app: ASGIApp, table: Table, preflight: ASGIApp) -> None:
        self.app, self._table, self._preflight = app, table, preflight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the policy, and pass the request on."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        policy = self._table.find(scope["path"]) if plain_path(scope) else None
        if policy is None:
            return await refuse(scope, receive, send, 404, "there is nothing here")
        if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            # The page of an origin that was let in asks what it may send.
            return await self._preflight(scope, receive, send)
        if scope["method"] not in policy.methods:
            allow = {"allow": ", ".join(policy.methods)}
            return await refuse(scope, receive, send, 405, "this is not how to ask here", allow)
        query = scope.get("query_string", b"")
        if len(query) > LONGEST_QUERY or query.count(b"&") >= MOST_PARAMETERS or b"%00" in query:
            return await refuse(scope, receive, send, 414, "the query is too long")
        return await self.app({**scope, POLICY: policy}, receive, send)


def plain_path(scope: Scope) -> bool:
    """Whether a path has one meaning: no dots to climb by, no doubled or encoded slashes, no parameters.

    Only the characters that have to be encoded may be: what reads a path later must read what was checked.
    """
    path: str = scope["path"]
    if not _PATH.fullmatch(path) or "//" in path or "/." in path:
        return False
    raw: bytes = scope.get("raw_path") or path.encode()
    return unquote_to_bytes(raw).decode("latin-1") == path and not _ENCODED.search(raw)
