"""Calls of others, by all that names them; and calls whose answers are not fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.attacks.http.raw import API, Answer, stranger
from benchmarks.attacks.http.target import REFUSED, SECRET, Ask, Attack, Classes, Target, call, typed

ABSENT = "0" * 32
QUESTION = f"May a {SECRET} act?"
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


def classes() -> Classes:
    """The attacks, by their class."""
    return {"calls of others": list(_others()), "answers not fetched": list(_not_fetched())}


def _others() -> Iterator[Attack]:
    for name in TRIED:
        yield Attack(name, _by_another(name), REFUSED | {406})


def _by_another(name: str) -> Ask:
    """An attempt of another address; then the caller's own request, if that is not answered."""

    def ask(target: Target) -> Answer:
        here, load = stranger("127"), f"load{stranger('127').replace('.', '-')}"
        event = _called(target, here, session_hash=load)
        method, path, body = filled(name, event, load, _number(target, "plan"))
        sent = b"" if body is None else json.dumps(body).encode()
        tried = target.raw.ask(method, path, typed() if sent else (), sent)
        own = _fetched(target, here, event)
        return tried if SECRET.encode() in own.body else Answer(500, own.headers, b"the caller's is lost")

    return ask


def _not_fetched() -> Iterator[Attack]:
    """Others leave their answers; then a caller who called before them is still answered."""
    found = frozenset({200})
    for name, addresses, each in (
        ("one", 1, 1), ("some of one address", 1, 3), ("one of each of 30 addresses", 30, 1),
        ("two of each of 15 addresses", 15, 2),
    ):  # fmt: skip
        for detail in ("slim", "full"):
            yield Attack(f"{name}, {detail}", _left(addresses, each, detail), found, _is_complete)


def _left(addresses: int, each: int, detail: str) -> Ask:
    data = ["Who may act?", "", "quick", None, None, None, None, False, None, "", detail]

    def ask(target: Target) -> Answer:
        here = stranger("127")
        event = _called(target, here)
        for _ in range(addresses):
            other = stranger("127")
            for _ in range(each):
                target.raw.ask("POST", f"{API}/call/investigate", typed(), call(*data), forwarded=other)
        own = _fetched(target, here, event)
        # It is the caller's own: what they asked may be in it.
        return Answer(own.status, own.headers, own.body.replace(SECRET.encode(), b""))

    return ask


def _is_complete(answer: Answer) -> str:
    return "" if answer.body.startswith(b"event: complete") else f"not the answer: {answer.body[:120]!r}"


def _called(target: Target, here: str, **more: Any) -> str:
    body = json.dumps({"data": [QUESTION], **more}).encode()
    return str(target.raw.ask("POST", f"{API}/call/plan", typed(), body, forwarded=here).json["event_id"])


def _fetched(target: Target, here: str, event: str) -> Answer:
    return target.raw.stream(f"{API}/call/plan/{event}", forwarded=here)


def _number(target: Target, endpoint: str) -> int:
    target.number("corpus")
    return next(int(one["id"]) for one in target.config["dependencies"] if one["api_name"] == endpoint)
