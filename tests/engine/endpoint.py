"""A real HTTP server that speaks ``POST /v1/embeddings``, with vectors that can be checked by eye."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

from engine.language.embedders.endpoint import URL_VARIABLE

FEES, PILOTS = re.compile(r"\b(?:dues|fees?|tariff)\b", re.I), re.compile(r"\b(?:pilots?|pilotage)\b", re.I)


def plane(text: str) -> list[float]:
    """East for money, north for pilots, between them for both, west for neither. Not of unit length."""
    east, north = len(FEES.findall(text)), len(PILOTS.findall(text))
    return [float(east), float(north)] if east or north else [-2.0, 0.0]


@dataclass
class Answer:
    """What the server says to one request: a status and a body made from the texts it was sent."""

    status: int
    body: Callable[[list[str]], object]
    headers: Mapping[str, str] = field(default_factory=dict)


def vectors(texts: list[str]) -> object:
    """The usual answer; items in reverse order, since only their index counts."""
    items = [{"object": "embedding", "index": n, "embedding": plane(text)} for n, text in enumerate(texts)]
    return {
        "object": "list",
        "model": "toy",
        "data": items[::-1],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


@dataclass
class EmbeddingServer:
    """Serves until the ``with`` block ends, as the operator's own endpoint (REDSTRING_EMBEDDING_URL) unless
    it is not ``named``. ``next`` holds answers that come before the usual one."""

    next: list[Answer] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    usual: Answer = field(default_factory=lambda: Answer(200, vectors))
    named: bool = True

    def __enter__(self) -> Self:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(
                    {
                        "path": self.path,
                        "key": self.headers["Authorization"] or "",
                        "cookie": self.headers["Cookie"] or "",
                        **sent,
                    }
                )
                answer = server.next.pop(0) if server.next else server.usual
                body = json.dumps(answer.body(sent["input"])).encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After-Ms", "1")
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """The test run stays quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self._surroundings = pytest.MonkeyPatch()
        if self.named:
            self._surroundings.setenv(URL_VARIABLE, self.url)
        return self

    def __exit__(self, *error: object) -> None:
        self._surroundings.undo()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where the API begins."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def spec(self) -> str:
        """The spec of the toy model behind this server."""
        return f"openai:toy@{self.url}"
