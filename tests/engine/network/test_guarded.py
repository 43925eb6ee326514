"""Requests by the guarded way: to what they go, what they cost, and what is said of them."""

from __future__ import annotations

import asyncio
import gzip
import logging
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engine.network import UNREACHABLE, Received, fetch, guarded_transport, open_client
from tests.engine.network.hostile import (
    FORMS,
    NAMES,
    REBOUND,
    REDIRECTS,
    SERVERS,
    form_attempt,
    name_attempt,
    redirect_attempt,
    server_attempt,
)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_is_not_public_is_called_however_it_is_written(form: str) -> None:
    attempt = form_attempt(form)
    assert attempt.held, attempt.note


@pytest.mark.parametrize("name", [*NAMES, *REBOUND])
def test_every_address_of_a_name_is_judged_and_a_judged_one_connected_to(name: str) -> None:
    attempt = name_attempt(name)
    assert attempt.held, attempt.note


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_means_harm_costs_little_and_is_not_quoted(name: str) -> None:
    attempt = server_attempt(name)
    assert attempt.held, attempt.note


@pytest.mark.parametrize("status", REDIRECTS)
def test_a_redirect_is_not_followed(status: int) -> None:
    attempt = redirect_attempt(status)
    assert attempt.held, attempt.note


class Open(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = f"{self.headers['Host']} {self.headers['Cookie']} {self.headers['Authorization']}".encode()
        self.send_response(200)
        self.send_header("Set-Cookie", "a=b; Path=/")
        self.send_header("X-Said", str(self.headers["Authorization"]))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


def called(url: str, *, times: int = 1) -> Received:
    async def call() -> Received:
        async with open_client(lambda: guarded_transport(private=True)) as client:
            for _ in range(times):
                received = await fetch(client, "GET", url, key="sk-0123", seconds=5, longest=1000)
            return received

    return asyncio.run(call())


def test_what_comes_packed_stays_packed() -> None:
    class Packed(Open):
        def do_GET(self) -> None:
            body = gzip.compress(b"harmless words")
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Packed) as server:
        thread = threading.Thread(target=server.handle_request, daemon=True)
        thread.start()
        received = called(f"http://127.0.0.1:{server.server_address[1]}/")
        thread.join()
    assert received.status == 200
    assert "harmless" not in received.body


def test_the_server_is_asked_under_its_name_and_gets_no_cookie_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:9")
    caplog.set_level(logging.DEBUG)
    with ThreadingHTTPServer(("127.0.0.1", 0), Open) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        host = f"localhost:{server.server_address[1]}"
        assert called(f"http://{host}/", times=2).body == f"{host} None Bearer sk-0123"
        server.shutdown()
        thread.join()
    assert "sk-0123" not in caplog.text


def test_the_certificate_is_asked_for_under_the_name_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    trusted: list[ssl.SSLContext] = []
    begin = ssl.SSLContext.wrap_bio

    def heard(self: ssl.SSLContext, *more: object, **named: object) -> ssl.SSLObject:
        asked.append(named.get("server_hostname"))
        trusted.append(self)
        return begin(self, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "wrap_bio", heard)
    with ThreadingHTTPServer(("127.0.0.1", 0), Open) as plain:
        thread = threading.Thread(target=plain.handle_request, daemon=True)
        thread.start()
        assert called(f"https://localhost:{plain.server_address[1]}/v1").status == UNREACHABLE
        thread.join()
    assert asked in ([b"localhost"], ["localhost"])
    assert [(one.verify_mode, one.check_hostname) for one in trusted] == [(ssl.CERT_REQUIRED, True)]
