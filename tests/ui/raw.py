"""Requests as an enemy writes them: byte by byte, without a client that tidies up."""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

API = "/gradio_api"
_addresses = itertools.count(1)


@dataclass(frozen=True)
class Answer:
    """Status (0: the server hung up without a word), headers in lower case, body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def stranger(network: str = "203") -> str:
    """An address that nobody has come from yet."""
    number = next(_addresses)
    return f"{network}.{number // 62_500 % 250 + 1}.{number // 250 % 250 + 1}.{number % 250 + 1}"


class Raw:
    """A server that trusts this machine as a proxy, so a request may come from any address."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.authority = f"{self.host}:{self.port}"

    def send(self, request: bytes | Iterable[bytes], seconds: float = 60.0) -> Answer:
        """Send bytes on a connection of their own, and read one answer."""
        with self.connected(seconds) as line:
            try:
                for part in [request] if isinstance(request, bytes) else request:
                    line.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                # The answer came before all was sent.
                pass
            return _read(line)

    def connected(self, seconds: float = 60.0) -> socket.socket:
        """A connection to the server."""
        return socket.create_connection((self.host, self.port), timeout=seconds)

    def ask(
        self,
        method: str,
        target: str,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
        *,
        host: str | None = None,
        forwarded: str = "",
    ) -> Answer:
        """One request; ``forwarded`` is the address that it comes from, else a new one."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.authority if host is None else host}"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines.append(f"X-Forwarded-For: {forwarded or stranger()}")
        if body and not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in headers):
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join([*lines, "Connection: close"]).encode("latin-1") + b"\r\n\r\n"
        return self.send(head + body)

    def stream(self, target: str, *, forwarded: str = "", seconds: float = 60.0) -> Answer:
        """What a stream of events says until it ends."""
        head = f"GET {target} HTTP/1.0\r\nHost: {self.authority}\r\n"
        head += f"X-Forwarded-For: {forwarded or stranger()}\r\n"
        with self.connected(seconds) as line:
            line.sendall(f"{head}\r\n".encode())
            return _read(line, whole=True)

    def post(
        self, target: str, value: Any, headers: Sequence[tuple[str, str]] = (), *, forwarded: str = ""
    ) -> Answer:
        """A value as JSON."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        typed = [("Content-Type", "application/json"), *headers]
        return self.ask("POST", target, typed, body, forwarded=forwarded)

    def panel(self, data: Any, name: str = "corpus", **more: Any) -> Answer:
        """A request of a panel, as the page's script sends it."""
        number = self.component(name)
        body = {"data": data, "component_id": number, "fn_name": name, "session_hash": "abc123"}
        return self.post(f"{API}/component_server/", {**body, **more})

    def component(self, name: str) -> int:
        """The number of the component that has a function."""
        config = self.ask("GET", "/config").json
        parts = config["components"]
        return int(next(part["id"] for part in parts if name in part["props"].get("server_fns", [])))


def _read(line: socket.socket, *, whole: bool = False) -> Answer:
    received = bytearray()
    try:
        while b"\r\n\r\n" not in received:
            part = line.recv(65_536)
            if not part:
                return Answer(0, {}, bytes(received))
            received += part
        head, _, body = bytes(received).partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in rest)}
        status = int(first.split()[1])
        if headers.get("content-type", "").startswith("text/event-stream") and not whole:
            return Answer(status, headers, body)
    except (ConnectionResetError, TimeoutError):
        return Answer(0, {}, bytes(received))
    try:
        while part := line.recv(65_536):
            body += part
    except ConnectionResetError:
        # Who answers before all was sent hangs up on what is left of it; the answer has arrived.
        pass
    except TimeoutError:
        return Answer(0, {}, bytes(received))
    return Answer(status, headers, body)
