"""The routes that are open, and what each takes. What is not listed here is shut: a route that a new release
of Gradio brings is refused until somebody has thought about it (a test lists all of them)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.door.libraries import LIBRARIES, PREFIX
from ui.door.refusing import refuse

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
