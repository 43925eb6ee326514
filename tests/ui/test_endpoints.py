from __future__ import annotations

import asyncio
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.errors import InputError
from ui.endpoints import checked_url, guarded_transport, is_public, is_reachable, resolved

NOT_PUBLIC = (
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "169.254.169.254", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
    "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001:0:7f00:1::",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
)  # fmt: skip
PUBLIC = ("1.1.1.1", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    brackets = f"[{address}]" if ":" in address else address
    with pytest.raises(InputError, match="not a public server"):
        checked_url(f"https://{brackets}/v1", private=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@given(some.ip_addresses(v=4))
def test_writing_an_address_another_way_makes_it_no_more_public(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    for prefix in ("::ffff:0:0", "64:ff9b::", "::", "2002::"):
        wrapped = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | number)
        assert is_public(address) or not is_public(wrapped)


def test_the_private_network_may_be_opened_but_never_to_where_clouds_keep_secrets() -> None:
    for address in ("127.0.0.1", "10.0.0.1", "::1", "8.8.8.8"):
        assert is_reachable(ipaddress.ip_address(address), private=True)
    for address in ("169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "224.0.0.1"):
        assert not is_reachable(ipaddress.ip_address(address), private=True)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "begins with https"),
        ("api.example.com/v1", "begins with https"),
        ("ftp://example.com/v1", "begins with https"),
        ("file:///etc/passwd", "begins with https"),
        ("https:///v1", "begins with https"),
        ("https://example.com:0/v1", "begins with https"),
        ("https://example.com:99999/v1", "cannot be read"),
        ("https://[::1/v1", "cannot be read"),
        ("https://exa mple.com/v1", "cannot be read"),
        ("https://example.com/v1\r\nHost: other", "cannot be read"),
        ("https://example.com/" + "a" * 500, "cannot be read"),
        ("https://sk-secret@example.com/v1", "no key"),
        ("https://user:sk-secret@example.com/v1", "no key"),
        ("https://example.com\\@127.0.0.1/v1", "no key"),
        ("https://example.com/v1?key=sk-secret", "ends with its path"),
        ("https://example.com/v1#sk-secret", "ends with its path"),
        ("http://example.com/v1", "must begin with https"),
    ],
)
def test_an_address_that_cannot_be_used_says_why_and_repeats_nothing(url: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as refused:
        checked_url(url, private=False)
    assert "secret" not in str(refused.value)


def test_good_addresses_are_kept() -> None:
    assert checked_url(" https://api.example.com/v1/ ", private=False) == "https://api.example.com/v1"
    assert checked_url("http://localhost:11434/v1", private=True) == "http://localhost:11434/v1"


@pytest.mark.parametrize(
    "host", ["localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "::1", "0"]
)
def test_names_and_numbers_that_mean_this_machine_are_refused_when_they_are_looked_up(host: str) -> None:
    with pytest.raises(InputError, match="not a public server"):
        asyncio.run(resolved(host, 443, private=False))


class Redirecting(BaseHTTPRequestHandler):
    """Sends everybody on to a path that remembers who came."""

    came: list[str]

    def do_GET(self) -> None:
        self.came.append(self.path)
        self.send_response(307 if self.path == "/v1" else 200)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    came: list[str] = []
    handler = type("Handler", (Redirecting,), {"came": came})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_address[1]}", came
        listening.shutdown()
        thread.join()


def fetched(url: str, *, private: bool) -> httpx2.Response:
    async def fetch() -> httpx2.Response:
        transport = guarded_transport(private=private)
        async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
            return await client.get(url)

    return asyncio.run(fetch())


def test_nothing_is_sent_to_a_private_server_however_it_is_named(server: tuple[str, list[str]]) -> None:
    url, came = server
    port = url.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]"):
        with pytest.raises(httpx2.ConnectError, match="not a public server"):
            fetched(f"http://{host}:{port}/v1", private=False)
    assert came == []


def test_where_the_private_network_is_open_the_server_is_reached_and_no_redirect_followed(
    server: tuple[str, list[str]],
) -> None:
    url, came = server
    assert fetched(f"{url}/v1", private=True).status_code == 307
    assert came == ["/v1"]


def test_the_certificate_is_asked_for_under_the_name_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    begin = ssl.SSLContext.wrap_bio

    def heard(self: ssl.SSLContext, *more: object, **named: object) -> ssl.SSLObject:
        asked.append(named.get("server_hostname"))
        return begin(self, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "wrap_bio", heard)
    with ThreadingHTTPServer(("127.0.0.1", 0), Redirecting) as plain:
        thread = threading.Thread(target=plain.handle_request, daemon=True)
        thread.start()
        with pytest.raises(httpx2.ConnectError):
            fetched(f"https://localhost:{plain.server_address[1]}/v1", private=True)
        thread.join()
    assert asked in ([b"localhost"], ["localhost"])
