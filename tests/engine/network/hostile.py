"""Requests that a stranger would have this server send: to itself, into its network, to where clouds keep
secrets; and servers that answer with harm.

Held where nothing arrives at a server that is not public, however it is named; where an answer costs no more
than its bounds allow; and where no word of an answer gets into a message.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.attacks.small_corpora import Attempt
from engine.network import Received, fetch, guarded_transport, open_client

SESSION = "s" * 32
# What a server says that nobody else may read; so long and so large an answer is waited for.
MARK = "hunter2"
SECONDS, LONGEST = 0.3, 200_000
# On a busy machine a deadline is kept so late, s.
LATE = 5.0
# Beyond this a server has sent more than any bound, with what lies in buffers, allows.
MOST_SENT = 20_000_000

# Ways to write this machine, its network, or something that is no server. PORT is where something listens.
FORMS: tuple[str, ...] = (
    # plainly, and in plain http
    "https://127.0.0.1:PORT/v1", "http://127.0.0.1:PORT/v1", "https://localhost:PORT/v1",
    "https://LOCALHOST:PORT/v1", "https://localhost.:PORT/v1", "https://127.0.0.1.:PORT/v1",
    # numbers in other notations (inet_aton)
    "https://2130706433:PORT/v1", "https://0x7f000001:PORT/v1", "https://0x7f.0.0.1:PORT/v1",
    "https://017700000001:PORT/v1", "https://0177.0.0.1:PORT/v1", "https://127.1:PORT/v1",
    "https://127.0.1:PORT/v1", "https://0:PORT/v1", "https://0.0.0.0:PORT/v1", "https://127.0.0.1%00:PORT/v1",
    "https://00000000177.0.0.1:PORT/v1", "https://0x7F.0x0.0x0.0x1:PORT/v1", "https://127.255.255.254:PORT/v1",
    # IPv6, and IPv4 inside it
    "https://[::1]:PORT/v1", "https://[::]:PORT/v1", "https://[0:0:0:0:0:0:0:1]:PORT/v1",
    "https://[::ffff:127.0.0.1]:PORT/v1", "https://[::ffff:7f00:1]:PORT/v1", "https://[::127.0.0.1]:PORT/v1",
    "https://[64:ff9b::7f00:1]:PORT/v1", "https://[2002:7f00:1::]:PORT/v1", "https://[::1%25lo]:PORT/v1",
    "https://[::1%lo]:PORT/v1", "https://[::ffff:0:127.0.0.1]:PORT/v1", "https://[fe80::1%25eth0]:PORT/v1",
    "https://[2001:0:7f00:1::]:PORT/v1", "https://[v1.fe80::a+en1]:PORT/v1",
    # characters that become dots and digits
    "https://127。0。0。1:PORT/v1", "https://①②⑦.⓪.⓪.①:PORT/v1", "https://ⓛocalhost:PORT/v1",
    "https://１２７.０.０.１:PORT/v1", "https://loca\u00adlhost:PORT/v1", "https://localhost\u200b:PORT/v1",
    "https://%6c%6f%63%61%6c%68%6f%73%74:PORT/v1", "https://xn--lcalhost-n0b:PORT/v1",
    # names, keys and second hosts before and behind
    "https://example.com@127.0.0.1:PORT/v1", "https://example.com:443@127.0.0.1:PORT/v1",
    "https://127.0.0.1:PORT@example.invalid/v1", "https://127.0.0.1:PORT\\@example.com/v1",
    "https://example.com\\@127.0.0.1:PORT/v1", "https://@127.0.0.1:PORT/v1", "https://:@127.0.0.1:PORT/v1",
    "https://127.0.0.1:PORT#@example.com/v1", "https://127.0.0.1:PORT?@example.com/v1",
    "https://example.com#@127.0.0.1:PORT/", "https:///127.0.0.1:PORT/v1", "https:127.0.0.1:PORT/v1",
    "https:/127.0.0.1:PORT/v1", "//127.0.0.1:PORT/v1", "127.0.0.1:PORT/v1", "https://https://127.0.0.1:PORT/",
    # schemes
    "file:///etc/passwd", "ftp://127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/_GET%20/", "unix:/var/run/x.sock",
    "http+unix://%2fvar%2frun%2fdocker.sock/v1", "ws://127.0.0.1:PORT/", "data:application/json,{}",
    "jar:https://127.0.0.1:PORT!/", "HTTPS://127.0.0.1:PORT/v1", "javascript:alert(1)", "dict://127.0.0.1:PORT/",
    # lines, controls, blanks
    "https://127.0.0.1:PORT/v1\r\nX-Other: 1", "https://127.0.0.1:PORT/v1\x00", "https://\x00127.0.0.1:PORT/v1",
    "https://127.0.0.1\t:PORT/v1", "\thttps://127.0.0.1:PORT/v1", "https://127.0.0.1 :PORT/v1",
    "https://127.0.0.1:PORT/v1\u2028", "https://127.0.0.1\u202e:PORT/v1",
    # ports and hosts that cannot be
    "https://127.0.0.1:0/v1", "https://127.0.0.1:65536/v1", "https://127.0.0.1:-1/v1",
    "https://127.0.0.1:PORT:PORT/v1", "https://8.8.8.8:22/v1", "https://8.8.8.8:25/v1", "https://[::1:PORT/v1",
    "https://]:PORT/v1", "https://..:PORT/v1", "https://-:PORT/v1", "https://" + "a" * 300 + ":PORT/v1",
    "https://" + "a." * 200 + "a:PORT/v1", "https://1.2.3.4.5:PORT/v1", "https://256.256.256.256:PORT/v1",
    "https://:PORT/v1", "https://?/v1", "https://%/v1", "https://h/" + "a" * 1000,
    # networks that are nobody's, and where clouds keep their secrets
    "https://10.0.0.1:PORT/v1", "https://172.16.0.1:PORT/v1", "https://192.168.0.1:PORT/v1",
    "https://100.64.0.1:PORT/v1", "https://169.254.169.254:PORT/v1", "https://[fd00:ec2::254]:PORT/v1",
    "https://[::ffff:a9fe:a9fe]:PORT/v1", "https://0xa9fea9fe:PORT/v1", "https://2852039166:PORT/v1",
    "https://168.63.129.16:PORT/v1", "https://100.100.100.200:PORT/v1", "https://192.0.0.192:PORT/v1",
    "https://[fd20:ce::254]:PORT/v1", "https://224.0.0.1:PORT/v1", "https://255.255.255.255:PORT/v1",
    "https://192.88.99.1:PORT/v1", "https://[3fff::1]:PORT/v1", "https://[fc00::1]:PORT/v1",
)  # fmt: skip

PUBLIC, METADATA = "93.184.216.34", "169.254.169.254"
# What a name resolves to at the first look, the second, and so on; the last stays. Refused as a whole.
NAMES: Mapping[str, Sequence[Sequence[str]]] = {
    "private": [["127.0.0.1"]],
    "the second is private": [[PUBLIC, "127.0.0.1"]],
    "the first is private": [["127.0.0.1", PUBLIC]],
    "the last of many is private": [[PUBLIC] * 3 + [f"93.184.216.{n}" for n in range(1, 60)] + ["10.0.0.1"]],
    "the second is IPv6": [[PUBLIC, "::1"]],
    "the second is mapped": [[PUBLIC, "::ffff:127.0.0.1"]],
    "the second has a scope": [[PUBLIC, "fe80::1%eth0"]],
    "the second is where clouds keep secrets": [[PUBLIC, METADATA]],
    "the second is no address": [[PUBLIC, "localhost"]],
    "nothing": [[]],
}
# The same where the private network may be reached, and one of two looks finds where clouds keep secrets: the
# other one alone is connected to, at the address that was judged.
REBOUND: Mapping[str, Sequence[Sequence[str]]] = {
    "another machine at the second look": [["127.0.0.1"], [METADATA]],
    "another machine at the first look": [[METADATA], ["127.0.0.1"]],
    "two machines at the second look": [["127.0.0.1"], ["127.0.0.1", METADATA]],
}


class Strange:
    """A server of one behaviour, and who came. ``sent`` counts the bytes that it got rid of."""

    def __init__(self, behave: Callable[[Strange, socket.socket], None]) -> None:
        self._behave = behave
        self.came, self.sent = 0, 0
        self.stopped = threading.Event()
        # By every address of this machine, where it has two kinds.
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        self._listening = socket.create_server(("", 0), family=family, dualstack_ipv6=both)
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def send(self, connection: socket.socket, part: bytes) -> None:
        """Send, and count."""
        connection.sendall(part)
        self.sent += len(part)

    def close(self) -> None:
        """Stop, and wait for the end."""
        self.stopped.set()
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        self._thread.join()
        self._listening.close()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            with connection, contextlib.suppress(OSError):
                if self.stopped.is_set():
                    return
                self.came += 1
                connection.settimeout(LATE)
                self._behave(self, connection)


def asked(connection: socket.socket) -> None:
    """Read the request away, so that closing does not reset the connection before the answer is read."""
    connection.recv(65_536)


def _saying(*parts: bytes) -> Callable[[Strange, socket.socket], None]:
    def behave(server: Strange, connection: socket.socket) -> None:
        asked(connection)
        for part in parts:
            server.send(connection, part)

    return behave


def _endless(start: bytes, part: bytes, pause: float = 0.0) -> Callable[[Strange, socket.socket], None]:
    def behave(server: Strange, connection: socket.socket) -> None:
        asked(connection)
        server.send(connection, start)
        while not server.stopped.wait(pause) and server.sent < 10 * MOST_SENT:
            server.send(connection, part)

    return behave


def _silent(server: Strange, connection: socket.socket) -> None:
    server.stopped.wait(LATE)


_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_BOMB = gzip.compress(bytes(300_000_000), 1)
_MARKED = MARK.encode()
# Behaviours of servers that may be called. ``OTHER`` is where a second one listens, which must not be.
SERVERS: Mapping[str, Callable[[Strange, socket.socket], None]] = {
    "never answers": _silent,
    "drips a header": _endless(_OK + b"X: ", b"x", 0.01),
    "drips a body": _endless(_OK + b"Content-Length: 100000\r\n\r\n", b"x", 0.01),
    "drips chunks": _endless(_OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 0.01),
    "goes on without end": _endless(_OK + b"\r\n", b"x" * 65_536),
    "promises a gigabyte": _endless(_OK + b"Content-Length: 1000000000\r\n\r\n", b"x" * 65_536),
    "chunks without end": _endless(
        _OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    ),
    "one chunk without end": _endless(
        _OK + b"Transfer-Encoding: chunked\r\n\r\nfffffffffff\r\n", b"x" * 65_536
    ),
    "a header of ten megabytes": _saying(_OK + b"X: ", *[b"x" * 100_000] * 100, b"\r\n\r\n"),
    "a hundred thousand headers": _endless(_OK, b"X-A: b\r\n" * 1000),
    "answers that announce others": _endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100),
    "a gzip bomb": _saying(
        _OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(_BOMB), _BOMB
    ),
    "a deflate bomb": _saying(_OK + b"Content-Encoding: deflate\r\n\r\n", _BOMB),
    "another protocol": _saying(b"SSH-2.0-%s\r\n" % _MARKED),
    "a mailer": _saying(b"220 %s ESMTP\r\n" % _MARKED),
    "a wrong status line": _saying(b"HTTP/1.1 %s\r\n\r\n" % _MARKED),
    "a wrong header": _saying(_OK + b"%s\r\n\r\n" % _MARKED),
    "a header with NUL": _saying(_OK + b"X: %s\x00\r\n\r\n" % _MARKED),
    "a wrong length": _saying(_OK + b"Content-Length: %s\r\n\r\n" % _MARKED),
    "a negative length": _saying(_OK + b"Content-Length: -1\r\n\r\n" + _MARKED),
    "two lengths": _saying(_OK + b"Content-Length: 3\r\nContent-Length: 7\r\n\r\n" + _MARKED),
    "a wrong chunk": _saying(_OK + b"Transfer-Encoding: chunked\r\n\r\n%s\r\n" % _MARKED),
    "a body that is cut": _saying(_OK + b"Content-Length: 100\r\n\r\n" + _MARKED),
    "another protocol on request": _saying(
        b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n" + _MARKED
    ),
    "nothing": _saying(b""),
    "no HTTP at all": _saying(_MARKED),
    "what is no text": _saying(_OK + b"Content-Length: 256\r\n\r\n" + bytes(range(256))),
    "an inner error": _saying(b"HTTP/1.1 500 Oops\r\nContent-Length: 7\r\n\r\n" + _MARKED),
    "a refusal": _saying(b"HTTP/1.1 400 %s\r\nContent-Length: 7\r\n\r\n%s" % (_MARKED, _MARKED)),
}  # fmt: skip
REDIRECTS = (300, 301, 302, 303, 305, 307, 308)


def form_attempt(form: str) -> Attempt:
    """A visitor of a public page writes an address into the dialog of language models."""
    with standing(_saying(_OK + b"\r\n" + _MARKED)) as server, connecting() as tried:
        # Imported here: the page takes seconds, and other tests of this folder do not need it.
        from ui.calls import answer
        from ui.models.connections import Connections
        from ui.models.dialog import CALLS, ConnectingDesk

        desk = ConnectingDesk(Connections())
        url = form.replace("PORT", str(server.port))
        said = answer(desk, CALLS, {"do": "list", "session": SESSION, "url": url, "key": "k" * 20})
        held = server.came == 0 and not tried and "error" in said and MARK not in str(said)
        return Attempt(repr(form), held, f"{server.came} came, {tried} tried; {said}")


def name_attempt(name: str) -> Attempt:
    """A name of several addresses, or of others at each look."""
    rebound = name in REBOUND
    looks = list(REBOUND[name] if rebound else NAMES[name])

    async def lookup(host: str, port: int, **more: object) -> list[tuple[Any, ...]]:
        found = looks.pop(0) if len(looks) > 1 else looks[0]
        return [(0, 0, 0, "", (address, port)) for address in found]

    with standing(_saying(_OK + b"\r\n" + _MARKED)) as server, connecting() as tried:
        asyncio.run(_called(f"http://name.example:{server.port}/v1", rebound, lookup, times=2))
        wanted = [("127.0.0.1", server.port)] if rebound else []
        return Attempt(name, tried == wanted and server.came == len(wanted), f"{tried} were tried")


def server_attempt(name: str) -> Attempt:
    """A server that may be called and means harm."""
    with standing(SERVERS[name]) as server:
        started = time.monotonic()
        received = asyncio.run(_called(f"http://127.0.0.1:{server.port}/v1", True))
        spent = time.monotonic() - started
        quiet = received.status >= 100 or MARK not in received.body
        small = len(received.body) <= LONGEST and server.sent < MOST_SENT
        return Attempt(
            name, quiet and small and spent < SECONDS + LATE,
            f"{spent:.1f} s, {server.sent:,} bytes sent, {received.status} {received.body[:80]!r}",
        )  # fmt: skip


def redirect_attempt(status: int) -> Attempt:
    """A server that sends whoever asks on to another."""
    with standing(_saying(_OK + b"\r\n")) as other:
        lines = (
            f"HTTP/1.1 {status} x\r\nLocation: http://127.0.0.1:{other.port}/\r\nContent-Length: 0\r\n\r\n"
        )
        with standing(_saying(lines.encode())) as server:
            received = asyncio.run(_called(f"http://127.0.0.1:{server.port}/v1", True))
            held = other.came == 0 and received.status == status and server.came == 1
            return Attempt(f"a redirect of status {status}", held, f"{other.came} came; {received.status}")


async def _called(
    url: str, private: bool, lookup: Callable[..., Awaitable[Any]] | None = None, times: int = 1
) -> Received:
    """The last of several requests by the guarded way."""
    async with open_client(lambda: guarded_transport(private=private, lookup=lookup)) as client:
        for _ in range(times):
            received = await fetch(client, "GET", url, key="k" * 20, seconds=SECONDS, longest=LONGEST)
        return received


_tried: list[object] | None = None
_hooked = False


@contextmanager
def connecting() -> Iterator[list[object]]:
    """The addresses that this process tries to connect to meanwhile, whether or not anything listens."""
    global _tried, _hooked
    if not _hooked:
        # A hook stays for good.
        sys.addaudithook(_heard)
        _hooked = True
    found: list[object] = []
    _tried = found
    try:
        yield found
    finally:
        _tried = None


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _tried is not None:
        _tried.append(arguments[1])


@contextmanager
def standing(behave: Callable[[Strange, socket.socket], None]) -> Iterator[Strange]:
    """A server for a while."""
    server = Strange(behave)
    try:
        yield server
    finally:
        server.close()
