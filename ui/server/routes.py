"""The open routes, the bodies they accept, refusals, and third-party scripts that a page loads."""

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

import orjson
import plotly
import pyvis
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The format of a refusal, the same for all middleware: a message in one line of JSON.

HEARD = "redstring.heard"
# Limits for reading the body of a refused request. A file upload: the bytes and seconds until its sender may
# notice. Any other body: the most that a page may send. Discarding 1 MB takes about 1 ms.
MOST_OF_FILES, MOST_DRAINED, DRAINED_SECONDS = 150_000_000, 2_000_000, 2.0


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    words: str,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Refuse a request, and close its connection.

    Reads and discards part of the body first: a browser that is still sending does not read the answer.
    """
    await _drained(scope)
    body = json.dumps({"detail": words, "error": words}).encode()
    # Without a known end, the rest of a body could be taken for the next request.
    fields = {"cache-control": "no-store", "connection": "close", **(headers or {})}
    await Response(body, status, fields, "application/json")(scope, receive, send)


class Heard:
    """Receives the messages of a request, and records whether its body is complete."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self._receive = receive
        self.out = "content-length" not in headers and "transfer-encoding" not in headers

    async def __call__(self) -> Message:
        """Return the next message."""
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
    """Refuse a request, with a Retry-After header."""
    await refuse(scope, receive, send, status, words, {"retry-after": str(max(1, round(seconds + 0.5)))})


# Third-party scripts that a page loads on demand, under names that reveal nothing about this machine.

PREFIX = "/libraries/"
VIS_NETWORK = Path(pyvis.__file__).resolve().parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
PLOTLY = Path(plotly.__file__).resolve().parent / "package_data" / "plotly.min.js"
LIBRARIES = {"vis-network.js": VIS_NETWORK, "plotly.js": PLOTLY}
# Headers that stay valid for the compressed answer.
PACKED_KEEPS = {"content-type", "last-modified", "cache-control", "vary"}


class LibraryRoute:
    """Serves these scripts by name. The route's pattern matches only their names."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a script, or with "not modified"."""
        path = LIBRARIES[scope["path"].removeprefix(PREFIX)]
        folder = StaticFiles(directory=path.parent, follow_symlink=True)
        response = await folder.get_response(path.name, scope)
        # The frame's policy contains the hash of the current script, so browsers must revalidate cached ones.
        response.headers["cache-control"] = "no-cache"
        response.headers["vary"] = "Accept-Encoding"
        if response.status_code == 200 and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            response = await _in_gzip(path, response)
        await response(scope, receive, send)


async def _in_gzip(path: Path, plain: Response) -> Response:
    """Return the answer compressed with gzip: a quarter of the bytes."""
    kept_headers = {name: value for name, value in plain.headers.items() if name in PACKED_KEEPS}
    kept_headers |= {"etag": f"W/{plain.headers['etag']}", "content-encoding": "gzip"}
    return Response(await run_in_threadpool(_packed, path), headers=kept_headers)


@cache
def _packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


# The open routes, and the limits of each. Every other route is refused, also one that a new release of Gradio
# adds, until it is listed here (a test lists all of them).

API = "/gradio_api"
POLICY = "redstring.policy"
# Policy names of the monitoring routes, see ``ui.server.app``.
HEALTH, METRICS = "health", "metrics"
KILOBYTE, MEGABYTE = 1000, 1_000_000
LONGEST_QUERY, MOST_PARAMETERS = 2000, 20
# The characters of a valid path. The page never requests any other.
_PATH = re.compile(r"/[\w\-.~/=+@() ]*", re.ASCII)
_ENCODED = re.compile(rb"%(?!20|28|29|40|3[dD]|2[bB])")
# The cost, in light requests, of one that searches the whole page (25 ms of processor time), and of one that
# may start a session.
WHOLE_PAGE, SESSION = 5.0, 3.0
# The route itself reads ``own`` bodies.
Kind = Literal["none", "json", "form", "own"]
# Fields of Gradio's file objects. Gradio opens, copies or fetches the file before it calls a function. No
# component of the page takes one: files go to the upload route and are identified by keys.
FILE_KEYS = frozenset({"path", "url", "_type"})
# Kinds of cost, see rates: a file of the page, a light request, stored bytes, or work.
Cost = Literal["file", "look"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What a route accepts.

    ``bytes``: largest body. ``longest``: longest text in it, in characters. ``model``: its form.
    ``file_keys``: field names that are refused at any depth. ``case``: returns whether a body asks for work.
    ``at_once``: concurrent requests of all visitors; others wait. ``tokens``: what a request takes from its
    address's bucket of ``cost``. ``deposit``: what work takes from the bucket of cases before it starts.
    """

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
        """Return whether a request may change something."""
        return self.body != "none"


def opened(pattern: str, name: str, **more: Any) -> Policy:
    """Make a policy for the paths that match a whole pattern."""
    return Policy(name, re.compile(pattern, re.ASCII), **more)


@dataclass(frozen=True, slots=True)
class Table:
    """All policies. The first one that matches a path applies."""

    policies: Sequence[Policy] = field(default_factory=tuple)

    def find(self, path: str) -> Policy | None:
        """Return the policy of a path, or None if it is not open."""
        return next((policy for policy in self.policies if policy.path.fullmatch(path)), None)


def reading_routes() -> tuple[Policy, ...]:
    """Return the policies of read-only routes: the page and its parts."""
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
    """Admits requests that have a policy, and puts it into the scope; refuses all others.

    ``preflight`` answers CORS preflight requests.
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
            return await refuse(scope, receive, send, 404, "not found")
        if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            # A preflight request of an allowed origin.
            return await self._preflight(scope, receive, send)
        if scope["method"] not in policy.methods:
            allow = {"allow": ", ".join(policy.methods)}
            return await refuse(scope, receive, send, 405, "method not allowed", allow)
        query = scope.get("query_string", b"")
        if len(query) > LONGEST_QUERY or query.count(b"&") >= MOST_PARAMETERS or b"%00" in query:
            return await refuse(scope, receive, send, 414, "the query is too long")
        return await self.app({**scope, POLICY: policy}, receive, send)


def plain_path(scope: Scope) -> bool:
    """Return whether a path is unambiguous: no dot segments, no double or encoded slashes, no parameters.

    Only characters that require encoding may be encoded, so that later readers see the path that was checked.
    """
    path: str = scope["path"]
    if not _PATH.fullmatch(path) or "//" in path or "/." in path:
        return False
    raw: bytes = scope.get("raw_path") or path.encode()
    return unquote_to_bytes(raw).decode("latin-1") == path and not _ENCODED.search(raw)


# Check the type, size and form of request bodies before the application reads them.
#
# JSON is parsed once, here, and passed on as it was parsed. If two parsers understand a text
# differently (repeated keys, numbers over 64 bits, unpaired surrogates), an attacker can bypass
# the checks.

DEEPEST, MOST_VALUES, MOST_ITEMS = 24, 20_000, 2500
# Minimum pace of a body after its start, bytes/s. A hundred slow senders would otherwise fill the server.
SLOWEST, STARTS = 20_000, 20.0
READ = "redstring.body"
NOT_JSON = "the body is not JSON in UTF-8"
NO_FILES = f"file objects are refused: send files to {API}/upload and name them by the keys it returns"


class BodyError(Exception):
    """A refused body: the status and the message."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


class BodyGate:
    """Parses and checks JSON bodies; limits the size of other bodies while they stream."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the body, and pass the request on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        policy: Policy = scope[POLICY]
        try:
            _check_headers(Headers(scope=scope), policy)
            if policy.body == "json":
                value = checked_json(await _read_body(receive, policy), policy)
                scope, receive = _handed_on(scope, receive, value)
        except BodyError as error:
            return await refuse(scope, receive, send, error.status, error.words)
        return await self.app(scope, receive, send)


def _check_headers(headers: Headers, policy: Policy) -> None:
    lengths = headers.getlist("content-length")
    if "content-encoding" in headers:
        raise BodyError(415, "send the body as it is, not compressed")
    if len(lengths) > 1 or (lengths and "transfer-encoding" in headers):
        raise BodyError(400, "the body has two lengths")
    if lengths and (not lengths[0].isascii() or not lengths[0].isdigit()):
        raise BodyError(400, "the length of the body is no number")
    if lengths and (len(lengths[0]) > 15 or int(lengths[0]) > policy.bytes):
        raise BodyError(413, too_large(policy))
    if policy.body == "none":
        if "transfer-encoding" in headers:
            raise BodyError(413, too_large(policy))
        return
    given = headers.get("content-type", "").partition(";")[0].strip().lower()
    wanted = "application/json" if policy.body == "json" else "multipart/form-data"
    if given != wanted or len(headers.getlist("content-type")) != 1:
        raise BodyError(415, f"this takes {wanted} and nothing else")


def too_large(policy: Policy) -> str:
    """Return the message for a body larger than its route accepts."""
    return "this takes no body" if not policy.bytes else f"larger than the {policy.bytes:,} bytes taken here"


async def _read_body(receive: Receive, policy: Policy) -> bytearray:
    body = bytearray()
    try:
        async with asyncio.timeout(STARTS + policy.bytes / SLOWEST):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyError(400, "the body ended early")
                body += message.get("body", b"")
                if len(body) > policy.bytes:
                    raise BodyError(413, too_large(policy))
                if not message.get("more_body", False):
                    return body
    except TimeoutError:
        raise BodyError(408, "the body came too slowly") from None


def checked_json(body: bytes | bytearray, policy: Policy) -> Any:
    """Parse and check a body.

    Raises BodyError if it is invalid JSON, too deep, too long, or of another form.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise BodyError(400, NOT_JSON) from None
    check_values(value, policy.longest, policy.file_keys)
    if policy.model is None:
        return value
    try:
        policy.model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        # Unknown field names come from the visitor: the message does not repeat them.
        known = [str(part) for part in first["loc"] if str(part) in policy.model.model_fields]
        raise BodyError(422, f"{'.'.join(known) or 'body'}: {first['type'].replace('_', ' ')}") from None
    return value


def check_values(value: Any, longest: int, file_keys: frozenset[str] = FILE_KEYS) -> None:
    """Check every value in a body.

    Raises BodyError if the values are too deep, too many or too long, or if an object has one of
    ``file_keys``, in upper or lower case.
    """
    left, seen = [(value, 0)], 0
    while left:
        found, depth = left.pop()
        seen += 1
        if isinstance(found, str):
            if len(found) > longest:
                raise BodyError(413, f"a text is longer than the {longest:,} characters taken here")
            continue
        if not isinstance(found, dict | list):
            continue
        if depth >= DEEPEST:
            raise BodyError(400, f"nested deeper than {DEEPEST} levels")
        if len(found) > MOST_ITEMS or seen + len(left) + len(found) > MOST_VALUES:
            raise BodyError(413, "too many values")
        if isinstance(found, dict):
            if any(len(key) > 200 for key in found):
                raise BodyError(413, "the name of a field is too long")
            if not file_keys.isdisjoint(key.strip().casefold() for key in found):
                raise BodyError(400, NO_FILES)
            found = list(found.values())
        left.extend((part, depth + 1) for part in found)


def _handed_on(scope: Scope, receive: Receive, value: Any) -> tuple[Scope, Receive]:
    lengths = (b"content-length", b"transfer-encoding")
    headers = [(name, text) for name, text in scope["headers"] if name not in lengths]
    waiting = [value]

    async def once() -> Message:
        # Serialized on reading, because middleware in between may change the value.
        return {"type": "http.request", "body": orjson.dumps(waiting.pop())} if waiting else await receive()

    return {**scope, "headers": headers, READ: value}, once
