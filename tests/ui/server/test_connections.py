from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn

import ui.server.address as connections


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "HEADERS_SECONDS", 0.3)
    monkeypatch.setattr(connections, "MOST_OF_ADDRESS", 5)
    config = uvicorn.Config(
        hello, http=connections.bounded(), lifespan="off", log_level="critical", timeout_keep_alive=1
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            sleep(0.01)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(10)


def hung_up(line: socket.socket, seconds: float = 10.0) -> bool:
    line.settimeout(seconds)
    try:
        return line.recv(10) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("first", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\nX: "])
def test_a_request_that_does_not_come_is_not_waited_for(port: int, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(first)
        began = monotonic()
        assert hung_up(line)
        assert monotonic() - began < 5


def test_a_request_that_trickles_is_not_waited_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as line:
        began = monotonic()
        with suppress(OSError):
            for byte in b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: " + b"y" * 1000:
                line.sendall(bytes([byte]))
                sleep(0.05)
        assert monotonic() - began < 5


def test_an_address_holds_so_many_connections_and_may_come_again(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else the sixth would be hung up on because it says nothing.
    monkeypatch.setattr(connections, "HEADERS_SECONDS", 60.0)
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
    assert hung_up(lines[5])
    for line in lines:
        line.close()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            line.settimeout(10)
            assert line.recv(12) == b"HTTP/1.1 200"


def test_a_request_that_came_keeps_its_line(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.settimeout(10)
        for _ in range(3):
            line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = b""
            while not answer.endswith(b"hi"):
                answer += line.recv(1000)
            sleep(0.2)
