"""A real HTTP server that speaks ``POST /v1/chat/completions`` and ``GET /v1/models``, by a script.

    def answer(asked: Asked) -> Scripted:
        if asked.task == "decompose":
            return Parts(queries=[asked.data["question"]])
        return Fault(status=500)

    with ScriptedServer(answer) as server:
        model = server.connect()
        ...
        assert meter.spent.prompt_tokens == server.counted.prompt_tokens

It counts tokens itself (words and signs), tells them as ``usage``, and keeps every request.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from pydantic import BaseModel

from engine.llm.client import ChatModel, connect
from engine.llm.prompt import CLOSING, OPENING, TASK_LINE, undefused

PART = re.compile(
    rf"^{OPENING} (?P<mark>[0-9a-f]+) (?P<name>[^\n]*)\n(?P<text>.*?)\n(?P=mark){CLOSING}$", re.S | re.M
)
TASK = re.compile(rf"^{TASK_LINE}(.+)$", re.M)
TOKEN = re.compile(r"\w+|[^\w\s]")


class Parts(BaseModel):
    """What most tests have a model fill in."""

    queries: list[str]


def tokens(text: str) -> int:
    """Tokens as this server counts them."""
    return len(TOKEN.findall(text))


def text_of(content: str | Sequence[Mapping[str, Any]]) -> str:
    """The text of a message, which may come in parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@dataclass(frozen=True)
class Asked:
    """One request as it came in.

    ``task`` is the prompt's, ``system`` and ``user`` the messages, ``data`` the parts by name (word joiners
    taken out), ``schema`` the JSON schema or None where the client did not send one, ``authorization`` that
    header, ``body`` all of it; ``number`` counts the requests from 0.
    """

    task: str
    system: str
    user: str
    data: Mapping[str, str]
    schema: Mapping[str, Any] | None
    authorization: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    number: int

    @property
    def format(self) -> str:
        """The response format asked for: json_schema, json_object or text."""
        return str(self.body.get("response_format", {}).get("type", "text"))


@dataclass(frozen=True)
class Fault:
    """An answer that goes wrong.

    ``status`` other than 200 gives an error with ``text`` (JSON of OpenAI's shape where it is empty) and
    ``headers``; Retry-After-Ms is 1 unless they say otherwise. ``seconds``: it comes late. ``cut``: the
    connection ends in the middle of the body. ``text`` with status 200 is the whole body. ``answer``,
    ``finish``, ``refusal`` are the message's. ``usage`` False: none is told. ``reads``: the server silently
    reads so many prompt tokens only.
    """

    status: int = 200
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cut: bool = False
    answer: BaseModel | Mapping[str, Any] | str = ""
    finish: str = "stop"
    refusal: str | None = None
    usage: bool = True
    reads: int | None = None


Scripted = BaseModel | Mapping[str, Any] | str | Fault


@dataclass(frozen=True)
class Counted:
    """Requests received, and the tokens that were told in ``usage``."""

    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0


@dataclass
class ScriptedServer:
    """Serves until the ``with`` block ends. ``rejects``: parameters and formats that it calls bad."""

    answer: Callable[[Asked], Scripted]
    rejects: frozenset[str] = frozenset()
    requests: list[Asked] = field(default_factory=list)
    counted: Counted = field(default_factory=Counted)

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._seen: set[str] = set()
        self._stopped = threading.Event()
        self._http = _Quiet(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where the API begins."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def spec(self) -> str:
        """The spec of the scripted model behind this server, with prices."""
        return f"openai:scripted@{self.url}?context=32768&input=1&output=2&cached=0.5"

    def connect(self, key: str | None = None, **options: Any) -> ChatModel:
        """A client of this server; options as those of ``engine.llm.client.connect``."""
        model = connect(self.spec, key, **options)
        assert model is not None
        return model

    def asked(self, body: dict[str, Any], headers: Mapping[str, str]) -> Asked:
        """Keep a request."""
        texts = {message["role"]: text_of(message["content"]) for message in body["messages"]}
        system, user = texts.get("system", ""), texts.get("user", "")
        # The prompts of a case name their task behind what they have in common.
        found = TASK.search(system) or TASK.search(user)
        sent = body.get("response_format", {}).get("json_schema", {})
        with self._lock:
            asked = Asked(
                task=found[1] if found else "",
                system=system,
                user=user,
                data={part["name"]: undefused(part["text"]) for part in PART.finditer(user)},
                schema=sent.get("schema"),
                authorization=headers.get("authorization", ""),
                body=body,
                headers=headers,
                number=len(self.requests),
            )
            self.requests.append(asked)
            told = self.counted
            self.counted = Counted(
                told.requests + 1, told.prompt_tokens, told.cached_tokens, told.completion_tokens
            )
        return asked

    def refused(self, asked: Asked) -> str:
        """The parameter that this server calls bad; empty where all are fine."""
        return next((name for name in sorted(self.rejects) if name in asked.body or name == asked.format), "")

    def usage(self, asked: Asked, content: str, reads: int | None) -> dict[str, Any]:
        """Count a prompt and its answer; a system message that was seen before is cached."""
        prompt = tokens(asked.system) + tokens(asked.user)
        completion = tokens(content)
        with self._lock:
            cached = tokens(asked.system) if asked.system in self._seen else 0
            self._seen.add(asked.system)
            if reads is not None:
                prompt = min(prompt, reads)
                cached = min(cached, prompt)
            told = self.counted
            self.counted = Counted(
                told.requests,
                told.prompt_tokens + prompt,
                told.cached_tokens + cached,
                told.completion_tokens + completion,
            )
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached},
        }

    def pause(self, seconds: float) -> None:
        """Be slow, unless the server is stopped."""
        self._stopped.wait(seconds)


class _Quiet(ThreadingHTTPServer):
    """Says nothing of clients that hang up, which is what some of them are tested for."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two packets; the second would wait 40 ms for the first to be acknowledged.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            if self.path.rstrip("/").endswith("/models"):
                self._send(
                    200, json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
                )
            else:
                self._send(404, _problem("no such page"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = server.asked(body, {name.lower(): value for name, value in self.headers.items()})
            if not self.path.endswith("/chat/completions"):
                self._send(404, _problem("no such page"))
            elif bad := server.refused(asked):
                self._send(400, _problem(f"Unsupported parameter or value: '{bad}'"))
            else:
                self._answer(asked, server.answer(asked))

        def _answer(self, asked: Asked, scripted: Scripted) -> None:
            fault = scripted if isinstance(scripted, Fault) else Fault(answer=scripted)
            if fault.seconds:
                server.pause(fault.seconds)
            if fault.status != 200:
                headers = {"Retry-After-Ms": "1"} if not fault.headers else fault.headers
                self._send(fault.status, fault.text or _problem(f"scripted fault {fault.status}"), headers)
                return
            self._send(200, fault.text or _completion(server, asked, fault), fault.headers, cut=fault.cut)

        def _send(
            self, status: int, text: str, headers: Mapping[str, str] | None = None, *, cut: bool = False
        ) -> None:
            body = text.encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if cut else body)
                self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                cut = True
            if cut:
                self.close_connection = True
                try:
                    self.connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    return

        def log_message(self, format: str, *args: object) -> None:
            """The test run stays quiet."""

    return Handler


def _problem(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "scripted", "param": None, "code": None}})


def _completion(server: ScriptedServer, asked: Asked, fault: Fault) -> str:
    answer = fault.answer
    if isinstance(answer, BaseModel):
        content = answer.model_dump_json()
    else:
        content = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    message = {"role": "assistant", "content": content, "refusal": fault.refusal}
    completion: dict[str, Any] = {
        "id": f"scripted-{asked.number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.body["model"],
        "choices": [{"index": 0, "finish_reason": fault.finish, "message": message, "logprobs": None}],
    }
    if fault.usage:
        completion["usage"] = server.usage(asked, content, fault.reads)
    return json.dumps(completion, ensure_ascii=False)
