"""Requests by which others than the caller try to get or to end a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.ui.raw import API

ABSENT = "0" * 32
# Method and path below the API, and a body. ``event`` is the id of a call, ``load`` the page load that it was
# made from, ``number`` that of its function. Each gets what it would get if there were no such call.
Try = tuple[str, str, Mapping[str, Any] | None]


def _cancel(load: str, event: str, path: str = "cancel") -> Try:
    return "POST", path, {"session_hash": load, "fn_index": "{number}", "event_id": event}


def _get(path: str) -> Try:
    return "GET", path, None


TRIED: Mapping[str, Try] = {
    "its stream": _get("call/plan/{event}"),
    "its stream by another endpoint": _get("call/investigate/{event}"),
    "its stream with the page load": _get("call/plan/{event}?session_hash={load}"),
    "its stream in capitals": _get("call/plan/{upper}"),
    "its stream with a slash": _get("call/plan/{event}/"),
    "its stream, twice in one": _get("call/plan/{event}{event}"),
    "its stream by the second form of calls": _get("call/v2/plan/{event}"),
    "a name near to it": _get("call/plan/{near}"),
    "the name of nothing": _get("call/plan/None"),
    "its page load": _get("queue/data?session_hash={load}"),
    "its page load, second": _get("queue/data?session_hash=mine&session_hash={load}"),
    "its page load, first": _get("queue/data?session_hash={load}&session_hash=mine"),
    "its page load, encoded": _get("queue/data?session%5Fhash={load}"),
    "its page load, a blank after it": _get("queue/data?session_hash={load}%20"),
    "its page load with its name": _get("queue/data?session_hash={load}&event_id={event}"),
    "its name as a page load": _get("queue/data?session_hash={event}"),
    "its name alone": _get("queue/data?event_id={event}"),
    "an empty page load": _get("queue/data?session_hash="),
    "its state": _get("queue/status?session_hash={load}"),
    "its media": _get("stream/{load}/0/0/playlist.m3u8"),
    "cancelling it": _cancel("{load}", "{event}"),
    "cancelling it from a page load": _cancel("mine", "{event}"),
    "cancelling its page load": _cancel("{load}", ""),
    "cancelling another call of its page load": _cancel("{load}", ABSENT),
    "cancelling by its name alone": _cancel("{event}", "{event}"),
    "cancelling with a slash": _cancel("{load}", "{event}", "cancel/"),
    "resetting it": ("POST", "reset", {"event_id": "{event}"}),
    "resetting with a slash": ("POST", "reset/", {"event_id": "{event}"}),
    "closing it": ("POST", "stream/{event}/close", {}),
    "going on with it": ("POST", "stream/{event}", {"data": []}),
    "its name in a direct call": (
        "POST", "run/predict",
        {"data": [], "fn_index": "{number}", "session_hash": "{load}", "event_id": "{event}"},
    ),
    "its name in a message of tools": (
        "POST", "mcp/",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "session_hash": "{load}", "event_id": "{event}"},
    ),
}  # fmt: skip


def filled(name: str, event: str, load: str, number: int) -> tuple[str, str, dict[str, Any] | None]:
    """One of ``TRIED``, for a call."""
    method, path, body = TRIED[name]
    near = event[:-1] + ("0" if event[-1] != "0" else "1")
    named = {"event": event, "load": load, "upper": event.upper(), "near": near}

    def put(value: Any) -> Any:
        return number if value == "{number}" else value.format(**named) if isinstance(value, str) else value

    sent = None if body is None else {key: put(value) for key, value in body.items()}
    return method, f"{API}/{path.format(**named)}", sent
