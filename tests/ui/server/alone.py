"""One request to a gate alone, without a server around it."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server.address import VISITOR, Visitor
from ui.server.routes import POLICY, Policy

HERE = Visitor("203.0.113.1", local=False)


async def let_in(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("")(scope, receive, send)


async def nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def asked(
    gate: ASGIApp, policy: Policy, receive: Receive = nothing_more, *, visitor: Visitor = HERE, kind: str = ""
) -> int:
    """The status with which a gate answers; ``kind`` is the type of the body."""
    headers = [(b"content-type", kind.encode())] if kind else []
    scope: dict[str, Any] = {
        "type": "http", "method": "POST", "path": "/", "headers": headers, POLICY: policy, VISITOR: visitor,
    }  # fmt: skip
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await gate(scope, receive, send)
    return statuses[0]


def policy(**more: Any) -> Policy:
    return Policy("any", re.compile("/"), **more)
