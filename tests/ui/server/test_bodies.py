from __future__ import annotations

import asyncio
import gzip
import json
import re
import time
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from tests.ui.raw import API, Raw
from tests.ui.server.alone import asked, let_in, policy
from ui.server.policies import Call
from ui.server.routes import DEEPEST, BodyError, BodyGate, Policy, check_values, checked_json

QUESTION = "May a manager grant broader powers?"
CALLED = Policy("call", re.compile("x"), body="json", bytes=1000, longest=100, model=Call)
LOOSE = Policy("any", re.compile("x"), body="json", bytes=1000, longest=100)


def nested(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    return (opening * depth + closing * depth).encode()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (nested(100_000), 400),
        (nested(DEEPEST + 1), 400),
        (b'{"a":' * 50 + b"1" + b"}" * 50, 400),
        (b"[" + b",".join([b"0"] * 60_000) + b"]", 413),
        (b"[" + b",".join([b"[" + b",".join([b"0"] * 200) + b"]"] * 200) + b"]", 413),
        (json.dumps("x" * 101).encode(), 413),
        (json.dumps({"x" * 201: 1}).encode(), 413),
        (b'"\\ud800"', 400),
        (b'"\xff"', 400),
        (b"\xef\xbb\xbf[]", 400),
        (b"NaN", 400),
        (b"[1,]", 400),
        (b"[1] [2]", 400),
        (b"", 400),
        (b'"\x00"', 400),
        ('"x"'.encode("utf-16"), 400),
    ],
)
def test_a_body_that_is_too_much_or_no_json_is_refused_at_once(body: bytes, status: int) -> None:
    began = time.process_time()
    with pytest.raises(BodyError) as refused:
        checked_json(body, LOOSE)
    assert refused.value.status == status
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"data": "text"},
        {"data": [1], "more": 1},
        {"data": [1], "secret": 1},
        {"data": [1], "session_hash": "../../etc"},
        {"data": [1], "session_hash": 5},
        {"data": [1], "session_hash": "a" * 65},
        {"data": [1], "oauth_token": "secret"},
        {"data": list(range(151))},
        [],
        None,
    ],
)
def test_a_body_has_the_form_of_its_route(value: Any) -> None:
    with pytest.raises(BodyError) as refused:
        checked_json(orjson.dumps(value), CALLED)
    assert refused.value.status == 422
    assert "secret" not in refused.value.words
    assert "etc" not in refused.value.words


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    )
)
def test_what_is_not_too_much_goes_through_as_it_is(value: Any) -> None:
    body = orjson.dumps(value)
    assert orjson.dumps(checked_json(body, LOOSE)) == body


@given(st.integers(0, 40))
def test_the_depth_is_counted_exactly(depth: int) -> None:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    if depth > DEEPEST:
        with pytest.raises(BodyError):
            check_values(value, 10)
    else:
        check_values(value, 10)


def call(data: list[Any]) -> dict[str, Any]:
    return {"data": data}


def test_a_body_is_json_and_nothing_else(raw: Raw) -> None:
    body = json.dumps({"do": "delete"}).encode()
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "text/plain; application/json",
        "application/jsonp",
        "application/json, text/plain",
    ):
        for target in (f"{API}/component_server/", f"{API}/call/investigate", f"{API}/mcp/"):
            assert raw.ask("POST", target, [("Content-Type", kind)], body).status == 415
    assert raw.ask("POST", f"{API}/component_server/", (), body).status == 415
    twice = [("Content-Type", "application/json"), ("Content-Type", "text/plain")]
    assert raw.ask("POST", f"{API}/component_server/", twice, body).status == 415
    assert (
        raw.post(f"{API}/component_server/", gzip.compress(body), [("Content-Encoding", "gzip")]).status
        == 415
    )


def test_a_body_is_measured_before_it_is_read(raw: Raw) -> None:
    typed = [("Content-Type", "application/json")]
    target = f"{API}/call/investigate"
    told = raw.ask("POST", target, [*typed, ("Content-Length", "999999999")])
    assert told.status == 413
    assert raw.ask("POST", target, [*typed, ("Content-Length", "9" * 5000)]).status in (400, 413, 431)
    assert raw.ask("GET", "/config", [("Content-Length", "5")], b"abcde").status == 413
    for wrong in ("-1", "1e3", "0x10", "+5", "5, 6", "５"):
        sent = [*typed, ("Content-Length", wrong)]
        assert raw.ask("POST", target, sent, b"{}").status in (0, 400, 413) if wrong.isascii() else True


def test_a_body_without_length_is_counted_while_it_comes(raw: Raw) -> None:
    head = (
        f"POST {API}/call/investigate HTTP/1.1\r\nHost: {raw.authority}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    ).encode()
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert raw.send([head, *[chunk] * 100]).status in (0, 413)
    small = b"10\r\n" + b'{"data": ["abc"]' + b"\r\n1\r\n}\r\n0\r\n\r\n"
    assert raw.send([head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), small]).status == 200
    both = head.replace(b"\r\n\r\n", b"\r\nContent-Length: 4\r\n\r\n")
    assert raw.send([both, small]).status in (0, 400)


def test_a_body_that_trickles_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.server.routes.STARTS", 0.05)

    async def receive() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    taken = policy(body="json", bytes=100)
    assert asyncio.run(asked(BodyGate(let_in), taken, receive, kind="application/json")) == 408


def test_one_text_means_one_thing(raw: Raw) -> None:
    """Doubled keys and numbers beyond 64 bits reach the page as the door understood them."""
    number = raw.component("corpus")
    start = f'{{"component_id": {number}, "fn_name": "corpus", "session_hash": "abc", "data": '
    doubled = start + '{"do": "shelf", "do": "no such thing"}}'
    assert "unknown request" in raw.post(f"{API}/component_server/", doubled.encode()).json["error"]
    huge = start + '{"do": "shelf", "at": 1' + "0" * 5000 + "}}"
    assert raw.post(f"{API}/component_server/", huge.encode()).status in (200, 400)


@pytest.mark.parametrize(
    "body",
    [
        {"data": [], "fn_index": 10**9, "session_hash": "abc"},
        {"data": [], "fn_index": -1, "session_hash": "abc"},
        {"data": [], "fn_index": "0", "session_hash": "abc"},
        {"data": [], "fn_index": 0, "session_hash": "../a"},
        {"data": [], "fn_index": 0},
        {"data": [], "fn_index": 0, "session_hash": "abc", "batched": True},
        {"data": [], "fn_index": 0, "session_hash": "abc", "simple_format": True},
        {"data": [], "fn_index": 0, "session_hash": "abc", "request": {}},
    ],
)
def test_events_have_a_form(raw: Raw, body: dict[str, Any]) -> None:
    assert raw.post(f"{API}/queue/join", body).status == 422


@pytest.mark.parametrize(
    "body",
    [
        {"fn_name": "corpus", "session_hash": "abc", "data": {}},
        {"component_id": 10**9, "fn_name": "corpus", "session_hash": "abc", "data": {}},
        {"component_id": 1, "fn_name": "__init__", "session_hash": "abc", "data": {}},
        {"component_id": 1, "fn_name": "postprocess", "session_hash": "abc", "data": {}},
        {"component_id": "1", "fn_name": "corpus", "session_hash": "abc", "data": {}},
        {"component_id": 1, "fn_name": "corpus", "session_hash": "abc", "data": []},
        {"component_id": 1, "fn_name": "corpus", "session_hash": "abc", "data": {}, "wrong": 1},
        {"corpus": "x"},
        [],
    ],
)
def test_wrong_keys_to_a_panel_are_the_asker_s_fault(raw: Raw, body: Any) -> None:
    assert raw.post(f"{API}/component_server/", body).status == 422


def test_a_panel_is_asked_by_its_own_functions_alone(raw: Raw) -> None:
    body = {"component_id": raw.component("corpus"), "session_hash": "abc", "data": {"do": "shelf"}}
    assert raw.post(f"{API}/component_server/", {**body, "fn_name": "corpus"}).status == 200
    for name in ("__init__", "postprocess", "check" * 20, ""):
        assert raw.post(f"{API}/component_server/", {**body, "fn_name": name}).status == 422


def test_the_queue_cannot_be_passed_by(raw: Raw) -> None:
    config = raw.ask("GET", "/config").json
    names = {fn["api_name"]: fn["id"] for fn in config["dependencies"]}
    for target in ("run/investigate", "run/predict", "api/investigate", "api/predict"):
        for number in (names["investigate"], names["answer"], names["audit"], None):
            body = {"data": [QUESTION], "session_hash": "abc", "fn_index": number}
            assert raw.post(f"{API}/{target}", body).status in (404, 422)
    asks = [fn["id"] for fn in config["dependencies"] if fn["queue"] is not False]
    assert asks
    for number in asks:
        body = {"data": [], "session_hash": "abc", "fn_index": number}
        assert raw.post(f"{API}/run/predict", body).status == 422


@pytest.mark.parametrize("do", [["shelf"], {"a": 1}, None, 5, True])
def test_what_is_to_be_done_may_be_of_any_type(raw: Raw, do: object) -> None:
    """Whether it is work is asked before anybody has looked at its type."""
    assert "error" in raw.panel({"do": do}).json
    ask = next(fn["id"] for fn in raw.ask("GET", "/config").json["dependencies"] if fn["queue"] is not False)
    body = {"data": [], "fn_index": ask, "session_hash": "abc", "event_data": {"action": do}}
    assert raw.post(f"{API}/queue/join", body).status == 200
