"""Check the type, size and form of request bodies before the application reads them.

JSON is parsed once, here, and passed on as it was parsed. If two parsers understand a text differently
(repeated keys, numbers over 64 bits, unpaired surrogates), an attacker can bypass the checks.
"""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server.routes import API, FILE_KEYS, POLICY, Policy, refuse

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
