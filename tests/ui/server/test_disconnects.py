"""Connections that are really closed while a case waits for its place, by each way of asking."""

from __future__ import annotations

import json
import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import psutil
import pytest

from tests.hostile_files import texts
from tests.ui.raw import API, Raw, stranger
from ui.server.answers import Callers
from ui.server.pool import FairQueue
from ui.shelf import Library

QUESTION = "May a manager grant broader powers?"
SOON = 10.0
Asks = Callable[[Raw], socket.socket]


def _sent(raw: Raw, head: str, body: object = None, address: str = "") -> socket.socket:
    """A request whose answer nobody has read yet."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [head, f"Host: {raw.authority}", f"X-Forwarded-For: {address or stranger()}"]
    if content:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    lines.append("Accept: application/json, text/event-stream")
    line = raw.connected()
    line.sendall("\r\n".join([*lines, "\r\n"]).encode() + content)
    return line


def _as_a_tool(raw: Raw) -> socket.socket:
    call = {"name": "answer", "arguments": {"question": QUESTION}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return _sent(raw, f"POST {API}/mcp/ HTTP/1.1", message)


def _by_the_queue(raw: Raw) -> socket.socket:
    address = stranger()
    event = raw.post(f"{API}/call/answer", {"data": [QUESTION]}, forwarded=address).json["event_id"]
    return _sent(raw, f"GET {API}/call/answer/{event} HTTP/1.1", address=address)


def _as_gradio_s_client(raw: Raw) -> socket.socket:
    functions = raw.ask("GET", "/config").json["dependencies"]
    number = next(one["id"] for one in functions if one["api_name"] == "investigate")
    body = {"fn_index": number, "session_hash": "leaving", "data": [QUESTION]}
    address = stranger()
    assert raw.post(f"{API}/queue/join", body, forwarded=address).status == 200
    return _sent(raw, f"GET {API}/queue/data?session_hash=leaving HTTP/1.1", address=address)


@pytest.fixture
def full(behind: Library) -> Iterator[FairQueue[str]]:
    """The line of a server whose places are all taken."""
    line = behind.workers.here
    with ExitStack() as taken:
        for _ in range(line.free):
            ticket = line.join("somebody")
            taken.callback(line.give_back, ticket.place)
        yield line


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("ask", [_as_a_tool, _by_the_queue, _as_gradio_s_client])
def test_a_case_is_cancelled_when_its_connection_is_closed(ask: Asks, raw: Raw, full: FairQueue[str]) -> None:
    with _as_a_tool(raw), _by_the_queue(raw):
        _until(lambda: len(full) == 2)
        before = full.served
        with ask(raw):
            _until(lambda: len(full) == 3)
        _until(lambda: len(full) == 2)
        assert full.served == before
    _until(lambda: len(full) == 0)


def test_a_file_is_read_no_further_when_its_request_is_closed(raw: Raw, behind: Library) -> None:
    def readers() -> list[psutil.Process]:
        found = []
        for one in psutil.Process().children(recursive=True):
            # A child may end between the two looks at it.
            with suppress(psutil.NoSuchProcess):
                found += [one] if "ui.server.reader" in "".join(one.cmdline()) else []
        return found

    name = "a long page.pdf"
    sent = {"name": name, "data": b64encode(texts()[name]).decode()}
    asked = {"do": "read", "visitor": "v" * 32, "file": sent}
    body = {
        "data": asked, "component_id": raw.component("check"), "fn_name": "check",
        "session_hash": "leaving",
    }  # fmt: skip
    with _sent(raw, f"POST {API}/component_server/ HTTP/1.1", body):
        _until(lambda: bool(readers()))
    _until(lambda: not readers())


def test_nobody_cancels_the_case_of_another_address(raw: Raw, full: FairQueue[str]) -> None:
    with _as_gradio_s_client(raw):
        _until(lambda: len(full) == 1)
        for name in ("leaving", "None", ""):
            _sent(raw, f"GET {API}/queue/data?session_hash={name} HTTP/1.1").close()
        # A place in line is looked at every tenth of a second.
        time.sleep(0.3)
        assert len(full) == 1
    _until(lambda: len(full) == 0)


def test_one_that_was_closed_before_its_case_began() -> None:
    callers, cancelled = Callers(), list[str]()
    callers.closed("a", early=True)
    with callers.waiting({"a"}, lambda: cancelled.append("a")):
        assert cancelled == ["a"]
    callers.forget("a")
    with callers.waiting({"a", "b"}, lambda: cancelled.append("again")):
        callers.closed("c")
        assert cancelled == ["a"]
        callers.closed("b")
    assert cancelled == ["a", "again"]
    callers.closed("a")
    assert cancelled == ["a", "again"]
